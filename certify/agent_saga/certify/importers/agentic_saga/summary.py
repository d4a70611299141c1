"""What an Agentic Saga document says about itself, compared with its events: header, times, outcome and proofs."""

from collections.abc import Iterator
from typing import Any, Final

from agent_saga.certify.importers.agentic_saga.integrity import run_id
from agent_saga.certify.importers.document import Document, Element
from agent_saga.certify.importers.synthetic import instant
from agent_saga.certify.source import Fault

TERMINAL: Final = ("succeeded_verified", "compensated_verified", "aborted_clean", "resolved_with_exception")


def check_summary(document: Document, events: list[Element]) -> Iterator[Fault]:
    """Faults where the summary contradicts the events (AS502) or its ids do not fit (AS601). Sound events only."""
    if not events:
        return
    for name, code, message in _contradictions(document.members, events):
        saga = str(document.members.get("saga_id"))
        yield Fault(document.lines.get(name, 1), code, message, saga, subject=f"header {name}", what=f"header {name}")


def _contradictions(header: dict[str, Any], events: list[Element]) -> Iterator[tuple[str, str, str]]:
    first, last = events[0].value, events[-1].value
    saga, run = header.get("saga_id"), header.get("run_id")
    if any(event.value["actor"] == "temporal_workflow" for event in events) and run != run_id(str(saga)):
        yield "run_id", "AS601", f"run_id {run!s:.40} is not that of saga_id {saga!s:.80}: one of the two was changed"
    outcome, ended = header.get("outcome"), last["after_status"]
    if outcome != ended:
        yield "outcome", "AS502", f"outcome is {outcome!s:.40}, but the last event leaves the saga {ended[:40]}"
    if instant(header.get("started_at")) != instant(first["recorded_at"]):
        yield "started_at", "AS502", "started_at is not the time of the first event"
    finished = last["recorded_at"] if ended in TERMINAL else None
    if instant(header.get("finished_at")) != instant(finished):
        says = "the time of the last event" if finished else "null, for the saga has not ended"
        yield "finished_at", "AS502", f"finished_at is {header.get('finished_at')!s:.40}; expected {says}"
    yield from _proofs(header.get("proofs"), {event.value["saga_seq"]: event.value for event in events})


def _proofs(proofs: Any, events: dict[int, dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for number, proof in enumerate(proofs if isinstance(proofs, list) else [], 1):
        if not isinstance(proof, dict):
            yield "proofs", "AS102", f"proof {number} is not an object"
            continue
        seq = proof.get("source_event_seq")
        event = events.get(seq) if type(seq) is int else None
        if event is None or event["event_id"] != proof.get("source_event_id"):
            yield "proofs", "AS502", f"proof {number} names an event that is not in the trace"
        elif event["event_type"] != "invariant_evaluated":
            yield "proofs", "AS502", f"proof {number} rests on a {event['event_type'][:40]}, which proves nothing"
        elif (proof.get("result") == "valid") != _holds(event, proof.get("rule_id")):
            yield "proofs", "AS502", f"proof {number} says {proof.get('result')!s:.20}, its event says the opposite"


def _holds(event: dict[str, Any], rule: object) -> bool:
    results = event["rationale"].get("results")
    return isinstance(results, dict) and isinstance(rule, str) and results.get(rule) is True
