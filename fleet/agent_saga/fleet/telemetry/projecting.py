"""From the events of a trace to spans. Pure: the same events give the same spans, whoever asks and whenever.

A saga is one OpenTelemetry trace. Its root span lasts from saga.started to saga.ended; each attempt of a call, forward
or undo, is a span ``execute_tool``; what people were waited for is a span; a check is one without duration. Arguments
and results are left out unless they are asked for, and then nothing concealed and no credential is shown.

Source: docs/guide/telemetry.md; W3C Trace Context (ids).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from msgspec import to_builtins

from agent_saga.fleet.telemetry import names as n
from agent_saga.trace.events import Event
from agent_saga.trace.instants import micros
from agent_saga.trace.values import dumps, scan

__all__ = ["Projector", "Span", "measured"]

Value = str | int | bool


@dataclass(frozen=True, slots=True)
class Span:
    """A span that has ended. trace, span, parent: hex of 16, 8 and 8 bytes; parent "" for a root. start, end:
    nanoseconds since 1970, UTC. error: "" where there is none. links: pairs of trace and span."""

    name: str
    trace: str
    span: str
    parent: str
    start: int
    end: int
    error: str = ""
    attributes: Mapping[str, Value] = field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Saga:
    """A saga that has not ended. calls: begun and not answered, by effect or undo. lost: answered as unknown.

    waits: since when, by step; "" for a pause.
    """

    name: str
    began: int
    attributes: dict[str, Value]
    links: tuple[tuple[str, str], ...] = ()
    calls: dict[str, Any] = field(default_factory=dict)
    lost: dict[str, tuple[Any, int]] = field(default_factory=dict)
    waits: dict[str, int] = field(default_factory=dict)
    seen: int = 0


_EPOCH: Final = micros("1970-01-01T00:00:00.000000Z")
_CALLS: Final = frozenset({"effect.intended", "undo.intended"})
_SAID: Final = frozenset({"succeeded", "failed", "unknown"})


class Projector:
    """Takes events in the order of the log; gives each span as soon as it has ended. arguments: show them."""

    def __init__(self, *, arguments: bool = False) -> None:
        self._arguments = arguments
        self._open: dict[str, _Saga] = {}

    def take(self, event: Event) -> list[Span]:
        """The spans that end with this event; none for a saga whose beginning was not seen."""
        if event.type == "saga.started":
            self._begin(event)
            return []
        saga = self._open.get(event.saga)
        if saga is None:
            return []
        saga.seen = _nanoseconds(event.at)
        return list(self._spans(event, saga))

    @property
    def open(self) -> int:
        """Sagas that have not ended."""
        return len(self._open)

    def _begin(self, event: Any) -> None:
        attributes: dict[str, Value] = {n.OPERATION: n.INVOKE_WORKFLOW, n.WORKFLOW: event.name, n.SAGA: event.saga}
        attributes |= {n.AGENT: event.agent} if event.agent else {}
        links: tuple[tuple[str, str], ...] = ()
        if event.parent is not None:
            links = ((trace_id(event.parent.saga), span_id(event.parent.saga, event.parent.effect, 1)),)
        began = _nanoseconds(event.at)
        self._open[event.saga] = _Saga(event.name, began, attributes, links, seen=began)

    def _spans(self, event: Any, saga: _Saga) -> Iterator[Span]:
        kind, _, what = event.type.partition(".")
        if event.type in _CALLS:
            saga.calls[event.undo if kind == "undo" else event.effect] = event
        elif kind in ("effect", "undo") and what in _SAID:
            yield from self._answered(event, saga, event.undo if kind == "undo" else event.effect, what)
        elif what == "reconciled":
            yield from self._reconciled(event, saga, event.undo if kind == "undo" else event.effect)
        elif event.type == "check.evaluated":
            yield self._check(event, saga)
        elif event.type in ("approval.requested", "saga.paused"):
            saga.waits.setdefault(getattr(event, "step", ""), saga.seen)
        elif event.type in ("approval.recorded", "person.decided", "step.refused"):
            yield from self._waited(event, saga, getattr(event, "step", ""))
        elif event.type == "saga.ended":
            yield from self._end(event, saga)

    def _answered(self, event: Any, saga: _Saga, ident: str, outcome: str) -> Iterator[Span]:
        begun = saga.calls.pop(ident, None)
        if begun is not None:
            if outcome == "unknown":
                saga.lost[ident] = begun, saga.seen
            result = getattr(event, "result", None)
            yield self._call(saga, begun, ident, outcome, getattr(event, "code", "") or outcome, result)

    def _reconciled(self, event: Any, saga: _Saga, ident: str) -> Iterator[Span]:
        """From the lost answer until the provider said what became of the call."""
        begun, since = saga.lost.pop(ident, (None, 0))
        if begun is None:
            return
        attributes: dict[str, Value] = {n.SAGA: event.saga, n.TOOL: begun.tool, n.EFFECT: begun.effect}
        attributes |= {n.OUTCOME: event.found, n.CALL: f"{begun.saga}:{ident}"}
        own = span_id(event.saga, f"reconcile {event.seq}", 1)
        root = span_id(event.saga, "", 0)
        name = f"{n.RECONCILE} {begun.tool}"
        yield Span(name, trace_id(event.saga), own, root, since, saga.seen, "", attributes)

    def _call(self, saga: _Saga, begun: Any, ident: str, outcome: str, code: str, result: Any) -> Span:
        attributes: dict[str, Value] = {
            n.OPERATION: n.EXECUTE_TOOL,
            n.TOOL: begun.tool,
            n.TOOL_TYPE: "function",
            n.CALL: f"{begun.saga}:{ident}",
            n.SAGA: begun.saga,
            n.EFFECT: begun.effect,
            n.ATTEMPT: begun.attempt,
            n.OUTCOME: outcome,
        }
        if begun.type == "effect.intended":
            attributes |= {n.SEMANTICS: begun.semantics, n.STEP: begun.step}
        else:
            attributes[n.UNDOES] = begun.effect
        error = "" if outcome == "succeeded" else str(code)
        attributes |= {n.ERROR: error} if error else {}
        if self._arguments:
            attributes |= _shown(n.ARGUMENTS, begun.args) | _shown(n.RESULT, result)
        return self._child(saga, begun, f"{n.EXECUTE_TOOL} {begun.tool}", (ident, begun.attempt), attributes, error)

    def _child(
        self, saga: _Saga, begun: Any, name: str, of: tuple[str, int], attributes: dict[str, Value], error: str
    ) -> Span:
        trace, own, root = trace_id(begun.saga), span_id(begun.saga, *of), span_id(begun.saga, "", 0)
        start = _nanoseconds(begun.at)
        return Span(name, trace, own, root, start, max(start, saga.seen), error, attributes)

    def _check(self, event: Any, saga: _Saga) -> Span:
        attributes: dict[str, Value] = {n.SAGA: event.saga, n.CHECK: event.check, n.PASSED: event.passed}
        error = "" if event.passed else "check_failed"
        return self._child(saga, event, f"check {event.check}", (f"check {event.seq}", 1), attributes, error)

    def _waited(self, event: Any, saga: _Saga, step: str) -> Iterator[Span]:
        """Each answer ends the wait for one person; the next one is waited for from then on."""
        since = saga.waits.pop(step, None)
        if since is None:
            return
        if event.type == "approval.recorded":
            saga.waits[step] = saga.seen
        attributes: dict[str, Value] = {n.SAGA: event.saga, n.OUTCOME: _word(event)} | ({n.STEP: step} if step else {})
        name = f"wait {step}" if step else "wait for a decision"
        ident = span_id(event.saga, f"wait {event.seq}", 1)
        yield Span(name, trace_id(event.saga), ident, span_id(event.saga, "", 0), since, saga.seen, "", attributes)

    def _end(self, event: Any, saga: _Saga) -> Iterator[Span]:
        for ident, begun in saga.calls.items():
            yield self._call(saga, begun, ident, "unknown", "no_answer", None)
        del self._open[event.saga]
        error = "" if event.status == "succeeded_verified" else event.status
        attributes = saga.attributes | {n.STATUS: event.status} | ({n.ERROR: error} if error else {})
        root, name = span_id(event.saga, "", 0), f"{n.INVOKE_WORKFLOW} {saga.name}"
        yield Span(name, trace_id(event.saga), root, "", saga.began, saga.seen, error, attributes, saga.links)


def _word(event: Any) -> str:
    return str(getattr(event, "decision", "") or getattr(event, "verdict", "") or "refused")


def _shown(name: str, value: Any) -> dict[str, Value]:
    """A payload as JSON, unless any part of it is concealed or looks like a credential."""
    if value is None:
        return {}
    plain = to_builtins(value)
    return {} if scan(plain) else {name: dumps(plain).decode()}


def _nanoseconds(at: str) -> int:
    return (micros(at) - _EPOCH) * 1000


def trace_id(saga: str) -> str:
    """Of a saga: 16 bytes, hex."""
    return sha256(b"agent-saga/otel/trace\0" + saga.encode()).hexdigest()[:32]


def span_id(saga: str, part: str, attempt: int) -> str:
    """Of a part of a saga: 8 bytes, hex. part: effect, undo and the like; "" for the saga itself."""
    return sha256(f"agent-saga/otel/span\0{saga}\0{part}\0{attempt}".encode()).hexdigest()[:16]


Observe = Callable[[str, float, Mapping[str, Value]], None]
"""Told of a measurement: metric, value, attributes."""


def measured(span: Span, observe: Observe) -> None:
    """The metrics that a span gives: sagas by status, calls by tool and outcome with their seconds, waits."""
    seconds, of = (span.end - span.start) / 1e9, span.attributes
    if not span.parent:
        observe(n.SAGAS, 1, {n.WORKFLOW: of[n.WORKFLOW], n.STATUS: of[n.STATUS]})
    elif of.get(n.OPERATION) == n.EXECUTE_TOOL:
        about = {name: of[name] for name in (n.TOOL, n.OUTCOME, n.SEMANTICS, n.ERROR) if name in of}
        observe(n.CALLS, 1, about | {"agent_saga.undo": n.UNDOES in of})
        observe(n.DURATION, seconds, about | {n.OPERATION: n.EXECUTE_TOOL})
    elif span.name.startswith("wait"):
        observe(n.WAITS, seconds, {n.OUTCOME: of[n.OUTCOME]})
