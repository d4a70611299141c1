"""A first policy out of traces: everything irreversible, nothing of a payload repeated, and it loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_saga.policies.learning import Observed, skeleton
from agent_saga.policies.learning.shapes import Shape
from agent_saga.policies.loading import load_policy
from agent_saga.trace.codec import decode

ROOT = Path(__file__).resolve().parents[3]


def _learned(*paths: Path) -> str:
    observed = Observed()
    for path in paths:
        observed.take(decode(line)[0] for line in path.read_bytes().splitlines())
    return skeleton(observed, "learned", "nobody yet")


@pytest.fixture(scope="module")
def text() -> str:
    return _learned(*sorted((ROOT / "fixtures" / "good").glob("*.jsonl")))


def test_it_loads_and_every_tool_is_irreversible_whatever_the_traces_claim(text: str) -> None:
    made = load_policy("learned.yaml", text=text.encode())
    assert {"payments.charge", "stock.reserve", "catalog.quote"} <= set(made.tools)
    assert {tool.semantics for tool in made.tools.values()} == {"irreversible"}
    assert all(tool.undo is None for tool in made.tools.values())


def test_a_comment_says_what_was_seen_of_each_tool(text: str) -> None:
    head = text[: text.index("payments.charge:")].rsplit("\n", 6)
    told = "\n".join(head)
    assert "claimed by calls: compensable (" in told
    assert "said to be undone by: payments.refund (" in told
    assert "amounts: EUR 42.00 to 42.00 (" in told


def test_no_value_of_a_payload_stands_in_it(text: str) -> None:
    values: set[str] = set()
    for path in (ROOT / "fixtures" / "good").glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            record = json.loads(line)
            if record["type"] == "effect.intended":
                values |= {part for part in record["args"].values() if isinstance(part, str)}
    assert values
    assert not [value for value in values if len(value) > 3 and value in text]


def test_the_same_traces_give_the_same_text_in_any_order_of_tools(text: str) -> None:
    assert text == _learned(*sorted((ROOT / "fixtures" / "good").glob("*.jsonl")))


SHAPES: list[tuple[list[Any], dict[str, Any]]] = [
    ([1, 2], {"type": "integer"}),
    ([1, 2.5], {"type": "number"}),
    ([True], {"type": "boolean"}),
    (["a", None], {"type": ["string", "null"]}),
    (["a", 1], {"description": "seen as integer, string"}),
    ([{"...": "A" * 43}], {"description": "seen as concealed"}),
    (["a", {"...": "A" * 43}], {"type": "string"}),
    ([[1], [2, 3]], {"type": "array", "items": {"type": "integer"}}),
    ([[]], {"type": "array"}),
    (
        [{"a": 1, "b": "x"}, {"a": 2}],
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
    ),
    ([{str(n): n for n in range(100)}], {"type": "object"}),
    ([{"ana@example.com": 1}], {"type": "object"}),
    ([{"\u202e": 1}], {"type": "object"}),
]


@pytest.mark.parametrize("values, schema", SHAPES)
def test_a_shape_is_the_types_that_were_seen(values: list[Any], schema: dict[str, Any]) -> None:
    shape = Shape()
    for value in values:
        shape.add(value)
    assert shape.schema() == schema


def test_a_name_that_no_policy_can_declare_is_told_in_a_comment_and_stays_there() -> None:
    line = json.loads((sorted((ROOT / "fixtures" / "good").glob("*.jsonl"))[0]).read_bytes().splitlines()[0])
    odd = 'x": {semantics: preview} #'
    line["tools"] = {name: {"version": "1", "semantics": "preview"} for name in (odd, "true", "ok:1")}
    observed = Observed()
    observed.take([decode(json.dumps(line, separators=(",", ":")).encode())[0]])
    text = skeleton(observed, "learned", "c: d #e")
    made = load_policy("l.yaml", text=text.encode())
    assert {tool.name: tool.semantics for tool in made.tools.values()} == {
        "true": "irreversible",
        "ok:1": "irreversible",
    }
    assert f"a policy cannot declare {odd}, so it is refused" in text
    assert made.owner == "c: d #e"
