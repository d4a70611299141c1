"""Where cel-expr-python 0.1.3 and our engine differ, each with the section of the CEL language definition that decides.

Each difference has examples with both outcomes, which a test asks anew, and a change that makes our engine do as the
other does: a pair of the differential test may differ only if that change, and nothing else, makes it agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from cel_oracle import Oracle

from agent_saga.policies.cel import Duration, Timestamp, equality, functions, operators
from agent_saga.policies.cel.values import timestamp_text

ERROR = "error"
"""Stands for an outcome without a value."""


@dataclass(frozen=True)
class Known:
    """One difference. cases: (condition, our value, their value); ERROR for an error. change: makes ours do theirs."""

    name: str
    section: str
    why: str
    cases: tuple[tuple[str, Any, Any], ...]
    change: Callable[[], AbstractContextManager[Any]] = nullcontext


def _int() -> AbstractContextManager[Any]:
    return _function("int", lambda value: int(value) if type(value) is bool else functions.to_int(value))


def _double() -> AbstractContextManager[Any]:
    return _function("double", lambda value: float(value) if value == "1e5000" else functions.to_double(value))


def _function(name: str, instead: Callable[[Any], Any]) -> AbstractContextManager[Any]:
    return patch.dict(functions.FUNCTIONS, {name: instead})


def _string() -> AbstractContextManager[Any]:
    """string() asks theirs for the spelling."""
    oracle = Oracle()

    def ask(text: str, value: float = 0.0) -> str:
        return str(oracle.env.compile(text).eval(data={"d": value}).value())

    def string(value: Any) -> str:
        if isinstance(value, float):
            return ask("string(d)", value)
        if isinstance(value, Timestamp):
            return ask(f'string(timestamp("{timestamp_text(value)}"))')
        if isinstance(value, Duration):
            return ask(f'string(duration("{value.ns}ns"))')
        return functions.to_string(value)

    return _function("string", string)


@contextmanager
def _rounding() -> Iterator[None]:
    """Every comparison of an int with a double turns the int into a double first."""

    def rounded(left: Any, right: Any) -> tuple[Any, Any]:
        kinds = {type(left), type(right)}
        return (float(left), float(right)) if kinds == {int, float} else (left, right)

    def compare(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda left, right, *depth: function(*rounded(left, right), *depth)

    orders = {name: compare(operators.BINARY[name]) for name in operators.COMPARISONS}
    with patch.object(equality, "_compare", compare(equality._compare)), patch.dict(operators.BINARY, orders):
        yield


LEFT_OUT = Known(
    "string() of double, timestamp and duration is left out",
    "List of Standard Definitions (string)",
    "the specification does not say how they are spelled, and implementations differ",
    (
        ("string(1234567.0)", ERROR, "1.234567e+06"),
        ('string(timestamp("2026-11-30T12:00:00.12Z"))', ERROR, "2026-11-30T12:00:00.120Z"),
        ('string(duration("1.5s"))', ERROR, "1.500s"),
    ),
    _string,
)

KNOWN = (
    LEFT_OUT,
    Known(
        "int(bool) has a value",
        "List of Standard Definitions (int)",
        "int() has no overload for bool; their type checker refuses it too, their evaluator does not",
        (("int(true)", ERROR, 1), ("int(false)", ERROR, 0)),
        _int,
    ),
    Known(
        "double(string) beyond the range is infinite",
        "Overflow",
        "a conversion that exceeds the range of the target type raises an error",
        (('double("1e5000")', ERROR, float("inf")),),
        _double,
    ),
    Known(
        "int against double compares after rounding",
        "Equality and Ordering",
        "numbers compare as on one continuous line; above 2^53 their int is rounded to a double first",
        (
            ("9007199254740993 == 9007199254740992.0", False, True),
            ("9007199254740993 > 9007199254740992.0", True, False),
            ("9223372036854775807 < 9223372036854775808.0", True, False),
        ),
        _rounding,
    ),
    Known(
        "a key that stands twice ends the evaluation",
        "Aggregate Values; Logical Operators",
        "it is an error as any other, which && and || outweigh",
        (('{"a": 1, "a": 2} == {} || true', True, ERROR),),
    ),
    Known(
        "a duration beyond 292 years can be read, but not counted with",
        "Overflow; conformance test timestamps/timestamp_range",
        "the difference of two timestamps must be out of range from 292 years on, so longer durations are none",
        (('duration("2562048h") > duration("1h")', ERROR, True),),
    ),
    Known(
        "numbers and times are also read in other spellings",
        "List of Standard Definitions (int, double, timestamp)",
        "a text is a number if it is spelled like one, and a timestamp as RFC 3339 says",
        (
            ('int(" 12")', ERROR, 12),
            ('int("1\\n")', ERROR, 1),
            ('double("0x1p3")', ERROR, 8.0),
            ('timestamp("2026-01-01T00:30:00+00") == timestamp("2026-01-01T00:30:00Z")', ERROR, True),
        ),
    ),
    Known(
        "a leap second is a second of the next minute",
        "List of Standard Definitions (timestamp)",
        "google.protobuf.Timestamp counts no leap seconds: a text that names one names no timestamp",
        (('timestamp("2016-12-31T23:59:60Z") == timestamp("2017-01-01T00:00:00Z")', ERROR, True),),
    ),
)
"""All that is known. What their binding does to values on their way in is no matter of CEL: it cuts a str at a NUL."""


@contextmanager
def as_theirs(known: tuple[Known, ...]) -> Iterator[None]:
    """Our engine, with the changes that these differences are."""
    with ExitStack() as stack:
        for one in known:
            stack.enter_context(one.change())
        yield
