"""docs/spec/policy-cel-v1.md tells the truth: its examples run, its tables name what there is."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_saga.policies.cel import (
    CelError,
    Undecided,
    atoms,
    check,
    compile_,
    parse,
    read_timestamp,
    specialise,
    text_of,
)
from agent_saga.policies.cel.checking.signatures import LEFT_OUT
from agent_saga.policies.cel.functions import FUNCTIONS, METHODS
from agent_saga.policies.cel.limits import MAX_NESTING, MAX_NODES, MAX_TEXT
from agent_saga.policies.cel.operators import BINARY
from agent_saga.policies.cel.parser import RESERVED
from agent_saga.policies.cel.types import (
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    Field,
    ListType,
    MapType,
    ObjectType,
    Type,
)

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "spec" / "policy-cel-v1.md").read_text(encoding="utf-8")
CHAIN = ObjectType({"semantics": Field(STRING), "consequence": Field(STRING)})
ARGS = ObjectType(
    {
        "amount": Field(ObjectType({"minor": Field(INT), "currency": Field(STRING)})),
        "to": Field(STRING),
        "memo": Field(STRING, required=False),
        "note": Field(STRING, required=False),
        "tags": Field(ListType(STRING)),
        "limits": Field(MapType(INT)),
        "rate": Field(DOUBLE),
        "secret": Field(STRING),
    }
)
NAMES: dict[str, Type] = {"tool": STRING, "args": ARGS, "semantics": STRING, "at": TIMESTAMP, "chain": CHAIN}
UNGUARDED = "may be missing"
"""The only fault of examples that have a value: some show what is missing at run time."""


@cache
def call() -> dict[str, Any]:
    """The call of the page."""
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    values = json.loads(block[1])
    return {**values, "at": read_timestamp(values["at"])}


def examples() -> list[tuple[str, str]]:
    """Every line ``condition => outcome`` of the page's blocks of text."""
    blocks = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [(left.strip(), right.strip()) for left, right in (line.split("=>", 1) for line in lines)]


def test_the_page_has_examples() -> None:
    assert len(examples()) >= 60


@pytest.mark.parametrize("text, outcome", examples(), ids=lambda part: part[:40])
def test_an_example_comes_out_as_the_page_says(text: str, outcome: str) -> None:
    kind, _, rest = text.partition(": ")
    if kind == "canonical":
        assert text_of(parse(rest.strip())) == outcome
    elif kind == "specialised":
        assert text_of(specialise(parse(rest.strip()), {"tool": "payments.wire"})) == outcome
    elif kind == "atoms":
        assert "; ".join(map(text_of, atoms(parse(rest.strip())))) == outcome
    else:
        _evaluated(text, outcome)


def _evaluated(text: str, outcome: str) -> None:
    tree = parse(text)
    faults = [fault.message for fault in check(tree, NAMES)[1]]
    if outcome.startswith("fault: "):
        assert faults == [outcome.removeprefix("fault: ")]
    elif outcome == "checked":
        assert faults == []
    elif outcome.startswith("error: "):
        with pytest.raises(Undecided) as caught:
            compile_(tree, tuple(call()))(call())
        assert caught.value.words == outcome.removeprefix("error: ")
    else:
        assert all(UNGUARDED in fault for fault in faults)
        found = compile_(tree, tuple(call()))(call())
        wanted = compile_(parse(outcome), ())({})
        assert (type(found), found) == (type(wanted), wanted)


def test_the_first_example_loads() -> None:
    block = re.search(r"```cel\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    tree = parse(block[1])
    assert check(tree, NAMES)[1] == []
    assert compile_(tree, tuple(call()))(call()) is True
    for wrong in ("args.amount.miner > 500000", "args.amount.minor > 5000.0", 'args.amount.minor > "500000"'):
        assert len(check(parse(wrong), NAMES)[1]) == 1


def _section(title: str) -> str:
    """The text of a section, up to the next of its level or above."""
    _, _, rest = PAGE.partition(f"# {title}\n")
    return re.split(r"^##? ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_every_function_is_in_the_table() -> None:
    named = set(re.findall(r"\.?([a-zA-Z]+)\(", _section("Functions")))
    assert {*FUNCTIONS, *METHODS, "has"} <= named


def test_every_operator_is_in_the_table() -> None:
    told = _section("Operators").partition("\n\n`/`")[0]
    assert all(f"`{name}`" in told for name in [*BINARY, "!", "&&", "||"])


def test_everything_left_out_is_told_with_its_reason() -> None:
    told = _section("What of CEL is left out")
    assert all(f"`{name}`" in told for name in LEFT_OUT)


def test_the_bounds_and_the_reserved_words_are_the_real_ones() -> None:
    bounds = _section("Bounds")
    assert all(f"| {bound:,} |" in bounds for bound in (MAX_TEXT, MAX_NESTING, MAX_NODES))
    grammar = _section("Grammar")
    words = re.search(r"The reserved words are `([^`]*)`, and `([^`]*)`", grammar)
    assert words is not None
    assert set(words[2].split()) == RESERVED
    for word in words[1].split():
        with pytest.raises(CelError):
            parse(f"a.{word}")
    for word in RESERVED:
        assert text_of(parse(f"a.{word}")) == f"a.{word}"
