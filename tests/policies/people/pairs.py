"""Policies for tests, small and made of a condition; and a tool whose arguments have every type."""

from __future__ import annotations

import json
from typing import Any

from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy

ARGS: dict[str, Any] = {
    "type": "object",
    "required": ["i", "j", "d", "s", "b", "l", "m", "o", "amount"],
    "properties": {
        "i": {"type": "integer"},
        "j": {"type": "integer"},
        "d": {"type": "number"},
        "s": {"type": "string"},
        "t": {"type": "string"},
        "b": {"type": "boolean"},
        "n": {"type": "integer"},
        "l": {"type": "array", "items": {"type": "string"}},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        "o": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}},
        "amount": {
            "type": "object",
            "required": ["minor", "currency"],
            "properties": {"minor": {"type": "integer"}, "currency": {"type": "string", "enum": ["EUR", "JPY"]}},
        },
    },
}


def policy(*rules: dict[str, Any], **members: Any) -> Policy:
    """A policy with one tool `t` of every type of argument."""
    document = {
        "policy": "p",
        "version": 1,
        "owner": "o",
        "tools": {"t": {"semantics": "reversible", "args": ARGS}, **members.pop("tools", {})},
        "rules": list(rules),
        **members,
    }
    return load_policy("p.json", text=json.dumps(document).encode())


def rule(when: str, then: Any = "deny", ident: str = "r", **members: Any) -> dict[str, Any]:
    return {"id": ident, "when": when, "then": then, **members}


def denying(when: str) -> Policy:
    """A policy that denies calls for which the condition holds."""
    return policy(rule(when))
