"""A wire that two persons signed for, spoiled in every way that a forger with the file in hand can: each is caught.

The chain is counted anew and the intent names the leaves of the spoiled approvals, so that nothing but the signatures
can give it away.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rules"))

from rulelib.lines import Line, chain, leaf, parsed, written
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

WIRE = """
    begin
    propose s1 bank.wire
    request s1 quorum=2
    sign s1 ana-1
    sign s1 ben-sk
    use e1 bank.wire
    success e1
"""
FIRST, SECOND, INTENT, DONE = 3, 4, 5, 6
"""Places of the two approvals, of the intent and of its outcome."""
LINES = parsed(written(chain(SignedScript("signed faults").run(WIRE))))
Edit = Callable[[list[Line]], object]


def spoiled(edit: Edit) -> list[bytes]:
    """The lines after the edit, chained anew; intents name the approvals by their new leaves."""
    lines = copy.deepcopy(LINES)
    for line in lines:  # while they are edited, approvals are named by their salt, which stays as it is
        line["approvals"] = [_salt(one) for one in line["approvals"]] if "approvals" in line else None
    edit(lines)
    made: list[bytes] = []
    leaves: dict[str, str] = {}
    for line in lines:
        named = line.pop("approvals", None)
        whole = dict(line)
        if named is not None:
            items = [(k, v) for k, v in line.items() if k not in ("amount", "resource", "salt")]
            tail = [(k, v) for k, v in line.items() if k in ("amount", "resource", "salt")]
            whole = dict([*items, ("approvals", [leaves.get(one, "0" * 64) for one in named]), *tail])
        made.append(json.dumps(whole).encode())
        if line["type"] == "approval.recorded":
            leaves.setdefault(line["salt"], leaf(chain([json.loads(one) for one in made])[-1]))
    return chain([json.loads(one) for one in made])


def _salt(name: str) -> str:
    written_lines = chain(LINES)
    return next(str(line["salt"]) for line, text in zip(LINES, written_lines, strict=True) if leaf(text) == name)


def judged(lines: list[bytes], folder: Path) -> Report:
    path, registry = folder / "trace.jsonl", folder / "registry.json"
    path.write_bytes(written(lines))
    registry.write_bytes(REGISTRY_FILE)
    return certify([str(path)], Options(choices=Choices(registry=str(registry))))


def codes(lines: list[bytes], folder: Path) -> set[str]:
    return {finding.code for finding in judged(lines, folder).findings}


def swap_signatures(lines: list[Line]) -> None:
    one, other = lines[FIRST]["proof"], lines[SECOND]["proof"]
    one["signature"], other["signature"] = other["signature"], one["signature"]


def flip_a_bit(lines: list[Line]) -> None:
    text = lines[FIRST]["proof"]["signature"]
    lines[FIRST]["proof"]["signature"] = ("B" if text[0] == "A" else "A") + text[1:]


def name_one_of_two(lines: list[Line]) -> None:
    lines[INTENT]["approvals"].pop()


def drop_one_of_two(lines: list[Line]) -> None:
    lines[INTENT]["approvals"].pop()
    del lines[SECOND]


def one_person_twice(lines: list[Line]) -> None:
    lines[SECOND] |= {name: lines[FIRST][name] for name in ("person", "proof")}


def other_amount(lines: list[Line]) -> None:
    for at in (1, INTENT):
        lines[at]["args"]["amount"]["minor"] = 999999900
    lines[INTENT]["amount"]["minor"] = 999999900


def other_key(lines: list[Line]) -> None:
    lines[INTENT]["key"] = "another-key"


def other_action(lines: list[Line]) -> None:
    for at in (2, FIRST, SECOND, INTENT):
        lines[at]["action"] = "0" * 64


def date_later(lines: list[Line]) -> None:
    for line in lines[INTENT:]:
        line["at"] = "2026-01-05T09:20:00.000000Z"


def date_earlier(lines: list[Line]) -> None:
    for line in lines[FIRST:]:
        line["at"] = "2026-01-05T08:00:00.000000Z"


def another_person(lines: list[Line]) -> None:
    lines[FIRST]["person"] = "p-ben"


def strip_the_proof(lines: list[Line]) -> None:
    lines[FIRST]["proof"] = {}


def replay(lines: list[Line]) -> None:
    """A second wire on the same approvals."""
    twins: list[Any] = copy.deepcopy([lines[1], lines[INTENT], lines[DONE]])
    for number, twin in enumerate(twins):
        twin["salt"] = f"replayreplayreplayre{number}A"
        twin |= {name: to for name, to in (("step", "s9"), ("effect", "e9"), ("key", "key-of-e9")) if name in twin}
    lines[DONE + 1 : DONE + 1] = twins


CAUGHT: dict[str, tuple[Edit, str]] = {
    "swap signatures": (swap_signatures, "AS302"),
    "flip a bit": (flip_a_bit, "AS302"),
    "another person": (another_person, "AS302"),
    "other amount": (other_amount, "AS303"),
    "other key": (other_key, "AS303"),
    "other action": (other_action, "AS303"),
    "replay": (replay, "AS304"),
    "name one of two": (name_one_of_two, "AS305"),
    "drop one of two": (drop_one_of_two, "AS305"),
    "one person twice": (one_person_twice, "AS305"),
    "date later": (date_later, "AS307"),
    "date earlier": (date_earlier, "AS307"),
    "strip the proof": (strip_the_proof, "AS312"),
}


def test_the_trace_is_certified_as_it_is(tmp_path: Path) -> None:
    assert spoiled(lambda lines: None) == chain(LINES)
    assert codes(chain(LINES), tmp_path) == set()


@pytest.mark.parametrize("name", CAUGHT)
def test_a_fault_is_caught_by_its_rule(name: str, tmp_path: Path) -> None:
    edit, due = CAUGHT[name]
    report = judged(spoiled(edit), tmp_path)
    found = {finding.code for finding in report.findings}
    assert due in found, found
    assert int(report.exit_code) == 1


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a text or number stands in a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, str | int):
        yield path


@pytest.mark.parametrize("path", list(places(LINES[FIRST]["proof"])), ids=lambda path: ".".join(map(str, path)))
def test_no_word_of_a_proof_can_be_changed(path: tuple[Any, ...], tmp_path: Path) -> None:
    def edit(lines: list[Line]) -> None:
        at = lines[FIRST]["proof"]
        for name in path[:-1]:
            at = at[name]
        old = at[path[-1]]
        at[path[-1]] = old + 1 if isinstance(old, int) else ("B" if old[0] == "A" else "A") + old[1:]

    report = judged(spoiled(edit), tmp_path)
    assert int(report.exit_code) == 1
    assert {"AS302", "AS303", "AS306", "AS307"} & {finding.code for finding in report.findings}
