"""The words of the type checker: what was found, what was expected, what was perhaps meant.

Source: docs/spec/policy-cel-v1.md, "Errors".
"""

from collections.abc import Iterable
from difflib import get_close_matches

from agent_saga.policies.cel.syntax import Expression
from agent_saga.policies.cel.text import text_of
from agent_saga.policies.cel.types import DOUBLE, INT, NULL, NUMBER, STRING, TIMESTAMP, Type, words


def shown(tree: Expression) -> str:
    """A part of the condition as a message quotes it."""
    text = text_of(tree)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What was perhaps meant, or what there is."""
    all_names = sorted(known)
    near = get_close_matches(name, all_names, n=1, cutoff=0.6)
    near = near or [one for one in all_names if one.lower() == name.lower()]
    if near:
        return f"; did you mean `{near[0]}`?"
    if not all_names:
        return "; there is none"
    more = ", ..." if len(all_names) > 8 else ""
    return f"; there is {', '.join(all_names[:8])}{more}"


def mismatch(name: str, types: tuple[Type, ...], receiver: bool = False) -> str:
    """That an operator or function is not for these types, and how it could be."""
    found = ", ".join(map(words, types))
    if receiver:
        found = f"{words(types[0])} with ({', '.join(map(words, types[1:]))})"
    return f"`{name}` is not for ({found})" + _hint(name, types) if not receiver else f"`{name}` is not for {found}"


def _hint(name: str, types: tuple[Type, ...]) -> str:
    """How to mend the commonest mismatches."""
    pair = frozenset(words(one) for one in types)
    if name in "+-*/" and NUMBER.name in pair and pair <= {NUMBER.name, DOUBLE.name}:
        return "; JSON may write it without a fraction: write double(...)"
    if len(types) < 2:
        return ""
    if pair in ({INT.name, DOUBLE.name}, {INT.name, NUMBER.name}):
        return "; nothing converts by itself: write 5.0 for 5, or double(...)"
    if pair == {INT.name, STRING.name}:
        return "; write int(...) or string(...)"
    if pair == {STRING.name, TIMESTAMP.name}:
        return "; write timestamp(...)"
    if NULL.name in pair:
        return "; whether a field is there says has(...)"
    return ""
