"""Asks cel-expr-python, the binding of the C++ implementation of CEL, what a condition means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ctypes import py_object, pythonapi
from datetime import UTC, datetime, timedelta
from typing import Any

from cel_expr_python import cel

from agent_saga.policies.cel import Duration, Timestamp, Undecided
from agent_saga.policies.cel.compiler import Closure

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
TYPES = {
    **dict.fromkeys(("tool", "semantics", "s"), cel.Type.STRING),
    **dict.fromkeys(("i", "j"), cel.Type.INT),
    "d": cel.Type.DOUBLE,
    "b": cel.Type.BOOL,
    "l": cel.Type.List(cel.Type.INT),
    "m": cel.Type.Map(cel.Type.STRING, cel.Type.INT),
    "at": cel.Type.TIMESTAMP,
    "du": cel.Type.DURATION,
    "chain": cel.Type.Map(cel.Type.STRING, cel.Type.STRING),
    "args": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
}

_INT, _STRING = cel.Type.INT, cel.Type.STRING
ARGUMENTS = {
    "args_i": _INT, "args_j": _INT, "args_d": cel.Type.DOUBLE, "args_s": _STRING, "args_t": _STRING,
    "args_b": cel.Type.BOOL, "args_n": cel.Type.NULL, "args_l": cel.Type.List(_INT), "args_ls": cel.Type.List(_STRING),
    "args_o": cel.Type.Map(_STRING, cel.Type.DYN),
    "args_m": cel.Type.Map(_STRING, _INT), "args_o_i": _INT, "args_o_d": cel.Type.DOUBLE, "args_o_s": _STRING,
    "args_o_b": cel.Type.BOOL,
}  # fmt: skip
"""Each argument as a variable of its own: their type checker has no type for a map of different types."""

_PRESENCE = re.compile(r"has\([a-z_.]+\)")
_FIELD = re.compile(r"\bargs(?:\.o)?(?:\.[a-z]+|\[\"[a-z]+\"\])")

Outcome = tuple[str, Any]
"""The type and the value; ("error", words) for an error."""


def _kept(value: Any) -> Any:
    """A value of the binding. Its 0.1.3 takes a reference to None away for each null that it gives out, until Python
    ends with "none_dealloc": each is given back here."""
    if value is None:
        pythonapi.Py_IncRef(py_object(None))
    for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        _kept(item)
    return value


class Oracle:
    """Compiles conditions about the generator's variables and evaluates them."""

    def __init__(self) -> None:
        self.env = cel.NewEnv(variables=TYPES)
        self.typed = cel.NewEnv(variables=TYPES | ARGUMENTS)

    def compile(self, text: str, checked: bool = False) -> Any:
        """The compiled condition, or None where it is no CEL. checked: also None where its type checker refuses."""
        try:
            return self.env.compile(text, disable_check=not checked)
        except Exception:
            return None

    def accepts(self, text: str) -> bool:
        """Whether their type checker accepts the condition, with :data:`ARGUMENTS`; has() counts as true."""
        text = _FIELD.sub(lambda field: re.sub(r"[.\[\"]+", "_", field[0].rstrip('"]')), _PRESENCE.sub("true", text))
        try:
            self.typed.compile(text)
        except Exception:
            return False
        return True

    def run(self, program: Any, values: Mapping[str, Any]) -> Outcome:
        """The outcome of a compiled condition for these values, as the generator makes them."""
        try:
            found = program.eval(data=values)
            return ("error", found.value()) if found.type().name() == "ERROR" else plain(_kept(found.plain_value()))
        except RuntimeError as why:
            return ("error", str(why))


def ours(function: Closure, values: Mapping[str, Any]) -> Outcome:
    """The outcome of our closure for the values of :func:`converted`."""
    try:
        return plain(function(values))
    except Undecided as why:
        return ("error", why.words)


def converted(values: Mapping[str, Any]) -> dict[str, Any]:
    """The generator's values with timestamps and durations as our engine takes them."""
    at, span = values["at"] - EPOCH, values["du"]
    return {**values, "at": Timestamp(at // MICROSECOND * 1_000), "du": Duration(span // MICROSECOND * 1_000)}


def plain(value: Any) -> Outcome:
    """A value with its type, comparable: 1, 1.0 and true differ, nan equals nan, 0.0 differs from -0.0.

    The binding gives times in microseconds, so ours are cut to these.
    """
    if isinstance(value, bytes | bytearray):
        return "bytes", bytes(value)
    if isinstance(value, datetime | Timestamp):
        return "timestamp", value.ns // 1_000 if isinstance(value, Timestamp) else (value - EPOCH) // MICROSECOND
    if isinstance(value, timedelta | Duration):
        return "duration", _towards_zero(value.ns) if isinstance(value, Duration) else value // MICROSECOND
    if isinstance(value, list | tuple):
        return "list", tuple(map(plain, value))
    if isinstance(value, dict):
        return "map", tuple(sorted((name, plain(item)) for name, item in value.items()))
    return type(value).__name__, repr(value)


def _towards_zero(ns: int) -> int:
    return ns // 1_000 if ns >= 0 else -(-ns // 1_000)
