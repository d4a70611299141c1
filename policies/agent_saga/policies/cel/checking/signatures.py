"""Which types the operators and functions take, and what they give.

Source: CEL language definition, "List of Standard Definitions".
"""

from collections.abc import Mapping
from typing import Final

from agent_saga.policies.cel.times import GETTERS
from agent_saga.policies.cel.types import BOOL, BYTES, DOUBLE, DURATION, INT, NUMBER, STRING, TIMESTAMP, Type

Signature = tuple[tuple[Type, ...], Type]

_ORDERED: Final = (BOOL, INT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION)
_MIXED: Final = ((NUMBER, NUMBER), (NUMBER, DOUBLE), (DOUBLE, NUMBER))
_ORDERING: Final[tuple[Signature, ...]] = tuple((pair, BOOL) for pair in (*((one, one) for one in _ORDERED), *_MIXED))
_SUMS: Final[tuple[Signature, ...]] = tuple(((one, one), one) for one in (INT, DOUBLE, STRING, BYTES, DURATION))


def _of(result: Type, *args: Type) -> tuple[Signature, ...]:
    """A function of one argument of any of these types."""
    return tuple(((arg,), result) for arg in args)


OPERATORS: Final[Mapping[str, tuple[Signature, ...]]] = {
    "+": (*_SUMS, ((TIMESTAMP, DURATION), TIMESTAMP), ((DURATION, TIMESTAMP), TIMESTAMP)),
    "-": (
        ((INT, INT), INT),
        ((DOUBLE, DOUBLE), DOUBLE),
        ((DURATION, DURATION), DURATION),
        ((TIMESTAMP, TIMESTAMP), DURATION),
        ((TIMESTAMP, DURATION), TIMESTAMP),
    ),
    "*": (((INT, INT), INT), ((DOUBLE, DOUBLE), DOUBLE)),
    "/": (((INT, INT), INT), ((DOUBLE, DOUBLE), DOUBLE)),
    "%": (((INT, INT), INT),),
    "-_": _of(INT, INT) + _of(DOUBLE, DOUBLE),
} | dict.fromkeys(("<", "<=", ">", ">="), _ORDERING)
"""Of the strict operators whose operands are scalars; lists add up too."""

FUNCTIONS: Final[Mapping[str, tuple[Signature, ...]]] = {
    "size": _of(INT, STRING, BYTES),
    "int": _of(INT, INT, DOUBLE, NUMBER, STRING, TIMESTAMP),
    "double": _of(DOUBLE, INT, DOUBLE, NUMBER, STRING),
    "string": _of(STRING, STRING, INT, BOOL, BYTES),
    "bytes": _of(BYTES, BYTES, STRING),
    "timestamp": _of(TIMESTAMP, TIMESTAMP, STRING, INT),
    "duration": _of(DURATION, DURATION, STRING),
}
"""Called as ``name(...)``. size takes lists and maps too."""

_SPAN_GETTERS: Final = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")

METHODS: Final[Mapping[str, tuple[Signature, ...]]] = (
    {"size": FUNCTIONS["size"]}
    | dict.fromkeys(("startsWith", "endsWith", "contains"), (((STRING, STRING), BOOL),))
    | {name: (((TIMESTAMP,), INT), ((TIMESTAMP, STRING), INT)) for name in GETTERS if name not in _SPAN_GETTERS}
    | dict.fromkeys(_SPAN_GETTERS, (((TIMESTAMP,), INT), ((TIMESTAMP, STRING), INT), ((DURATION,), INT)))
)
"""Called as ``value.name(...)``; the receiver is the first argument."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "all": "there are no loops",
    "exists": "there are no loops; to look for a value, write value in list",
    "exists_one": "there are no loops",
    "map": "there are no loops",
    "filter": "there are no loops",
    "matches": "there are no regular expressions; see startsWith, endsWith and contains",
    "uint": "there are no unsigned integers",
    "bool": "nothing converts to bool; compare with a constant",
    "type": "every type is known before",
    "dyn": "every type is known before",
}
"""Functions and macros of CEL that are no part of the subset, and why."""
