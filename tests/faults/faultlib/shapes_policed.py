"""A good trace that is judged by a policy, of two sagas that spend one budget."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from .script import Saga, Script
from .shapes import Base
from .shop import BOOK, RESERVE, TOOLS, charge

POLICY_NAME = "policy.json"
_MONEY = {
    "type": "object",
    "properties": {"minor": {"type": "integer"}, "currency": {"type": "string"}},
    "required": ["minor", "currency"],
}
_SCHEMAS: dict[str, Any] = {
    "payments.charge": {"order": {"type": "string"}, "amount": _MONEY},
    "stock.reserve": {"sku": {"type": "string"}, "count": {"type": "integer"}},
}


def _tool(name: str) -> dict[str, Any]:
    tool: dict[str, Any] = {"semantics": TOOLS[name]["semantics"], "undo": TOOLS[name]["undo"]}
    schema = _SCHEMAS.get(name)
    return tool | ({"args": {"type": "object", "properties": schema, "required": list(schema)}} if schema else {})


POLICY: dict[str, Any] = {
    "policy": "shop",
    "version": 1,
    "owner": "risk@shop.example",
    "agents": ["buyer"],
    "tools": {name: _tool(name) for name in ("stock.reserve", "payments.charge", "shipping.book")},
    "rules": [
        {"id": "few-lamps", "when": 'tool == "stock.reserve" && args.count > 5', "then": "deny"},
        {
            "id": "large-charge",
            "when": 'tool == "payments.charge" && args.amount.minor > 50000',
            "then": {"approve": {"quorum": 1, "roles": ["treasury"]}},
        },
    ],
    "limits": [
        {
            "id": "daily-charges",
            "sum": "args.amount.minor",
            "of": 'tool == "payments.charge"',
            "per": ["args.amount.currency"],
            "window": "PT24H",
            "max": 9000,
        }
    ],
}
DIGEST = sha256(
    b"agent-saga/policy/v1\0" + json.dumps(POLICY, sort_keys=True, separators=(",", ":")).encode()
).hexdigest()


def _begun(script: Script, name: str) -> Saga:
    """A saga whose first line names the policy."""
    saga = script.saga(name)
    line = script.lines[-1]
    names = list(line)
    place = names.index("tools") + 1
    script.lines[-1] = {**{n: line[n] for n in names[:place]}, "policy": DIGEST, **{n: line[n] for n in names[place:]}}
    return saga


def policed_bases() -> list[Base]:
    """Two orders side by side, within the budget of a day that both spend."""
    script = Script("policed_orders")
    one, two = _begun(script, "order"), _begun(script, "order")
    for saga in (one, two):
        saga.effect("e1", "stock.reserve", RESERVE)
        saga.effect("e2", "payments.charge", charge(4200))
    one.effect("e3", "shipping.book", BOOK)
    one.succeeded("e1", "e2", "e3")
    two.succeeded("e1", "e2")
    about = "Two orders that a policy allows, within the budget that both spend."
    return [Base("policed_orders", script.finish(), about=about, policy=json.dumps(POLICY, indent=1) + "\n")]
