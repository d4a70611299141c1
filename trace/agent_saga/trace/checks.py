"""Checks compiled from annotations: what a typed decoder cannot see in a member.

:func:`compile_check` turns the annotation of a member in :mod:`agent_saga.trace.events` into a function that walks the
value, raises :class:`LineError` where a string has the wrong form or a payload breaks a bound, and returns the
payload's traits. It returns None where the type alone says everything, so a line costs only what it must.
"""

import re
import types
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.forms import Amount, Form, Payload
from agent_saga.trace.values import check_amount, scan

Check = Callable[[Any], int]

_MEMBER_DEPTH: Final = 2
"""The nesting at which the value of a line's own member stands; the line's object is 1."""

_KNOWN_LIMIT: Final = 4_096
_KNOWN_LENGTH: Final = 64
"""Strings remembered as well-formed, and the longest of them: bounds a reader's memory on hostile input."""


def compile_check(hint: Any, depth: int = _MEMBER_DEPTH) -> Check | None:
    """Compile the annotation of a member whose value stands at this depth; None when its type says everything."""
    if get_origin(hint) is Annotated:
        return _annotated(hint, depth)
    if get_origin(hint) in (Union, types.UnionType):
        return _optional(hint, depth)
    if get_origin(hint) is tuple:
        return _sequence(compile_check(get_args(hint)[0], depth + 1))
    if get_origin(hint) is dict:
        return _mapping(*(compile_check(arm, depth + 1) for arm in get_args(hint)))
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct(hint, depth)
    return None


def _annotated(hint: Any, depth: int) -> Check | None:
    if hint == Amount:
        return partial(_amount, depth=depth)
    for marker in hint.__metadata__:
        if isinstance(marker, Form):
            return _string(marker)
        if isinstance(marker, Payload):
            return scan if depth == _MEMBER_DEPTH else partial(scan, depth=depth)
    return None


def _amount(value: dict[str, Any], depth: int) -> int:
    check_amount(value)
    return scan(value, depth)


@cache
def _string(form: Form) -> Check:
    match = re.compile(form.pattern).fullmatch
    known: set[str] = set()

    def check(value: str) -> int:
        if value not in known:
            if not match(value):
                raise LineError("AS102", f"expected {form.says}; found {value[:80]!r}")
            if len(value) <= _KNOWN_LENGTH:
                if len(known) >= _KNOWN_LIMIT:
                    known.clear()
                known.add(value)
        return 0

    return check


def _optional(hint: Any, depth: int) -> Check | None:
    (check,) = [compile_check(arm, depth) for arm in get_args(hint) if arm is not type(None)]
    if check is None:
        return None
    return lambda value: 0 if value is None else check(value)


def _sequence(check: Check | None) -> Check | None:
    if check is None:
        return None

    def every(values: tuple[Any, ...]) -> int:
        traits = 0
        for value in values:
            traits |= check(value)
        return traits

    return every


def _mapping(key: Check | None, item: Check | None) -> Check | None:
    def every(value: dict[str, Any]) -> int:
        traits = 0
        for name, inner in value.items():
            traits |= (key(name) if key else 0) | (item(inner) if item else 0)
        return traits

    return every


def members(cls: type[msgspec.Struct], depth: int = _MEMBER_DEPTH) -> tuple[tuple[str, Check], ...]:
    """The members of a class that have something to check, with their checks, in the order of the line.

    depth: the nesting at which the members' values stand.
    """
    hints = get_type_hints(cls, include_extras=True)
    compiled = ((name, compile_check(hints[name], depth)) for name in cls.__struct_fields__)
    return tuple((name, check) for name, check in compiled if check is not None)


def _struct(cls: type[msgspec.Struct], depth: int) -> Check | None:
    checks = members(cls, depth + 1)
    if not checks:
        return None

    def every(value: Any) -> int:
        traits = 0
        for name, check in checks:
            traits |= check(getattr(value, name))
        return traits

    return every
