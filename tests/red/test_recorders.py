"""An Agentic Saga trace whose events were renamed, left out or changed is not certified, digests recomputed or not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.importers.agentic_saga.form import FOUND, OUTCOME
from agent_saga.certify.importers.agentic_saga.integrity import _KINDS, digest, event_id
from agent_saga.certify.run import certify

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "fixtures/sources/agentic-saga/good"
Trace = dict[str, Any]
TRACES: dict[str, Trace] = {
    name: json.loads((GOOD / f"{name}.json").read_text("utf-8")) for name in ("booked", "undone_asked")
}
TOLD = ("effect_outcome_recorded", "compensation_outcome_recorded", "reconciliation_recorded")
CALLS = [
    (name, at)
    for name, trace in TRACES.items()
    for at, event in enumerate(trace["events"])
    if event["event_type"] in TOLD
]


def judged(folder: Path, trace: Trace) -> tuple[int, set[str]]:
    """Exit code, and codes of what is found."""
    path = folder / "trace.json"
    path.write_text(json.dumps(trace), "utf-8")
    report = certify([str(path)])
    return int(report.exit_code), {one.code for one in report.findings}


def changed(name: str, at: int, **said: Any) -> Trace:
    """The trace with one event changed, and all digests, ids and copies as its writer could make them."""
    trace = copy.deepcopy(TRACES[name])
    event = trace["events"][at] | said
    event["event_id"] = event_id(trace["saga_id"], _KINDS.get(event["event_type"], (event["event_type"],))[0], at + 1)
    for value, bound in (("redacted_input", "input_hash"), ("redacted_output", "output_hash")):
        event[bound] = digest(event[value]) if event[value] is not None else None
    if "arguments" in event["rationale"]:
        event["rationale"]["arguments"] = event["redacted_input"]
    trace["events"][at] = event
    return trace


@pytest.mark.parametrize("name", TRACES)
def test_the_traces_are_sound_as_they_are(name: str, tmp_path: Path) -> None:
    assert judged(tmp_path, TRACES[name]) == (0, set())
    assert judged(tmp_path, changed(name, 2)) == (0, set())


@pytest.mark.parametrize(
    "kind", ["read_observed", "invariant_evaluated", "status_changed", "agent_turn_failed", "read_started"]
)
@pytest.mark.parametrize(("name", "at"), CALLS)
def test_an_outcome_by_another_name_hides_no_call(name: str, at: int, kind: str, tmp_path: Path) -> None:
    code, found = judged(tmp_path, changed(name, at, event_type=kind))
    assert code == 1
    assert "AS102" in found


@pytest.mark.parametrize("amount", [1, 11999, 12001, -12000, 0, "12000", None, 12000.5])
def test_events_of_one_operation_that_differ_in_the_amount_are_found(amount: object, tmp_path: Path) -> None:
    events, tried = TRACES["undone_asked"]["events"], 0
    for at, event in enumerate(events):
        told = [one for one in events if one["correlation"] == event["operation_id"] is not None]
        if event["event_type"] == "compensation_outcome_recorded" and told:
            spoiled = changed("undone_asked", at, redacted_input=event["redacted_input"] | {"amount_minor": amount})
            code, found = judged(tmp_path, spoiled)
            assert code == 1
            assert "AS601" in found
            tried += 1
    assert tried


@pytest.mark.parametrize("member", ["tool_name", "redacted_input"])
def test_events_of_one_operation_that_differ_are_found(member: str, tmp_path: Path) -> None:
    events = TRACES["undone_asked"]["events"]
    at = next(n for n, event in enumerate(events) if event["event_type"] == "reconciliation_recorded")
    other: Any = "another_tool" if member == "tool_name" else events[at]["redacted_input"] | {"guest": "guest_8"}
    code, found = judged(tmp_path, changed("undone_asked", at, **{member: other}))
    assert code == 1
    assert "AS601" in found


@pytest.mark.parametrize(("name", "at"), CALLS)
def test_no_event_about_a_call_can_be_left_out(name: str, at: int, tmp_path: Path) -> None:
    trace = copy.deepcopy(TRACES[name])
    del trace["events"][at]
    assert judged(tmp_path, trace)[0] == 1


def test_there_is_an_outcome_of_every_kind_to_rename() -> None:
    kinds = {TRACES[name]["events"][at]["redacted_output"]["kind"] for name, at in CALLS}
    assert kinds & OUTCOME.keys()
    assert kinds & FOUND.keys()
