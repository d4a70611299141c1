"""Writes fixtures/sources/agentic-saga/: traces in the format of Agentic Saga 1.0, of a hotel's bookings.

Run: python tests/importers/make_agentic_saga.py
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "sources" / "agentic-saga"
VERSION = "hotel-v1"
ROOM = {"guest": "guest_7", "room": "double"}
CARD = {"amount_minor": 12000, "currency": "EUR", "guest": "guest_7"}
KINDS = {
    "agent_decision_recorded": "agent_decision",
    "compensation_outcome_recorded": "compensation_result",
    "compensation_started": "status_changed",
    "effect_outcome_recorded": "forward_result",
    "human_required": "status_changed",
    "invariant_evaluated": "forward_result",
    "reconciliation_recorded": "reconciliation_result",
    "saga_started": "started",
    "terminal_assigned": "status_changed",
}
AUTHORITY = {"agent": "agent_driver", "workflow": "temporal_workflow"}
MEMBERS = [
    "event_id",
    "saga_seq",
    "recorded_at",
    "authority",
    "event_type",
    "actor",
    "trace_id",
    "definition_version",
    "fence_token",
    "before_status",
    "after_status",
    "operation_id",
    "step_instance_id",
    "direction",
    "semantic_generation",
    "attempt",
    "tool_name",
    "compensates_operation_id",
    "redacted_input",
    "redacted_output",
    "rationale",
    "policy_decision",
    "receipt",
    "correlation",
    "input_hash",
    "output_hash",
]


def digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


class Recorder:
    """Records one saga as that project's recorder on Temporal does."""

    def __init__(self, name: str) -> None:
        self.saga = "saga_" + digest(name)
        self.run = "trace_" + digest({"domain": "agentic-saga:temporal-trace:v1", "saga_id": self.saga})[:32]
        self.events: list[dict[str, Any]] = []
        self.status: str | None = None
        self._add("saga_started", "workflow", "running", rationale={"goal_id": "book_a_stay"})

    def _add(self, kind: str, authority: str, status: str | None = None, **said: Any) -> dict[str, Any]:
        seq = len(self.events) + 1
        after = status or self.status
        internal = KINDS.get(kind, kind)
        event = dict.fromkeys(MEMBERS) | {
            "event_id": "evt_" + digest({"kind": internal, "saga_id": self.saga, "seq": seq})[:32],
            "saga_seq": seq,
            "recorded_at": f"2026-02-01T09:00:{seq:02d}Z",
            "authority": authority,
            "event_type": kind,
            "actor": AUTHORITY.get(authority, "registered_tool"),
            "trace_id": self.run,
            "definition_version": VERSION,
            "before_status": self.status,
            "after_status": after,
        }
        event |= said
        seal(event)
        self.status = after
        self.events.append(event)
        return event

    def operation(self, step: str, direction: str) -> str:
        material = {
            "direction": direction,
            "domain": "agentic-saga:temporal-activity:v1",
            "saga_id": self.saga,
            "semantic_generation": 0,
            "step_instance_id": step,
        }
        return "op_" + digest(material)

    def decide(self, tool: str | None, accepted: bool = True) -> str:
        """The agent chooses; returns the id of the step."""
        number = len(self.events)
        said = {"accepted": accepted, "proposal_id": f"proposal_{number:08d}", "tool_name": tool}
        said["proposal_kind"] = "tool_call" if tool else "finish"
        self._add("agent_decision_recorded", "agent", tool_name=tool, rationale=said)
        return f"step_{number:08d}"

    def call(self, step: str, tool: str, given: dict[str, Any], found: str, undoes: str | None = None) -> str:
        """An outcome of an effect, or of an undo: succeeded, failed or unresolved. Returns the operation id."""
        direction = "compensation" if undoes else "forward"
        own = self.operation(step, direction)
        kinds = {"succeeded": "effect_confirmed", "failed": "no_effect_confirmed", "unresolved": "outcome_unknown"}
        receipt = {"receipt_ref": f"opaque://hotel/{digest([own, found])}/v1"} if found == "succeeded" else None
        said = self._said(own, step, tool, given, receipt) | {"outcome": found, "compensates_operation_id": undoes}
        self._add(
            "compensation_outcome_recorded" if undoes else "effect_outcome_recorded",
            "compensation" if undoes else "effect",
            **self._operation(own, step, direction, tool, given, kinds[found], receipt),
            compensates_operation_id=undoes,
            rationale=said,
        )
        return own

    def reconcile(self, step: str, tool: str, given: dict[str, Any], found: str, undoes: str | None = None) -> None:
        """The provider is asked. For an undo the event carries the forward id, and the undo's id as correlation."""
        direction = "compensation" if undoes else "forward"
        forward, own = self.operation(step, "forward"), self.operation(step, direction)
        kinds = {
            "confirmed_effect": "reconcile_effect_confirmed",
            "confirmed_no_effect": "reconcile_no_effect_confirmed",
        }
        receipt = {"receipt_ref": f"opaque://hotel/{digest([own, found])}/v1"} if found == "confirmed_effect" else None
        said = self._said(forward, step, tool, given, receipt)
        said |= {"outcome": found, "direction": direction, "correlation_id": own, "compensates_operation_id": undoes}
        self._add(
            "reconciliation_recorded",
            "effect",
            **self._operation(forward, step, direction, tool, given, kinds.get(found, found), receipt),
            compensates_operation_id=undoes,
            correlation=own,
            rationale=said,
        )

    def _said(self, own: str, step: str, tool: str, given: dict[str, Any], receipt: Any) -> dict[str, Any]:
        return {
            "arguments": given,
            "operation_id": own,
            "public_receipt": receipt,
            "semantic_generation": 0,
            "step_instance_id": step,
            "tool_name": tool,
        }

    def _operation(
        self, own: str, step: str, direction: str, tool: str, given: Any, kind: str, receipt: Any
    ) -> dict[str, Any]:
        output = {"kind": kind} | ({"receipt": receipt} if receipt else {"reason_code": "reply_lost"})
        return {
            "operation_id": own,
            "step_instance_id": step,
            "direction": direction,
            "semantic_generation": 0,
            "tool_name": tool,
            "redacted_input": given,
            "redacted_output": output,
            "receipt": receipt,
        }

    def check(self, step: str, tool: str, passed: bool) -> None:
        said = {"all_passed": passed, "invariant_version": "v1", "results": {tool: passed}, "rule_id": tool}
        said["target_status"] = "succeeded_verified"
        own = self._operation(self.operation(step, "forward"), step, "forward", tool, ROOM, "read_observed", None)
        own["redacted_output"] = {"kind": "read_observed", "verified": passed}
        self._add("invariant_evaluated", "proof", **own, rationale=said)

    def roll_back(self) -> None:
        self._add("compensation_started", "workflow", "compensating", rationale={"status": "compensating"})

    def rolled_back(self, *operations: str) -> None:
        said = {"compensated_operation_ids": list(operations), "order": "reverse_forward"}
        self._add("compensation_completed", "workflow", rationale=said)

    def wait(self) -> None:
        said = {"reason_code": "provider_reconciliation_unsupported", "status": "human_required"}
        self._add("human_required", "workflow", "human_required", rationale=said)

    def end(self, status: str) -> None:
        self._add("terminal_assigned", "workflow", status, rationale={"reason_code": None, "status": status})

    def document(self) -> dict[str, Any]:
        last, proofs = self.events[-1], [proof(e) for e in self.events if e["event_type"] == "invariant_evaluated"]
        return {
            "schema_version": "1.0",
            "run_id": self.run,
            "saga_id": self.saga,
            "definition_version": VERSION,
            "started_at": self.events[0]["recorded_at"],
            "finished_at": last["recorded_at"] if last["event_type"] == "terminal_assigned" else None,
            "outcome": last["after_status"],
            "events": self.events,
            "proofs": proofs,
            "final_projection_hash": digest("the recorder's state"),
        }


