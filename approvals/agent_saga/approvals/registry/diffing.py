"""What differs between two registries, in sentences, for whoever is asked to approve the second one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from agent_saga.approvals.registry.model import Registry


def diff(old: Registry, new: Registry) -> Iterator[str]:
    """Say each difference: ``+`` for what is new, ``-`` for what is gone, ``~`` for what is another now."""
    for word in ("version", "rp", "changes", "algorithms"):
        before, after = (msgspec.to_builtins(getattr(one, word)) for one in (old, new))
        if before != after:
            yield f"~ {word}: {_said(before)} -> {_said(after)}"
    yield from _listed("person", old.person, new.person)
    yield from _listed("agent", {one.id: one for one in old.agents}, {one.id: one for one in new.agents})
    yield from _listed("key", old.key, new.key)


def _listed(what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for id in sorted({*old, *new}):
        before, after = (msgspec.to_builtins(one[id]) if id in one else None for one in (old, new))
        if before is None:
            yield f"+ {what} {_said(after)}"
        elif after is None:
            yield f"- {what} {_said(before)}"
        else:
            for member in sorted({*before, *after}):
                if before.get(member) != after.get(member):
                    yield f"~ {what} {id} {member}: {_said(before.get(member))} -> {_said(after.get(member))}"


def _said(value: Any) -> str:
    """JSON in ASCII, so that nothing in it can steer a terminal."""
    return "nothing" if value is None else json.dumps(value, sort_keys=True).replace("\x7f", "\\u007f")
