"""When two values are equal: CEL's rules, and "unknown" where a concealed part decides.

Values of different types differ, numbers compare on one line whatever their type, and not-a-number equals nothing.

Source: CEL language definition, "Equality and Ordering".
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agent_saga.policies.cel.faults import Concealed, Undefined
from agent_saga.policies.cel.limits import MAX_VALUE_NESTING
from agent_saga.policies.cel.values import kind_of
from agent_saga.trace.values import CONCEALED_NAME

_CONCEALED = "a value that it compares is concealed"


def equal(left: Any, right: Any) -> bool:
    """Tell whether two values are equal. Raises Concealed when a concealed part decides that."""
    found = _compare(left, right, 0)
    if found is None:
        raise Concealed(_CONCEALED)
    return found


def within(value: Any, items: Sequence[Any]) -> bool:
    """Tell whether a list holds a value. Raises Concealed when it might be a concealed item."""
    unknown = False
    for item in items:
        found = _compare(value, item, 0)
        if found:
            return True
        unknown = unknown or found is None
    if unknown:
        raise Concealed(_CONCEALED)
    return False


def _compare(left: Any, right: Any, depth: int) -> bool | None:
    """True, False, or None for unknown."""
    if depth > MAX_VALUE_NESTING:
        raise Undefined(f"a value nests deeper than {MAX_VALUE_NESTING}")
    if _sealed(left) or _sealed(right):
        return None
    kinds = kind_of(left), kind_of(right)
    if kinds == ("list", "list"):
        return _lists(left, right, depth)
    if kinds == ("map", "map"):
        return _maps(left, right, depth)
    if kinds[0] == kinds[1] or kinds in (("int", "double"), ("double", "int")):
        return bool(left == right)
    return False


def _sealed(value: Any) -> bool:
    return isinstance(value, Mapping) and CONCEALED_NAME in value


def _lists(left: Sequence[Any], right: Sequence[Any], depth: int) -> bool | None:
    if len(left) != len(right):
        return False
    return _all(_compare(one, other, depth + 1) for one, other in zip(left, right, strict=True))


def _maps(left: Mapping[str, Any], right: Mapping[str, Any], depth: int) -> bool | None:
    if left.keys() != right.keys():
        return False
    return _all(_compare(value, right[name], depth + 1) for name, value in left.items())


def _all(found: Any) -> bool | None:
    """False if one is, else unknown if one is, else true."""
    unknown = False
    for one in found:
        if one is False:
            return False
        unknown = unknown or one is None
    return None if unknown else True
