"""What binds an Agentic Saga event: digests of its values, ids that are digests of what they name, and its place.

``input_hash`` and ``output_hash`` are SHA-256 over canonical JSON (sorted names, compact, non-ASCII kept) of
``redacted_input`` and ``redacted_output``. The recorder on Temporal derives its ids::

    run_id       = trace_ + SHA-256({"domain": "agentic-saga:temporal-trace:v1", "saga_id"})[:32]
    event_id     = evt_   + SHA-256({"kind", "saga_id", "seq"})[:32]
    operation_id = op_    + SHA-256({"direction", "domain": "agentic-saga:temporal-activity:v1", "saga_id",
                                     "semantic_generation", "step_instance_id"})

so an event that was renumbered or moved no longer has its own id. The kernel's recorder draws its ids at random.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.importers.agentic_saga.form import OUTCOME
from agent_saga.certify.importers.document import Element
from agent_saga.certify.importers.strict_json import canonical
from agent_saga.certify.importers.synthetic import instant
from agent_saga.certify.source import Fault

REDACTED: Final = "[REDACTED]"

_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "agent_decision_recorded": ("agent_decision",),
    "compensation_outcome_recorded": ("compensation_result",),
    "compensation_started": ("status_changed",),
    "effect_outcome_recorded": ("forward_result",),
    "human_required": ("status_changed",),
    "invariant_evaluated": ("forward_result", "compensation_verified"),
    "read_observed": ("forward_result",),
    "reconciliation_recorded": ("reconciliation_result",),
    "saga_started": ("started",),
    "terminal_assigned": ("status_changed",),
}
"""The recorder's internal kinds behind each event type; a type not listed is its own kind."""

_COPIES: Final = {
    "arguments": "redacted_input",
    "compensates_operation_id": "compensates_operation_id",
    "correlation_id": "correlation",
    "direction": "direction",
    "operation_id": "operation_id",
    "public_receipt": "receipt",
    "semantic_generation": "semantic_generation",
    "step_instance_id": "step_instance_id",
    "tool_name": "tool_name",
}
"""Members of ``rationale`` that repeat a member of their event."""

_OUTCOMES: Final = {
    "succeeded": ("effect_confirmed", "read_observed"),
    "failed": ("no_effect_confirmed", "read_observed"),
    "unresolved": ("outcome_unknown",),
    "confirmed_effect": ("reconcile_effect_confirmed",),
    "confirmed_no_effect": ("reconcile_no_effect_confirmed",),
}
"""What ``rationale.outcome`` says, and the ``redacted_output.kind`` that goes with it."""


_CALLS: Final = ("effect_outcome_recorded", "compensation_outcome_recorded", "dispatch_aborted_before_entry")
_ASKED: Final = "reconcile_"
_DESCRIBED: Final = ("tool_name", "step_instance_id", "redacted_input")
"""What all events about one operation say alike."""


def digest(value: Any) -> str:
    """SHA-256 over canonical JSON, lower-case hex: the digest of this format."""
    return sha256(canonical(value)).hexdigest()


def run_id(saga: str) -> str:
    """The run id that the recorder on Temporal gives the trace of this saga."""
    return "trace_" + digest({"domain": "agentic-saga:temporal-trace:v1", "saga_id": saga})[:32]


def event_id(saga: str, kind: str, seq: int) -> str:
    """The id that the recorder on Temporal gives an event of this kind at this place."""
    return "evt_" + digest({"kind": kind, "saga_id": saga, "seq": seq})[:32]


def operation_id(saga: str, step: str, direction: str, generation: int) -> str:
    """The id, and idempotency key, of an operation in the recorder on Temporal."""
    material = {
        "direction": direction,
        "domain": "agentic-saga:temporal-activity:v1",
        "saga_id": saga,
        "semantic_generation": generation,
        "step_instance_id": step,
    }
    return "op_" + digest(material)