def seal(event: dict[str, Any]) -> None:
    """Compute both digests of an event."""
    for value, name in (("redacted_input", "input_hash"), ("redacted_output", "output_hash")):
        event[name] = None if event[value] is None else digest(event[value])


def proof(event: dict[str, Any]) -> dict[str, Any]:
    return {
        "source_event_id": event["event_id"],
        "source_event_seq": event["saga_seq"],
        "invariant_version": "v1",
        "evaluated_at_seq": event["saga_seq"] - 1,
        "target_status": "succeeded_verified",
        "rule_id": event["rationale"]["rule_id"],
        "inputs": None,
        "result": "valid" if event["rationale"]["all_passed"] else "invalid",
        "explanation": "ledger_recorded_invariant_result",
    }


def _forward(recorder: Recorder, lost: bool = False) -> tuple[tuple[str, str], tuple[str, str]]:
    """A room and a card: steps and operations of both. lost: the reply about the card was lost, and asked for."""
    room = recorder.decide("hold_room")
    first = recorder.call(room, "hold_room", ROOM, "succeeded")
    card = recorder.decide("charge_card")
    second = recorder.call(card, "charge_card", CARD, "unresolved" if lost else "succeeded")
    if lost:
        recorder.reconcile(card, "charge_card", CARD, "confirmed_effect")
    return (room, first), (card, second)


