"""Values and names in messages: short, fit to be shown, and the name that was probably meant."""

import difflib
from collections.abc import Iterable
from typing import Any, Final

from agent_saga.trace.printing import visible
from agent_saga.trace.secrets import kind_of_secret
from agent_saga.trace.values import LONG

_KINDS: Final = {list: "a list", dict: "an object"}
_WIDTH: Final = 60
"""Characters of a value in a message: enough to know it again."""


def found(value: Any) -> str:
    """A value in a message: short, and never one that has the form of a credential."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    return str(value).lower() if isinstance(value, bool) else shown(value)


def shown(value: Any) -> str:
    """A text or number as in Python's ``repr``, cut; a credential is not repeated."""
    text = str(value)
    if len(text) >= LONG and kind_of_secret(text):
        return "a text that cannot be shown"
    return visible(repr(value) if len(text) <= _WIDTH else repr(text[: _WIDTH - 3] + "..."))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'budgets'?`` for the known word nearest to ``word``, or "" when none is near."""
    near = difflib.get_close_matches(word[:200], list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
