"""The functions of the subset as formulas. Raises Unsupported for those that no theory of the solver covers.

Source: CEL language definition, "List of Standard Definitions".
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import z3

from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.times import read_duration, read_timestamp
from agent_saga.policies.diffing.solving.arithmetic import moment
from agent_saga.policies.diffing.solving.reading import text
from agent_saga.policies.diffing.solving.terms import ALWAYS, SECOND, Unsupported, Val, characters, either, real

_ROUNDED: Final = z3.Function("rounded", z3.IntSort(), z3.RealSort())
"""The double nearest to a whole number beyond 2^53: some number, and the same one for the same whole number."""


def _size(of: Val) -> Val:
    if of.kind == "string" or (of.kind == "list" and not isinstance(of.term, tuple)):
        return Val("int", z3.Length(of.term), of.wrong)
    if of.kind == "list" or (of.kind == "map" and isinstance(of.term, dict)):
        return Val("int", z3.IntVal(len(of.term)), of.wrong)
    raise Unsupported(f"size of {of.kind}")


def _strings(test: Callable[[Any, Any], Any]) -> Callable[[Val, Val], Val]:
    def function(whole: Val, part: Val) -> Val:
        return Val("bool", test(whole.term, part.term), either(whole.wrong, part.wrong))

    return function


def _string(of: Val) -> Val:
    if of.kind == "string":
        return of
    if of.kind == "bool":
        return Val("string", z3.If(of.term, characters("true"), characters("false")), of.wrong)
    if of.kind != "int":
        raise Unsupported(f"string of {of.kind}")
    digits = z3.IntToStr(z3.If(of.term < 0, -of.term, of.term))
    return Val("string", z3.If(of.term < 0, z3.Concat(characters("-"), digits), digits), of.wrong)


def _int(of: Val) -> Val:
    if of.kind == "int":
        return of
    if of.kind == "double":
        # Towards zero; CEL refuses what does not fit, and a double cannot tell 2^63-1 from 2^63, so neither end fits.
        whole = z3.If(of.term < 0, -z3.ToInt(-of.term), z3.ToInt(of.term))
        limit = z3.RealVal(1 << 63)
        return Val("int", whole, either(of.wrong, of.term <= -limit, of.term >= limit))
    if of.kind == "time":
        return Val("int", of.term / SECOND, of.wrong)
    raise Unsupported(f"int of {of.kind}")


def _double(of: Val) -> Val:
    if of.kind == "double":
        return of
    if of.kind != "int":
        raise Unsupported(f"double of {of.kind}")
    # Beyond 2^53 the conversion rounds, and reals do not.
    exact = z3.And(of.term <= 1 << 53, of.term >= -(1 << 53))
    return Val("double", z3.If(exact, real(of), _ROUNDED(of.term)), of.wrong)


def _timestamp(of: Val) -> Val:
    if of.kind == "time":
        return of
    if of.kind == "int":
        return moment(of.term * SECOND, of.wrong)
    return _read(read_timestamp, "time", of, "timestamp")


def _duration(of: Val) -> Val:
    return of if of.kind == "span" else _read(read_duration, "span", of, "duration")


def _read(read: Callable[[str], Any], kind: str, of: Val, name: str) -> Val:
    """A constant text as a time, which is wrong for every call where it is none."""
    try:
        return Val(kind, z3.IntVal(read(constant(of, name)).ns), of.wrong)
    except Undefined:
        return Val(kind, z3.IntVal(0), ALWAYS)


def constant(of: Val, name: str) -> str:
    """The characters of a text that is written out. Raises Unsupported for any other."""
    if of.kind != "string" or not z3.is_string_value(of.term):
        raise Unsupported(f"{name} of a value of the call")
    return text(of.term)


FUNCTIONS: Final[Mapping[str, Callable[..., Val]]] = {
    "size": _size,
    "startsWith": _strings(lambda whole, part: z3.PrefixOf(part, whole)),
    "endsWith": _strings(lambda whole, part: z3.SuffixOf(part, whole)),
    "contains": _strings(lambda whole, part: z3.Contains(whole, part)),
    "string": _string,
    "int": _int,
    "double": _double,
    "timestamp": _timestamp,
    "duration": _duration,
}