def booked(lost: bool = False) -> dict[str, Any]:
    recorder = Recorder("booked" if not lost else "asked")
    _forward(recorder, lost)
    recorder.check(recorder.decide("check_stay"), "check_stay", True)
    recorder.decide(None)
    recorder.end("succeeded_verified")
    return recorder.document()


def undone(lost: bool = False) -> dict[str, Any]:
    """The stay could not be confirmed, so both are undone. lost: the reply about the refund was lost, and asked for."""
    recorder = Recorder("undone" if not lost else "undone-asked")
    (room, first), (card, second) = _forward(recorder)
    recorder.check(recorder.decide("check_stay"), "check_stay", False)
    recorder.roll_back()
    if lost:
        recorder.reconcile(card, "refund_card", CARD, "confirmed_effect", second)
    recorder.call(card, "refund_card", CARD, "succeeded", second)
    recorder.call(room, "release_room", ROOM, "succeeded", first)
    recorder.rolled_back(second, first)
    recorder.end("compensated_verified")
    return recorder.document()


def waiting() -> dict[str, Any]:
    recorder = Recorder("waiting")
    _, (card, second) = _forward(recorder)
    recorder.roll_back()
    recorder.reconcile(card, "refund_card", CARD, "unsupported", second)
    recorder.call(card, "refund_card", CARD, "unresolved", second)
    recorder.wait()
    return recorder.document()


def refused() -> dict[str, Any]:
    """The first call is proven to have had no effect, and the saga ends with nothing done."""
    recorder = Recorder("refused")
    recorder.call(recorder.decide("hold_room"), "hold_room", ROOM, "failed")
    recorder.end("aborted_clean")
    return recorder.document()


def find(document: dict[str, Any], tool: str, kind: str = "outcome_recorded") -> dict[str, Any]:
    """The first event of a kind about a tool."""
    return next(e for e in document["events"] if e["tool_name"] == tool and e["event_type"].endswith(kind))


def short_refund() -> dict[str, Any]:
    """Less is given back than was taken; every digest and copy agrees with it."""
    document = copy.deepcopy(undone())
    event = find(document, "refund_card")
    event["redacted_input"] = event["rationale"]["arguments"] = CARD | {"amount_minor": 1200}
    seal(event)
    return document


def dropped(tool: str = "refund_card") -> dict[str, Any]:
    """An event is deleted and those behind it are renumbered."""
    document = copy.deepcopy(undone())
    document["events"].remove(find(document, tool))
    for number, event in enumerate(document["events"], 1):
        event["saga_seq"] = number
    return document


GOOD: dict[str, Callable[[], dict[str, Any]]] = {
    "asked": lambda: booked(lost=True),
    "booked": booked,
    "refused": refused,
    "undone": undone,
    "undone_asked": lambda: undone(lost=True),
}
BAD: dict[str, Callable[[], dict[str, Any]]] = {
    "refund_dropped": dropped,
    "refund_short": short_refund,
    "waiting_for_person": waiting,
}


def text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Every file of the folder and its text."""
    good = {f"good/{name}.json": text(make()) for name, make in GOOD.items()}
    runs = [
        {"id": Path(name).stem, "trace_ref": Path(name).name, "trace_sha256": sha256(body.encode()).hexdigest()}
        for name, body in good.items()
    ]
    index = {"good/index.json": text({"schema_version": "1.0", "runs": runs})}
    return good | index | {f"bad/{name}.json": text(make()) for name, make in BAD.items()}


if __name__ == "__main__":
    for name, body in files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body.encode())
