"""Where an event holds a value shaped like a credential (:mod:`agent_saga.trace.secrets`). The value is never shown."""

from functools import cache
from typing import Any, Final

from agent_saga.trace.events import EVENT_TYPES
from agent_saga.trace.secrets import kind_of_secret
from agent_saga.trace.values import LONG

_PAYLOADS: Final = (
    "args", "result", "undo", "error", "evidence", "goal", "reason", "cause", "why", "resource", "amount", "options"
)  # fmt: skip


def find_secret(event: Any) -> tuple[str, str] | None:
    """The first member of an event that holds a credential-shaped text, and its kind; None when none does."""
    for member in _members(event.type):
        for text in _long_texts(getattr(event, member), []):
            kind = kind_of_secret(text)
            if kind:
                return member, kind
    return None


@cache
def _members(kind: str) -> tuple[str, ...]:
    """The members of a line type that hold payload."""
    return tuple(name for name in EVENT_TYPES[kind].__struct_fields__ if name in _PAYLOADS)


def _long_texts(value: Any, found: list[str]) -> list[str]:
    """Add to ``found`` every text of a value, names too, that is long enough to be a credential."""
    kind = type(value)
    if kind is str:
        if len(value) >= LONG:
            found.append(value)
    elif kind is dict:
        for name, item in value.items():
            if len(name) >= LONG:
                found.append(name)
            if item is not None:
                _long_texts(item, found)
    elif kind is list or kind is tuple:
        for item in value:
            _long_texts(item, found)
    elif hasattr(value, "args"):
        _long_texts(value.args, found)
    return found
