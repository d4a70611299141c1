"""The form of an Agentic Saga trace 1.0: which members a header and an event have, and what they may hold.

Source: the schema that project publishes; members it does not name are refused there and here.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agent_saga.certify.importers.document import Document, Element
from agent_saga.certify.importers.synthetic import instant
from agent_saga.certify.source import Fault

VERSION: Final = "1.0"

Test = tuple[Callable[[Any], bool], str]
"""A test of a member and the words for what it expects."""


def _pattern(pattern: str) -> Test:
    match = re.compile(pattern, re.ASCII).fullmatch
    return (lambda value: isinstance(value, str) and bool(match(value)), f"a string like {pattern}")


def _optional(test: Test) -> Test:
    return (lambda value: value is None or test[0](value), f"{test[1]}, or null")


_NAME: Final[Test] = (lambda value: isinstance(value, str) and 0 < len(value) <= 500, "1-500 characters")
_TIME: Final[Test] = (lambda value: instant(value) is not None, "an RFC 3339 time")
_COUNT: Final[Test] = (lambda value: type(value) is int and 0 <= value < 2**53, "a whole number")
_OBJECT: Final[Test] = (lambda value: isinstance(value, dict), "an object")
_DIGEST: Final = _pattern("[a-f0-9]{64}")
_OPERATION: Final = _pattern("op_[a-f0-9]{64}")
_SEQ: Final[Test] = (lambda value: type(value) is int and 1 <= value < 2**53, "1, 2, 3 ...")

EVENT: Final[Mapping[str, Test]] = {
    "event_id": _pattern("evt_[a-z0-9]{16,64}"),
    "saga_seq": _SEQ,
    "recorded_at": _TIME,
    "authority": _NAME,
    "event_type": _NAME,
    "actor": _NAME,
    "trace_id": _NAME,
    "definition_version": _NAME,
    "fence_token": _optional(_COUNT),
    "before_status": _optional(_NAME),
    "after_status": _NAME,
    "operation_id": _optional(_OPERATION),
    "step_instance_id": _optional(_pattern("step_[a-z0-9]{8,64}")),
    "direction": _optional(_pattern("forward|compensation")),
    "semantic_generation": _optional(_COUNT),
    "attempt": _optional(_SEQ),
    "tool_name": _optional(_NAME),
    "compensates_operation_id": _optional(_OPERATION),
    "redacted_input": _optional(_OBJECT),
    "redacted_output": _optional(_OBJECT),
    "rationale": _OBJECT,
    "policy_decision": _optional(_OBJECT),
    "receipt": _optional(_OBJECT),
    "correlation": _optional(_NAME),
    "input_hash": _optional(_DIGEST),
    "output_hash": _optional(_DIGEST),
}
"""Members of an event. One that may be null may also be absent."""

HEADER: Final[Mapping[str, Test]] = {
    "schema_version": _NAME,
    "run_id": _pattern("trace_[a-z0-9]{16,64}"),
    "saga_id": _pattern("saga_[a-z0-9]{16,64}"),
    "definition_version": _NAME,
    "started_at": _TIME,
    "finished_at": _optional(_TIME),
    "outcome": _NAME,
    "proofs": (lambda value: isinstance(value, list), "an array"),
    "final_projection_hash": _DIGEST,
}

STATUS: Final[Mapping[str, str]] = {
    "succeeded_verified": "succeeded_verified",
    "compensated_verified": "compensated_verified",
    "aborted_clean": "aborted_clean",
    "resolved_with_exception": "closed_with_exceptions",
}
"""Terminal statuses, and what they are called in our events."""

FOUND: Final[Mapping[str, str]] = {
    "reconcile_effect_confirmed": "landed",
    "reconcile_no_effect_confirmed": "absent",
    "pending": "unresolved",
    "conflict": "unresolved",
    "unsupported": "unresolved",
    "reconcile_pending": "unresolved",
    "reconcile_conflict": "unresolved",
    "reconcile_unsupported": "unresolved",
}
"""What a reconciliation's ``redacted_output.kind`` says was found."""

OUTCOME: Final[Mapping[str, str]] = {
    "effect_confirmed": "succeeded",
    "no_effect_confirmed": "failed",
    "outcome_unknown": "unknown",
}
"""What an outcome's ``redacted_output.kind`` says became of the call."""


def check_header(document: Document) -> Iterator[Fault]:
    """Faults of the header's form (AS102)."""
    for message in _faults({**document.members, "events": []}, {**HEADER, "events": (lambda _: True, "")}):
        name = message.split("'", 2)[1]
        yield Fault(document.lines.get(name, 1), "AS102", message, what="header", subject=f"header {name}")
    if "events" not in document.lines:
        yield Fault(1, "AS102", "member 'events' is missing", what="header", subject="header events")
    elif "events" in document.members:
        yield Fault(document.lines["events"], "AS102", "member 'events' is no array", what="header")


def check_event(element: Element) -> Iterator[Fault]:
    """Faults of an event's form (AS102); an event with one is not translated."""
    if not isinstance(element.value, dict):
        yield Fault(element.line, "AS102", "an event is not an object", what="event")
        return
    for message in _faults(element.value, EVENT):
        yield Fault(element.line, "AS102", message, what=_what(element.value))


def completed(element: Element) -> Element:
    """The event with every member that it may leave out, as null."""
    return Element(element.line, dict.fromkeys(EVENT) | element.value)


def _what(event: dict[str, Any]) -> str:
    name = event.get("event_type")
    return name[:80] if isinstance(name, str) else "event"


def _faults(found: Mapping[str, Any], form: Mapping[str, Test]) -> Iterator[str]:
    for name in found:
        if name not in form:
            near = difflib.get_close_matches(name[:80], list(form), n=1)
            yield f"unknown member {name[:80]!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    for name, (test, says) in form.items():
        if name not in found and not test(None):
            yield f"member {name!r} is missing"
        elif name in found and not test(found[name]):
            yield f"member {name!r} is not {says}"
