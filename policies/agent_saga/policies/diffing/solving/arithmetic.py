"""Numbers, times and lengths of time as formulas. Results that do not fit 64 bits are errors, as in CEL.

Doubles are compared as reals, which is exact: a double is a rational. Sums of doubles are rounded, and reals are not,
so they are left to samples.
"""

from collections.abc import Callable
from typing import Any, Final

import z3

from agent_saga.policies.cel.times import MAX_DURATION, MAX_TIMESTAMP, MIN_TIMESTAMP
from agent_saga.policies.diffing.solving.terms import Unsupported, Val, either, outside, real

Operation = Callable[[Val, Val], Val]


def compare(word: str, left: Val, right: Val) -> Val:
    """``<`` and its kin, over numbers, strings, times, lengths of time and truth values."""
    kinds = {left.kind, right.kind}
    wrong = either(left.wrong, right.wrong)
    if kinds <= {"int", "double"}:
        one, two = (left.term, right.term) if len(kinds) == 1 else (real(left), real(right))
    elif len(kinds) == 1 and kinds <= {"time", "span"}:
        one, two = left.term, right.term
    elif kinds == {"bool"}:
        one, two = (z3.If(part.term, 1, 0) for part in (left, right))
    elif kinds == {"string"}:
        return Val("bool", _strings(word, left.term, right.term), wrong)
    else:
        raise Unsupported(f"{left.kind} {word} {right.kind}")
    return Val("bool", {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[word], wrong)


def _strings(word: str, one: Any, two: Any) -> Any:
    if word in (">", ">="):
        one, two = two, one
    return one < two if word in ("<", ">") else one <= two


def add(left: Val, right: Val) -> Val:
    """``+``: numbers, strings, lists written out, times and lengths of time."""
    kinds = (left.kind, right.kind)
    wrong = either(left.wrong, right.wrong)
    if kinds == ("string", "string"):
        return Val("string", z3.Concat(left.term, right.term), wrong)
    if kinds == ("list", "list") and isinstance(left.term, tuple) and isinstance(right.term, tuple):
        return Val("list", left.term + right.term, wrong)
    if kinds == ("int", "int"):
        return _whole(left.term + right.term, wrong)
    return _timed(left.term + right.term, kinds, wrong, "+")


def subtract(left: Val, right: Val) -> Val:
    """``-``."""
    kinds = (left.kind, right.kind)
    wrong = either(left.wrong, right.wrong)
    if kinds == ("int", "int"):
        return _whole(left.term - right.term, wrong)
    if kinds == ("time", "time"):
        return _span(left.term - right.term, wrong)
    return _timed(left.term - right.term, kinds, wrong, "-")


def _timed(term: Any, kinds: tuple[str, str], wrong: Any, word: str) -> Val:
    if kinds in (("time", "span"), *([("span", "time")] if word == "+" else [])):
        return moment(term, wrong)
    if kinds == ("span", "span"):
        return _span(term, wrong)
    raise Unsupported(f"{kinds[0]} {word} {kinds[1]}")


def moment(term: Any, wrong: Any) -> Val:
    """A time that was computed: an error outside the years 1 to 9999."""
    return Val("time", term, either(wrong, z3.Or(term < MIN_TIMESTAMP, term > MAX_TIMESTAMP)))


def _whole(term: Any, wrong: Any) -> Val:
    return Val("int", term, either(wrong, outside(term)))


def _span(term: Any, wrong: Any) -> Val:
    return Val("span", term, either(wrong, z3.Or(term > MAX_DURATION, term < -MAX_DURATION)))


def multiply(left: Val, right: Val) -> Val:
    """``*`` of whole numbers."""
    _need_ints("*", left, right)
    return _whole(left.term * right.term, either(left.wrong, right.wrong))


def divide(left: Val, right: Val) -> Val:
    """``/`` of whole numbers: towards zero; by zero is an error, and so is the one quotient that does not fit."""
    _need_ints("/", left, right)
    term = _towards_zero(left.term, right.term)
    return Val("int", term, either(left.wrong, right.wrong, right.term == 0, outside(term)))


def rest(left: Val, right: Val) -> Val:
    """``%`` of whole numbers: has the sign of what is divided."""
    _need_ints("%", left, right)
    quotient = _towards_zero(left.term, right.term)
    return Val(
        "int",
        left.term - quotient * right.term,
        either(left.wrong, right.wrong, right.term == 0, outside(quotient)),
    )


def negate(value: Val) -> Val:
    """Unary minus."""
    if value.kind == "double":
        return Val("double", -value.term, value.wrong)
    if value.kind != "int":
        raise Unsupported(f"minus of {value.kind}")
    return _whole(-value.term, value.wrong)


def _need_ints(word: str, left: Val, right: Val) -> None:
    if (left.kind, right.kind) != ("int", "int"):
        raise Unsupported(f"{left.kind} {word} {right.kind}")


def _towards_zero(one: Any, two: Any) -> Any:
    size = z3.If(one < 0, -one, one) / z3.If(two < 0, -two, two)
    return z3.If((one < 0) == (two < 0), size, -size)


OPERATIONS: Final[dict[str, Operation]] = {"+": add, "-": subtract, "*": multiply, "/": divide, "%": rest}
