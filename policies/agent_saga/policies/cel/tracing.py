"""Says what the parts of a condition were for one call, so that a person can follow its answer.

Source: docs/spec/policy-cel-v1.md, "Explaining".
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from agent_saga.policies.cel.compiler import compile_
from agent_saga.policies.cel.faults import Undecided
from agent_saga.policies.cel.syntax import Expression
from agent_saga.policies.cel.text import quoted, text_of
from agent_saga.policies.cel.values import Duration, Timestamp, conceals, duration_text, timestamp_text
from agent_saga.policies.cel.walking import atoms, names_in, paths

_LONGEST: Final = 200
"""Characters of a value that are shown."""


def trace_values(tree: Expression, values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Each atom with what it was, and each field it reads with its value, both as text; a part that is an atom once.

    An atom without a value reads ``undecided: `` and why. A constant condition has no atoms and gives nothing.
    """
    found: dict[str, str] = {}
    for atom in atoms(tree):
        for part in (atom, *paths(atom)):
            found.setdefault(text_of(part), _value(part, values))
    return tuple(found.items())


def _value(tree: Expression, values: Mapping[str, Any]) -> str:
    try:
        return value_words(compile_(tree, tuple(names_in(tree)))(values))
    except Undecided as why:
        return f"undecided: {why.words}"


def value_words(value: Any) -> str:
    """A value as a condition would spell it, shortened; a concealed part as ``concealed``."""
    text = _spell(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _spell(value: Any) -> str:
    if conceals(value):
        return "concealed"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Timestamp):
        return f'timestamp("{timestamp_text(value)}")'
    if isinstance(value, Duration):
        return f'duration("{duration_text(value)}")'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_spell, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(name)}: {_spell(item)}" for name, item in value.items()) + "}"
    return json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
