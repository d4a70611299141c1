"""Values of a condition as formulas: what the value is, and when it has none.

CEL's errors are part of the value: a missing field, an overflow or a division by zero makes a condition undecidable,
which the engine answers with a denial. So every value carries the formula under which it has no value.
"""

from dataclasses import dataclass
from typing import Any, Final

import z3

INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 63) - 1
SECOND: Final = 10**9
"""Times and lengths of time are whole nanoseconds, as CEL counts them."""

NEVER: Final = z3.BoolVal(False)
ALWAYS: Final = z3.BoolVal(True)


class Unsupported(Exception):
    """The solver has no formula for this part of a condition; the question is answered by samples instead."""


@dataclass(frozen=True, slots=True)
class Val:
    """A value. kind: bool int double string time span null list object map. wrong: when it has none.

    term: of a scalar its z3 term; of a list its items as a tuple, or a z3 sequence; of an object or map its path.
    type: the declared type of an object or map.
    """

    kind: str
    term: Any
    wrong: Any = NEVER
    type: Any = None


def either(*parts: Any) -> Any:
    """z3's Or, kept small where nothing is to be said."""
    found = [part for part in parts if not z3.is_false(part)]
    return NEVER if not found else found[0] if len(found) == 1 else z3.Or(*found)


def both(*parts: Any) -> Any:
    """z3's And, kept small where nothing is to be said."""
    found = [part for part in parts if not z3.is_true(part)]
    return ALWAYS if not found else found[0] if len(found) == 1 else z3.And(*found)


def characters(text: str) -> Any:
    """A text as a constant, with every character that z3 would read as the begin of an escape written as one.

    Raises Unsupported for characters beyond those that the solver's theory of strings has.
    """
    if any(ord(char) > _LAST_CHARACTER for char in text):
        raise Unsupported("a character beyond U+2FFFF")
    return z3.StringVal(text.replace("\\", "\\u{5c}"))


_LAST_CHARACTER: Final = 0x2FFFF


def negated(part: Any) -> Any:
    """z3's Not."""
    return z3.Not(part)


def outside(term: Any) -> Any:
    """When a whole number does not fit 64 bits: CEL ends with an error."""
    return z3.Or(term < INT_MIN, term > INT_MAX)


def same(left: Val, right: Val) -> Any:
    """Whether two values of one kind are equal. Raises Unsupported for lists, maps and objects of the call."""
    if "null" in (left.kind, right.kind):
        return z3.BoolVal(left.kind == right.kind)
    numbers = {left.kind, right.kind}
    if left.kind != right.kind and numbers != {"int", "double"}:
        raise Unsupported(f"comparing {left.kind} with {right.kind}")
    if left.kind in ("object", "map"):
        raise Unsupported("comparing whole objects")
    if left.kind == "list":
        return _same_lists(left.term, right.term)
    return real(left) == real(right) if len(numbers) == 2 else left.term == right.term


def _same_lists(left: Any, right: Any) -> Any:
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        raise Unsupported("comparing lists of the call")
    if len(left) != len(right):
        return NEVER
    return both(*(same(one, two) for one, two in zip(left, right, strict=True)))


def real(value: Val) -> Any:
    """A number as a real."""
    return z3.ToReal(value.term) if value.kind == "int" else value.term
