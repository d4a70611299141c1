"""A policy to begin with: every tool that was seen, each taken for irreversible until a person says otherwise.

What the log claims of a tool stands in a comment beside it and decides nothing: a log that calls a wire compensable
must not make a policy that lets it through.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from agent_saga.policies.learning.observing import Observed, ToolSeen
from agent_saga.trace.currencies import in_units
from agent_saga.trace.escaping import shown

_WIDE: Final = 110
"""Columns of a schema that stands on one line."""
_MARK: Final = "TODO"
"""The word by which people look for what is left for them."""


_NAME: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
"""Of a tool in a policy (docs/spec/policy-v1.md, "Members"); a trace may hold any name."""
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def skeleton(observed: Observed, name: str, owner: str) -> str:
    """The text of the policy, in YAML. name, owner: as the file shall say them."""
    return "\n".join([*_head(observed), *_members(name, owner), *_tools(observed), ""])


def _head(observed: Observed) -> Iterator[str]:
    calls = sum(tool.calls for tool in observed.tools.values())
    days = f"{observed.first[:10]} to {observed.last[:10]}"
    yield f"# Learned from {observed.sagas:,} sagas with {calls:,} calls, {days}."
    yield "# Every tool is irreversible here, whatever the traces claim, so each call needs an approval."
    yield f"# {_MARK}: look at each tool, set its class, say what undoes it, and write rules and limits."
    if observed.left_out:
        yield f"# {observed.left_out:,} calls of further tools are left out: there were too many tools."
    yield ""


def _members(name: str, owner: str) -> Iterator[str]:
    yield f"policy: {_quoted(name)}"
    yield "version: 1"
    yield f"owner: {_quoted(owner)}"
    yield "tools:"


def _tools(observed: Observed) -> Iterator[str]:
    for name in sorted(observed.tools):
        if _NAME.fullmatch(name):
            yield from _tool(observed.tools[name])
        else:
            yield f"  # {_MARK}: a policy cannot declare {shown(name)}, so it is refused: {_seen(observed.tools[name])}"


def _tool(tool: ToolSeen) -> Iterator[str]:
    yield f"  # {_MARK}: {_seen(tool)}"
    yield from (f"  # {line}" for line in _claims(tool))
    yield from (f"  # {line}" for line in (*_amounts(tool), *_moved(tool)))
    yield f"  {_key(tool.name)}:"
    yield "    semantics: irreversible"
    if tool.calls:
        yield from _args(tool.args.schema() | {"type": "object"})


def _seen(tool: ToolSeen) -> str:
    if not tool.calls:
        return f"declared and never called; proposed {tool.proposals:,} times"
    refused = tool.proposals - tool.calls
    return f"{tool.calls:,} calls" + (f", {refused:,} more only proposed" if refused > 0 else "")


def _claims(tool: ToolSeen) -> Iterator[str]:
    if tool.claimed:
        yield f"claimed by calls: {_counts(tool.claimed)}"
    if tool.declared:
        yield f"declared by sagas: {_counts(tool.declared)}"
    if tool.undos:
        yield f"said to be undone by: {_counts(tool.undos)}"


def _moved(tool: ToolSeen) -> Iterator[str]:
    """Where sagas say that amounts stand: a place to look, for whoever writes amount and inverse."""
    if tool.pointers:
        yield f"said to move what stands in its arguments at: {_counts(tool.pointers)}"
    if tool.undo_pointers:
        yield f"its undos are said to give back what stands at: {_counts(tool.undo_pointers)}"
    elif tool.undos and tool.amounts:
        yield "no saga says where its undos name what they give back: nothing bounds them but inverse in a policy"


def _counts(found: Any) -> str:
    ordered = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{shown(name)} ({count:,})" for name, count in ordered[:8])


def _amounts(tool: ToolSeen) -> Iterator[str]:
    for currency in sorted(tool.amounts):
        found = tool.amounts[currency]
        least, most = (in_units(value, currency, thousands=",") for value in (found.least, found.most))
        yield f"amounts: {shown(currency)} {least} to {most} ({found.count:,} calls)"
    if tool.concealed_amounts:
        yield f"amounts that are concealed: {tool.concealed_amounts:,} calls"


def _args(schema: dict[str, Any]) -> Iterator[str]:
    yield from _member("args", schema, 4)


def _member(name: str, value: Any, indent: int) -> Iterator[str]:
    """A member as YAML: on one line as JSON where it is short, else its own members below it."""
    head = f"{' ' * indent}{name}:"
    text = json.dumps(value, ensure_ascii=True)
    if not isinstance(value, dict) or len(head) + len(text) < _WIDE:
        yield f"{head} {text}"
        return
    yield head
    for inner, part in value.items():
        yield from _member(_key(inner), part, indent + 2)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _key(name: str) -> str:
    """A name as YAML: bare where no reader could take it for anything else."""
    return name if _PLAIN.fullmatch(name) and name.lower() not in _WORDS else _quoted(name)
