"""Temporal history events, whatever spelling they were exported in: one record a history event.

``EVENT_TYPE_ACTIVITY_TASK_SCHEDULED`` and ``ActivityTaskScheduled`` are one type; ids may be strings or numbers.

Source: temporal.api.history.v1; docs/sources/temporal.md, "What is read".
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agent_saga.certify.importers.document import Element
from agent_saga.certify.importers.synthetic import instant
from agent_saga.certify.source import Fault

_PREFIX: Final = "EVENT_TYPE_"
_SCREAMING = re.compile(r"[A-Z]+(?:_[A-Z]+)*").fullmatch
_CAMEL = re.compile(r"(?:[A-Z][a-z]+)+").fullmatch
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_SUFFIX: Final = "EventAttributes"


class Record(NamedTuple):
    """One history event. type: without prefix, such as ACTIVITY_TASK_SCHEDULED; at: in our form."""

    line: int
    id: int
    type: str
    at: str
    attributes: dict[str, Any]


def number(value: object) -> int | None:
    """An event id, given as a number or as its digits; None when it is neither."""
    if type(value) is int and 0 <= value < 2**53:
        return value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value, re.ASCII):
        return int(value)
    return None


def type_of(value: object) -> str | None:
    """The name of a type without prefix, in upper case with underscores; None when it is no type's name."""
    if not isinstance(value, str):
        return None
    name = value.removeprefix(_PREFIX)
    if _SCREAMING(name):
        return name
    return _WORD.sub("_", name).upper() if _CAMEL(name) else None


def records(elements: list[Element]) -> Iterator[Record | Fault]:
    """The records of a history; what is no history event, or out of sequence, is a fault."""
    expected = 1
    for element in elements:
        found = _record(element)
        if isinstance(found, Fault):
            yield found
            expected += 1
            continue
        if found.id != expected:
            message = f"eventId is {found.id}; expected {expected}: events are missing, repeated or out of order"
            yield Fault(element.line, "AS105", message, subject=f"event {found.id}", what=found.type)
        expected = found.id + 1
        yield found


def _record(element: Element) -> Record | Fault:
    event = element.value
    if not isinstance(event, dict):
        return Fault(element.line, "AS102", "a history event is not an object", what="event")
    name, own, at = type_of(event.get("eventType")), number(event.get("eventId")), instant(event.get("eventTime"))
    if name is None:
        message = f"eventType is {event.get('eventType')!r:.80}, which is no type's name"
        return Fault(element.line, "AS103", message, what="event")
    if own is None or at is None:
        member = "eventId" if own is None else "eventTime"
        message = f"{member} is {event.get(member)!r:.60}; expected {'a number' if own is None else 'an RFC 3339 time'}"
        return Fault(element.line, "AS102", message, what=name)
    keys = [key for key in event if key.endswith(_SUFFIX)]
    wanted = _attributes(name)
    if keys != [wanted] or not isinstance(event[wanted], dict):
        message = f"a {name} has one object {wanted}; found {', '.join(keys)[:80] or 'none'}"
        return Fault(element.line, "AS102", message, what=name)
    return Record(element.line, own, name, at, event[wanted])


def _attributes(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest) + _SUFFIX


def text(value: Any, *path: str) -> str:
    """The string at a path of members; "" when there is none."""
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
