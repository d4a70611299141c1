"""JSON read in its one meaning: no unknown member, no name twice, every string in its form, every bound kept.

The forms are those of trace lines (:mod:`agent_saga.trace.forms`); the typed decoder alone would not look at them.
"""

import json
from functools import cache
from typing import Any, Final, TypeVar, get_type_hints

import msgspec
from msgspec import Struct

from agent_saga.trace.checks import Check, compile_check
from agent_saga.trace.errors import LineError
from agent_saga.trace.printing import visible

T = TypeVar("T", bound=Struct)
DEPTH: Final = 4
"""Nesting at which the values of a request's members stand: in the line, its proof, the request."""

_LONGEST: Final = 400
"""Characters of a message about a member."""


class Unreadable(ValueError):
    """What was given is not what it has to be; the message says how."""


def read(value: Any, cls: type[T], what: str, known: frozenset[str] = frozenset()) -> T:
    """Make a parsed JSON value an object of this class. what: its name in messages. Raises Unreadable.

    known: members that were found in their forms by other means.
    """
    try:
        found = msgspec.convert(value, cls, strict=True)
        _check(found, _plan(cls, DEPTH, known))
    except (msgspec.ValidationError, LineError, RecursionError) as fault:
        raise Unreadable(f"{what}: {plain(str(fault))}") from fault
    return found


def plain(text: str) -> str:
    """Words about what somebody else wrote: cut, and without characters that could steer a terminal."""
    return visible(text[:_LONGEST])


def _check(found: Any, plan: tuple[tuple[str, Check], ...]) -> None:
    for name, check in plan:
        member = getattr(found, name)
        if member is not None:
            check(member)


@cache
def _plan(cls: type[Struct], depth: int, known: frozenset[str] = frozenset()) -> tuple[tuple[str, Check], ...]:
    """The members of a class whose types do not say everything, each with its check, all but those known.

    Unlike the lines of a trace, two requests share next to nothing that would be worth remembering.
    """
    plan: list[tuple[str, Check]] = []
    hints = get_type_hints(cls, include_extras=True)
    for name in (one for one in cls.__struct_fields__ if one not in known):
        check = _nested(hints[name], depth + 1) or compile_check(hints[name], depth)
        if check is not None:
            plan.append((name, check))
    return tuple(plan)


def _nested(hint: Any, depth: int) -> Check | None:
    if not (isinstance(hint, type) and issubclass(hint, Struct)):
        return None
    plan = _plan(hint, depth)

    def check(member: Any) -> int:
        _check(member, plan)
        return 0

    return check


def parse(data: bytes, what: str, most: int) -> Any:
    """Parse bytes as JSON in which no name stands twice and no number is a float. Raises Unreadable."""
    if len(data) > most:
        raise Unreadable(f"{what} has {len(data)} bytes: expected at most {most}")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_once,
            parse_float=_refused,
            parse_constant=_refused,
        )
    except (ValueError, RecursionError) as fault:
        raise Unreadable(f"{what} is not JSON in UTF-8 with every name once: {fault}") from fault


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _refused(literal: str) -> Any:
    raise ValueError(f"{literal[:40]} is no integer")
