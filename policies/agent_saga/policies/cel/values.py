"""The values of CEL as Python holds them, their names, and how they read.

bool, int, float (double), str, bytes, None, list or tuple, dict, and the two of this module. A member of a map may
stand concealed as ``{"...": DIGEST}`` (docs/spec/trace-v1.md): reading it is undecidable.

Source: CEL language definition, "Values".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from agent_saga.policies.cel.faults import Concealed, Undefined
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.trace.values import CONCEALED_NAME


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """An instant. ns: nanoseconds since 1970-01-01T00:00:00Z; from year 1 to 9999."""

    ns: int


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time. ns: nanoseconds; at most 64 bits of them, 292 years."""

    ns: int


KINDS: Final[Mapping[type, str]] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null",
    list: "list",
    tuple: "list",
    dict: "map",
    MappingProxyType: "map",
    Timestamp: "timestamp",
    Duration: "duration",
}


def kind_of(value: Any) -> str:
    """The CEL type of a value. Raises Undefined for what is none: an integer beyond 64 bits, a concealed value."""
    kind = KINDS.get(type(value))
    if kind is None:
        raise Undefined(f"a value of the type {type(value).__name__} is none of CEL's")
    if kind == "int" and not MIN_INT <= value <= MAX_INT:
        raise Undefined("the integer is outside 64 bits")
    if kind == "map" and CONCEALED_NAME in value:
        raise Concealed("the value is concealed")
    return kind


def conceals(value: Any) -> bool:
    """Whether this very value is concealed."""
    return type(value) is dict and CONCEALED_NAME in value


def timestamp_text(instant: Timestamp) -> str:
    """The instant in RFC 3339, in UTC, with as many digits of its fraction as are not zero."""
    seconds, fraction = divmod(instant.ns, 10**9)
    return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).isoformat() + _fraction(fraction) + "Z"


def duration_text(span: Duration) -> str:
    """The span in seconds, with as many digits of its fraction as are not zero."""
    seconds, fraction = divmod(abs(span.ns), 10**9)
    return f"{'-' if span.ns < 0 else ''}{seconds}{_fraction(fraction)}s"


def _fraction(ns: int) -> str:
    return f".{ns:09d}".rstrip("0") if ns else ""