class Integrity:
    """Checks the events of one trace, one after the other."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.header = header
        self.saga = str(header.get("saga_id"))
        self.derived = header.get("run_id") == run_id(self.saga)
        self.seq = 0
        self.status: object = None
        self.seen: set[object] = set()
        self.operations: dict[str, dict[str, Any]] = {}
        """What was said of each operation so far."""
        self.at = ""
        self.begun = ""
        """Type of the event that began the saga; "" before the first event."""

    def check(self, element: Element) -> Iterator[Fault]:
        """Faults of one event; an event that is no object gives none here."""
        event = element.value
        if not isinstance(event, dict):
            self.seq += 1
            return
        for code, subject, message in self._checks(event):
            what = f"{str(event.get('event_type'))[:80]} saga_seq {str(event.get('saga_seq'))[:20]}"
            yield Fault(element.line, code, message, self.saga, subject=subject, what=what)

    def _checks(self, event: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        name = f"event {str(event.get('saga_seq'))[:20]}"
        for message in self._first(event.get("event_type")):
            yield "AS106", "first line", message
        for message in self._clock(instant(event.get("recorded_at"))):
            yield "AS108", "clock", message
        for message in self._place(event):
            yield "AS105", name, message
        for message in (*self._run(event), *_told(event)):
            yield "AS102", name, message
        for message in (*_digests(event), *_copies(event), *self._operation(event), *self._described(event)):
            yield "AS601", name, message

    def _first(self, kind: object) -> Iterator[str]:
        """The saga begins once. The kernel's recorder writes saga_created, then saga_started."""
        begins = kind in ("saga_created", "saga_started")
        before, self.begun = self.begun, self.begun or str(kind)
        if not before and not begins:
            yield f"the trace begins with {kind!s:.80}; expected saga_started: its beginning is cut off"
        elif before and begins and not (before == "saga_created" and kind == "saga_started"):
            yield f"the saga begins again, with {kind}"

    def _clock(self, at: str | None) -> Iterator[str]:
        if at is not None:
            if at < self.at:
                yield f"recorded_at {at} is before {self.at}, the time of the event before"
            self.at = at

    def _place(self, event: dict[str, Any]) -> Iterator[str]:
        seq, expected = event.get("saga_seq"), self.seq + 1
        self.seq = seq if type(seq) is int else expected
        if seq != expected:
            yield f"saga_seq is {str(seq)[:20]}; expected {expected}"
        before, status = event.get("before_status"), self.status
        self.status = event.get("after_status")
        if before != status:
            yield f"before_status is {before!s:.40}, but the event before left the saga {status!s:.40}: one is missing"
        own = event.get("event_id")
        if isinstance(own, str) and own in self.seen:
            yield f"event_id {own[:80]} stands twice"
        elif isinstance(own, str):
            self.seen.add(own)
            yield from self._own_id(event, own)

    def _own_id(self, event: dict[str, Any], own: str) -> Iterator[str]:
        kind, seq = event.get("event_type"), event.get("saga_seq")
        if self._by_temporal(event) and isinstance(kind, str) and type(seq) is int:
            kinds = _KINDS.get(kind, (kind,))
            if own not in [event_id(self.saga, name, seq) for name in kinds]:
                yield f"event_id {own[:80]} is not that of a {kind[:80]} at saga_seq {seq}: it was renumbered or moved"

    def _by_temporal(self, event: dict[str, Any]) -> bool:
        return self.derived or event.get("actor") == "temporal_workflow"

    def _run(self, event: dict[str, Any]) -> Iterator[str]:
        for name, header in (("trace_id", "run_id"), ("definition_version", "definition_version")):
            if event.get(name) != self.header.get(header):
                yield f"{name} is {event.get(name)!s:.80}, but the header's {header} is {self.header.get(header)!s:.80}"

    def _described(self, event: dict[str, Any]) -> Iterator[str]:
        """All events about one operation name one tool, step and input: whoever changes one of them is told."""
        own = _named(event)
        known = self.operations.setdefault(own, {}) if own else {}
        for name in _DESCRIBED if own else ():
            found = event.get(name)
            if found is None:
                continue
            before = known.setdefault(name, found)
            if not (_same(before, found) or _same(found, before)):
                yield f"{name} of operation {own[:20]}... is not what an earlier event about it has: one was changed"

    def _operation(self, event: dict[str, Any]) -> Iterator[str]:
        step, direction = event.get("step_instance_id"), event.get("direction")
        generation, own = event.get("semantic_generation"), event.get("operation_id")
        if event.get("event_type") == "reconciliation_recorded" or not self._by_temporal(event):
            return
        if not (isinstance(step, str) and isinstance(direction, str) and type(generation) is int and own):
            return
        if own != operation_id(self.saga, step, direction, generation):
            yield f"operation_id {own!s:.20}... is not that of {direction} {step[:80]} in saga {self.saga[:80]}"


def _named(event: dict[str, Any]) -> str:
    """The operation that an event is about; of an undo that was asked for, ``correlation`` has it. "" for none."""
    own, undo = event.get("operation_id"), event.get("direction") == "compensation"
    if undo and own == event.get("compensates_operation_id"):
        own = event.get("correlation")
    return own if isinstance(own, str) else ""


def _told(event: dict[str, Any]) -> Iterator[str]:
    """What became of a call is told by an event that is about that; as another one it would hide the call."""
    output, kind = event.get("redacted_output"), event.get("event_type")
    said = output.get("kind") if isinstance(output, dict) else None
    if not isinstance(said, str):
        return
    asked = said.startswith(_ASKED) and kind != "reconciliation_recorded"
    if asked or (said in OUTCOME and kind not in _CALLS):
        yield f"a {kind!s:.40} says {said:.40} of a call, as only an outcome or a reconciliation does"


def _digests(event: dict[str, Any]) -> Iterator[str]:
    for value, name in (("redacted_input", "input_hash"), ("redacted_output", "output_hash")):
        given, found = event.get(name), event.get(value)
        if found is None and given is not None:
            yield f"{name} is given, but {value} is not"
        elif found is not None and given is None:
            yield f"{value} has no {name}"
        elif found is not None and given != digest(found):
            yield f"{value} does not match its {name}: its SHA-256 is {digest(found)[:16]}..., not {given!s:.16}..."


def _copies(event: dict[str, Any]) -> Iterator[str]:
    rationale, output = event.get("rationale"), event.get("redacted_output")
    if not isinstance(rationale, dict):
        return
    for copy, original in _COPIES.items():
        if copy in rationale and not _same(rationale[copy], event.get(original)):
            yield f"rationale.{copy} is not {original}: one of the two was changed"
    said, kind = rationale.get("outcome"), output.get("kind") if isinstance(output, dict) else None
    if isinstance(said, str) and isinstance(kind, str) and kind not in _OUTCOMES.get(said, (said, f"reconcile_{said}")):
        yield f"rationale.outcome is {said[:40]}, but redacted_output.kind is {kind[:40]}"


def _same(copy: Any, original: Any) -> bool:
    """Equal as JSON. A copy is redacted once more than the original, so a placeholder in it stands for anything."""
    written = canonical(copy)
    return REDACTED.encode() in written or written == canonical(original)
