"""What the strict binary operators and the minus do to values of each type; what stands in no table is undefined.

Integers have 64 bits: a result outside is an error, as is a division by zero; ``/`` and ``%`` truncate towards zero.
No operator mixes int and double but the comparisons, which compare on one number line.

Source: CEL language definition, "List of Standard Definitions", "Overflow", "Equality and Ordering".
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_saga.policies.cel.equality import equal, within
from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.times import duration, timestamp
from agent_saga.policies.cel.values import kind_of

Binary = Callable[[Any, Any], Any]
_Table = Mapping[tuple[str, str], Binary]


def bounded(value: int) -> int:
    """The integer. Raises Undefined when it does not fit 64 bits."""
    if not MIN_INT <= value <= MAX_INT:
        raise Undefined("the result is outside 64 bits")
    return value


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise Undefined("division by zero")
    quotient = abs(left) // abs(right)
    return bounded(quotient if (left < 0) == (right < 0) else -quotient)


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise Undefined("division by zero")
    bounded(_divide(left, right))
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


def _quotient(left: float, right: float) -> float:
    """IEEE 754 division, which has a value for zero too."""
    if right:
        return left / right
    if math.isnan(left) or left == 0 or math.isnan(right):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


_INTS: Final = ("int", "int")
_DOUBLES: Final = ("double", "double")
_SPANS: Final = ("duration", "duration")

_ADD: _Table = {
    _INTS: lambda left, right: bounded(left + right),
    _DOUBLES: operator.add,
    ("string", "string"): operator.add,
    ("bytes", "bytes"): operator.add,
    ("list", "list"): lambda left, right: [*left, *right],
    ("timestamp", "duration"): lambda left, right: timestamp(left.ns + right.ns),
    ("duration", "timestamp"): lambda left, right: timestamp(left.ns + right.ns),
    _SPANS: lambda left, right: duration(left.ns + right.ns),
}
_SUBTRACT: _Table = {
    _INTS: lambda left, right: bounded(left - right),
    _DOUBLES: operator.sub,
    ("timestamp", "timestamp"): lambda left, right: duration(left.ns - right.ns),
    ("timestamp", "duration"): lambda left, right: timestamp(left.ns - right.ns),
    _SPANS: lambda left, right: duration(left.ns - right.ns),
}
_MULTIPLY: _Table = {_INTS: lambda left, right: bounded(left * right), _DOUBLES: operator.mul}
_DIVIDE: _Table = {_INTS: _divide, _DOUBLES: _quotient}
_MODULO: _Table = {_INTS: _modulo}

ORDERED: Final = ("bool", "int", "double", "string", "bytes", "timestamp", "duration")
_COMPARABLE: Final = frozenset((kind, kind) for kind in ORDERED) | {("int", "double"), ("double", "int")}


def _ordering(compare: Binary) -> _Table:
    return dict.fromkeys(_COMPARABLE, compare)


COMPARISONS: Final[Mapping[str, Binary]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_TABLES: Final[Mapping[str, _Table]] = {
    "+": _ADD,
    "-": _SUBTRACT,
    "*": _MULTIPLY,
    "/": _DIVIDE,
    "%": _MODULO,
} | {name: _ordering(compare) for name, compare in COMPARISONS.items()}


def _from(name: str, table: _Table) -> Binary:
    """The operator that looks its operands' types up in a table."""

    def apply(left: Any, right: Any) -> Any:
        kinds = kind_of(left), kind_of(right)
        found = table.get(kinds)
        if found is None:
            raise Undefined(f"`{name}` has no meaning between {kinds[0]} and {kinds[1]}")
        return found(left, right)

    return apply


_KEYS: Final = ("string", "int", "double", "bool")
"""The types that CEL looks up in a map. Its maps have string keys here, so the others find nothing."""


def _in(value: Any, whole: Any) -> bool:
    kind = kind_of(whole)
    if kind == "list":
        return within(value, whole)
    if kind != "map":
        raise Undefined(f"`in` looks into a list or a map, not into {kind}")
    found = kind_of(value)
    if found not in _KEYS:
        raise Undefined(f"{found} can be no key of a map")
    return found == "string" and value in whole


BINARY: Final[Mapping[str, Binary]] = {name: _from(name, table) for name, table in _TABLES.items()} | {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "in": _in,
}
"""Every strict binary operator by its name."""


def negate(value: Any) -> Any:
    """``-value``. Raises Undefined for the least integer and for what is no number."""
    kind = kind_of(value)
    if kind == "int":
        return bounded(-value)
    if kind == "double":
        return -value
    raise Undefined(f"`-` has no meaning before {kind}")


def look_up(whole: Any, index: Any) -> Any:
    """``whole[index]``. Raises Undefined for what is not there."""
    kind = kind_of(whole)
    if kind == "map":
        if kind_of(index) == "string" and index in whole:
            return whole[index]
        raise Undefined("the map has no such key")
    if kind != "list":
        raise Undefined(f"{kind} has no items")
    if kind_of(index) == "double" and index.is_integer():
        index = int(index)
    if kind_of(index) != "int":
        raise Undefined(f"the index of a list is an int, not {kind_of(index)}")
    if not 0 <= index < len(whole):
        raise Undefined(f"the list of {len(whole)} items has no item {index}")
    return whole[index]
