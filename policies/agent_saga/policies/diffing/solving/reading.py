"""From the solver's answer back to a call: each variable's value as JSON.

Source: SMT-LIB, theory of Unicode strings (``\\u{...}`` escapes).
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import z3

_ESCAPE: Final = re.compile(r"\\u\{([0-9a-fA-F]+)\}")


def text(term: Any) -> str:
    """The characters of a string constant."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), term.as_string())


def value(kind: str, term: Any) -> Any:
    """A constant as JSON. kind: as in :class:`~agent_saga.policies.diffing.solving.terms.Val`."""
    if kind == "bool":
        return bool(z3.is_true(term))
    if kind == "int":
        return int(term.as_long())
    if kind == "double":
        return float(term.as_fraction())
    if kind == "string":
        return text(term)
    if kind == "time":
        return instant(term.as_long() // 1000)
    raise ValueError(f"a value of kind {kind} stands in no call")


def items(kind: str, term: Any) -> list[Any]:
    """The entries of a sequence constant."""
    name = term.decl().kind()
    if name == z3.Z3_OP_SEQ_EMPTY:
        return []
    if name == z3.Z3_OP_SEQ_UNIT:
        return [value(kind, term.arg(0))]
    return [one for part in term.children() for one in items(kind, part)]


def instant(microseconds: int) -> str:
    """A time as a trace line writes it."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return f"{at.year:04d}-{at:%m-%dT%H:%M:%S}.{at.microsecond:06d}Z"
