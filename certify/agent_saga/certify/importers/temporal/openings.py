"""Which call a later event of a history tells of, and whether it can be so.

A server closes a call once, and an activity that completed or failed was started, by an event that says how many
attempts there were. A history in which that is otherwise is not as a server wrote it.

Source: temporal.api.history.v1; docs/sources/temporal.md, "Mapping".
"""

from dataclasses import dataclass
from typing import Final

from agent_saga.certify.importers.temporal.history import Record, number
from agent_saga.certify.importers.temporal.kinds import CLOSES, OPENS, REFUSED, Kind

STARTS: Final = {
    "ACTIVITY_TASK_STARTED": OPENS["ACTIVITY_TASK_SCHEDULED"],
    "CHILD_WORKFLOW_EXECUTION_STARTED": OPENS["START_CHILD_WORKFLOW_EXECUTION_INITIATED"],
    "NEXUS_OPERATION_STARTED": OPENS["NEXUS_OPERATION_SCHEDULED"],
}
"""Events that say that a call was begun, and the kind of call."""

_BEGUN: Final = frozenset({"ACTIVITY_TASK_COMPLETED", "ACTIVITY_TASK_FAILED"})
"""What only an activity that was started can come to."""

Wrong = tuple[str, str]
"""A rule's code, and what is wrong."""


@dataclass(slots=True)
class _Opened:
    kind: Kind
    started: int = 0
    """The event that said so; 0 for none."""
    closed: str = ""
    """The type of the event that closed it."""


class Openings:
    """The calls of a history by the events that opened them."""

    def __init__(self) -> None:
        self._calls: dict[int, _Opened] = {}

    def open(self, record: Record) -> None:
        """An event opened a call."""
        self._calls[record.id] = _Opened(OPENS[record.type])

    def start(self, record: Record) -> tuple[int, Wrong | None]:
        """The event that opened the call which begins here, and what is wrong with that."""
        opened, wrong = self._named(STARTS[record.type], record)
        if wrong is None and self._calls[opened].started:
            wrong = "AS102", f"{record.type}: event {self._calls[opened].started} has begun the call of event {opened}"
        elif wrong is None:
            self._calls[opened].started = record.id
            if record.type == "ACTIVITY_TASK_STARTED" and not attempt_of(record):
                wrong = "AS102", f"attempt is {record.attributes.get('attempt')!r:.60}; expected 1, 2, 3 ..."
        return opened, wrong

    def close(self, record: Record) -> tuple[int, Wrong | None]:
        """The event that opened the call which ends here, and what is wrong with that."""
        kind, found = CLOSES[record.type]
        opened, wrong = self._named(kind, record)
        if wrong is not None:
            return opened, wrong
        call = self._calls[opened]
        before, call.closed = call.closed, record.type
        if before:
            return opened, ("AS102", f"{record.type} closes the call of event {opened}, which {before} has closed")
        if found == REFUSED and call.started:
            return opened, ("AS102", f"{record.type}, but the call was begun by event {call.started}")
        named = number(record.attributes.get("startedEventId"))
        if record.type in _BEGUN and (not call.started or named != call.started):
            message = (
                f"{record.type} names {named} as the start of the call of event {opened}: no event says that it began"
            )
            return opened, ("AS203", message)
        return opened, None

    def _named(self, kind: Kind, record: Record) -> tuple[int, Wrong | None]:
        opened = number(record.attributes.get(kind.ref)) or 0
        call = self._calls.get(opened)
        if call is not None and call.kind is kind:
            return opened, None
        return opened, ("AS203", f"{record.type} names event {opened or None}, which opened no such call")


def attempt_of(record: Record) -> int:
    """Which attempt a started activity is at; 0 when nothing says so."""
    return number(record.attributes.get("attempt")) or 0
