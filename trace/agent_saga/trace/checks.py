"""Checks compiled from annotations: what a typed decoder cannot see in a member.

:func:`compile_check` turns the annotation of a member in :mod:`agent_saga.trace.events` into a function that walks the
value, raises :class:`LineError` where a string has the wrong form or a payload breaks a bound, and returns the
payload's traits. It returns None where the type alone says everything, so a line costs only what it must.
"""

import re
import types
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.forms import Amount, Form, JsonObject, Key, Payload
from agent_saga.trace.limits import MAX_KEY
from agent_saga.trace.values import dumps, scan, scan_amount, scan_object

Check = Callable[[Any], int]

_MEMBER_DEPTH: Final = 2
"""The nesting at which the value of a line's own member stands; the line's object is 1."""

_KNOWN_LIMIT: Final = 4_096
_KNOWN_LENGTH: Final = 256
"""How many values are remembered as well-formed, and how long they may be: bounds memory on hostile input."""

_CATALOGUES: Final = 256
"""How many mappings (tool catalogues, of up to a line's length) are remembered as well-formed."""

_VARIED: Final = frozenset({"key", "approvals"})
"""Members with a new value on each line: remembering them would be in vain."""


def compile_check(hint: Any, depth: int = _MEMBER_DEPTH) -> Check | None:
    """Compile the annotation of a member whose value stands at this depth; None when its type says everything."""
    if get_origin(hint) is Annotated:
        return _annotated(hint, depth)
    if _present(hint) is not hint:
        return _optional(compile_check(_present(hint), depth))
    if get_origin(hint) is tuple:
        return _sequence(compile_check(get_args(hint)[0], depth + 1))
    if get_origin(hint) is dict:
        return _mapping(*(compile_check(arm, depth + 1) for arm in get_args(hint)))
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct(hint, depth)
    return None


def _annotated(hint: Any, depth: int) -> Check | None:
    if hint == Amount:
        return _at(depth, scan_amount)
    for marker in hint.__metadata__:
        if isinstance(marker, Form):
            return _key if hint == Key else _string(marker)
        if isinstance(marker, Payload):
            return _at(depth, scan_object if hint == JsonObject else scan)
    return None


def _at(depth: int, check: Callable[..., int]) -> Check:
    return check if depth == _MEMBER_DEPTH else partial(check, depth=depth)


def _key(value: str) -> int:
    """The form of a key, told without its pattern: keys are the strings that never repeat."""
    if not (value and len(value) <= MAX_KEY and value.isascii() and value.isprintable()):
        raise LineError("AS102", f"expected 1-{MAX_KEY} printable ASCII characters; found {value[:80]!r}")
    return 0


@cache
def _string(form: Form) -> Check:
    match = re.compile(form.pattern).fullmatch
    known: set[str] = set()

    def check(value: str) -> int:
        if value not in known:
            if not match(value):
                raise LineError("AS102", f"expected {form.says}; found {value[:80]!r}")
            if len(value) <= _KNOWN_LENGTH and len(known) < _KNOWN_LIMIT:
                known.add(value)
        return 0

    return check


def _optional(check: Check | None) -> Check | None:
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
    known: set[bytes] = set()

    def every(value: dict[str, Any]) -> int:
        written = dumps(value)
        if written not in known:
            for name, inner in value.items():
                if (key(name) if key else 0) | (item(inner) if item else 0):
                    raise LineError("AS102", "a catalogue holds no payload")
            if len(known) < _CATALOGUES:
                known.add(written)
        return 0

    return every


def members(cls: type[msgspec.Struct], depth: int = _MEMBER_DEPTH) -> dict[str, Check]:
    """The members of a class that have something to check, with their checks, in the order of the line.

    depth: the nesting at which the members' values stand.
    """
    hints = get_type_hints(cls, include_extras=True)
    compiled = ((name, compile_check(hints[name], depth)) for name in cls.__struct_fields__)
    return {name: check for name, check in compiled if check is not None}


class Members:
    """The checks of a class's members, arranged so that a usual line costs one look-up.

    The strings of a line repeat from line to line, all but its idempotency key. What was found well-formed together is
    remembered together, up to a bound; the rest is checked one by one.
    """

    def __init__(self, cls: type[msgspec.Struct], leave_out: frozenset[str] = frozenset(), depth: int = _MEMBER_DEPTH):
        hints = get_type_hints(cls, include_extras=True)
        present = {name: _present(hints[name]) for name in cls.__struct_fields__ if name not in leave_out}
        compiled = ((name, compile_check(hint, depth)) for name, hint in present.items())
        checks = {name: check for name, check in compiled if check is not None}
        usual = [name for name in checks if name not in _VARIED and _spelled(present[name])]
        self._usual = _getter(usual)
        self._spelling = tuple(checks[name] for name in usual)
        self._others = tuple((name, check) for name, check in checks.items() if name not in usual)
        self._seen: set[tuple[Any, ...]] = set()

    def check(self, value: Any) -> int:
        """Check all members and return their traits; raises LineError."""
        usual = self._usual(value)
        if usual not in self._seen:
            self._spell(usual)
        traits = 0
        for name, check in self._others:
            member = getattr(value, name)
            if member or (member is not None and member != ()):  # an empty key or amount is a value, and a wrong one
                traits |= check(member)
        return traits

    def _spell(self, usual: tuple[Any, ...]) -> None:
        for check, member in zip(self._spelling, usual, strict=False):
            if member is not None:
                check(member)
        if len(self._seen) < _KNOWN_LIMIT and sum(map(_length, usual)) <= _KNOWN_LENGTH:
            self._seen.add(usual)


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Gets these members of an object as a tuple, which may hold the last of them twice."""
    if not names:
        return lambda _: ()
    return attrgetter(*names, names[-1])


def _spelled(hint: Any) -> bool:
    """Whether a member holds nothing but a string, or a tuple of strings."""
    inner = get_args(hint)[0] if get_origin(hint) is tuple else hint
    return any(isinstance(marker, Form) for marker in getattr(inner, "__metadata__", ()))


def _present(hint: Any) -> Any:
    """The annotation of a member that is there: without the None of one that may be absent."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    (arm,) = [arm for arm in get_args(hint) if arm is not type(None)]
    return arm


def _length(value: str | tuple[str, ...] | None) -> int:
    return sum(map(len, value)) if type(value) is tuple else len(value or "")


def _struct(cls: type[msgspec.Struct], depth: int) -> Check | None:
    return Members(cls, depth=depth + 1).check if members(cls, depth + 1) else None
