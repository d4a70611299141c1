"""The digest of one exact action, which approvers sign.

``action = SHA-256("agent-saga/action/v1\\0" || JCS{...})``; JCS is RFC 8785, which for values without floats is compact
JSON with names in the order of their UTF-16 code units.
"""

import json
from hashlib import sha256
from typing import Any, Final

import msgspec

from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.tools import Tool

_sorted = msgspec.json.Encoder(order="sorted").encode
DOMAIN: Final = b"agent-saga/action/v1\0"


def action_digest(state: State, step: str, tool: Tool, args: dict[str, Any]) -> str:
    """The digest of calling this tool with these arguments, in the form written on the line, at this step."""
    started = state.started
    content = {
        "log": started.log if started else "",
        "start": state.start,
        "saga": state.saga,
        "step": step,
        "tool": {"name": tool.name, "version": tool.version, "schema": tool.spec.schema},
        "args": args,
        "semantics": tool.semantics,
        "policy": started.policy if started else None,
        "keys": started.keys if started else None,
    }
    return sha256(DOMAIN + canonical(content)).hexdigest()


def canonical(value: Any) -> bytes:
    """Canonical JSON of a value without floats (RFC 8785).

    Where all is ASCII, the order of code points is that of UTF-16 code units, and one encoder does it all.
    """
    written = _sorted(value)
    if written.isascii():
        return written
    return json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":")).encode()


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value, key=lambda text: text.encode("utf-16-be"))}
    if isinstance(value, list | tuple):
        return [_ordered(item) for item in value]
    return value
