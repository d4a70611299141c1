"""The functions of the subset: what each does to values, by its name and whether it is called on a receiver.

Source: CEL language definition, "List of Standard Definitions".
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.times import (
    GETTERS,
    SECOND,
    getter,
    read_duration,
    read_timestamp,
    span_getter,
    timestamp,
)
from agent_saga.policies.cel.values import kind_of

Function = Callable[..., Any]

_DIGITS = re.compile(r"[+-]?[0-9]{1,1000}").fullmatch
_DECIMAL = re.compile(
    r"[+-]?(?:[0-9]{1,1000}(?:\.[0-9]{0,1000})?(?:[eE][+-]?[0-9]{1,4})?|\.[0-9]{1,1000}(?:[eE][+-]?[0-9]{1,4})?"
    r"|inf|infinity|nan)",
    re.IGNORECASE,
).fullmatch
_SPAN_GETTERS: Final = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")


def _no(name: str, kind: str) -> Undefined:
    return Undefined(f"{name}() takes no {kind}")


def size(value: Any) -> int:
    """Code points of a string, octets of bytes, items of a list, entries of a map."""
    kind = kind_of(value)
    if kind not in ("string", "bytes", "list", "map"):
        raise _no("size", kind)
    return len(value)


def to_int(value: Any) -> int:
    """From int, double (cut towards zero), string (decimal digits), timestamp (seconds since 1970, rounded down)."""
    kind = kind_of(value)
    if kind == "int":
        return int(value)
    if kind == "double":
        # The least integer itself is refused as a double, as all implementations do: rounding may have made it.
        if not float(MIN_INT) < value < float(MAX_INT):
            raise Undefined("the double is outside 64 bits")
        return int(value)
    if kind == "timestamp":
        return int(value.ns // SECOND)
    if kind != "string":
        raise _no("int", kind)
    if _DIGITS(value) is None or not MIN_INT <= int(value) <= MAX_INT:
        raise Undefined("the text is no integer of 64 bits")
    return int(value)


def to_double(value: Any) -> float:
    """From int (rounded to the nearest), double, string (a decimal, inf or nan)."""
    kind = kind_of(value)
    if kind in ("int", "double"):
        return float(value)
    if kind != "string":
        raise _no("double", kind)
    if _DECIMAL(value) is None:
        raise Undefined("the text is no decimal number")
    made = float(value)
    if made in (float("inf"), float("-inf")) and "i" not in value.lower():
        raise Undefined("the text is beyond the greatest double")
    return made


def to_string(value: Any) -> str:
    """From string, int, bool, bytes (UTF-8). Other types have no spelling that all implementations share."""
    kind = kind_of(value)
    if kind == "string":
        return str(value)
    if kind == "int":
        return str(value)
    if kind == "bool":
        return "true" if value else "false"
    if kind != "bytes":
        raise _no("string", kind)
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise Undefined("the bytes are no UTF-8") from None


def to_bytes(value: Any) -> bytes:
    """From bytes, string (as UTF-8)."""
    kind = kind_of(value)
    if kind == "bytes":
        return bytes(value)
    if kind != "string":
        raise _no("bytes", kind)
    try:
        return str(value).encode()
    except UnicodeEncodeError:
        raise Undefined("the string holds half of a surrogate pair") from None


def to_timestamp(value: Any) -> Any:
    """From timestamp, string (RFC 3339), int (seconds since 1970)."""
    kind = kind_of(value)
    if kind == "timestamp":
        return value
    if kind == "int":
        return timestamp(value * SECOND)
    if kind != "string":
        raise _no("timestamp", kind)
    return read_timestamp(value)


def to_duration(value: Any) -> Any:
    """From duration, string."""
    kind = kind_of(value)
    if kind == "duration":
        return value
    if kind != "string":
        raise _no("duration", kind)
    return read_duration(value)


def _part(name: str, value: Any, *zone: Any) -> int:
    """A getter of a timestamp, in UTC or a fixed zone, or of a duration."""
    kind = kind_of(value)
    if kind == "timestamp" and all(kind_of(one) == "string" for one in zone):
        return getter(name, value, *zone)
    if kind == "duration" and name in _SPAN_GETTERS and not zone:
        return span_getter(name, value)
    raise _no(name, kind)


def _of_strings(name: str, function: Callable[[str, str], bool]) -> Function:
    def apply(value: Any, other: Any) -> bool:
        kinds = kind_of(value), kind_of(other)
        if kinds != ("string", "string"):
            raise Undefined(f"{name}() is for a string with a string, not for {kinds[0]} with {kinds[1]}")
        return function(value, other)

    return apply


FUNCTIONS: Final[Mapping[str, Function]] = {
    "size": size,
    "int": to_int,
    "double": to_double,
    "string": to_string,
    "bytes": to_bytes,
    "timestamp": to_timestamp,
    "duration": to_duration,
}
"""Called as ``name(...)``, each with one argument."""

METHODS: Final[Mapping[str, Function]] = {
    "size": size,
    "startsWith": _of_strings("startsWith", str.startswith),
    "endsWith": _of_strings("endsWith", str.endswith),
    "contains": _of_strings("contains", str.__contains__),
} | {name: partial(_part, name) for name in GETTERS}
"""Called as ``value.name(...)``; the value is the first argument."""

_TESTS: Final = ("startsWith", "endsWith", "contains")
ARGUMENTS: Final[Mapping[str, tuple[int, ...]]] = dict.fromkeys(_TESTS, (2,)) | dict.fromkeys(GETTERS, (1, 2))
"""How many values a function takes, its receiver counted; one, where it stands not here."""


def function_of(name: str, receiver: bool, count: int) -> Function | None:
    """The function for a call with so many arguments, its receiver counted; None where there is none."""
    found = (METHODS if receiver else FUNCTIONS).get(name)
    return found if count in ARGUMENTS.get(name, (1,)) else None
