"""Good traces that are judged by a policy: two sagas that spend one budget, and a refund of which only it knows."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from .script import Saga, Script
from .shapes import Base
from .shop import BOOK, RESERVE, TOOLS, charge

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
REFUNDS: dict[str, Any] = POLICY | {
    "tools": POLICY["tools"]
    | {
        "payments.charge": POLICY["tools"]["payments.charge"]
        | {
            "amount": "args.amount",
            "inverse": {
                "args": {
                    "type": "object",
                    "properties": {"charge": {"type": "string"}, "order": {"type": "string"}, "amount": _MONEY},
                    "required": ["charge", "order", "amount"],
                },
                "amount": "undo.amount",
                "must": "undo.order == args.order",
            },
        }
    }
}
"""The same policy, which says what a refund must be."""


def policy_name(base: str) -> str:
    """The file beside the faults that a base's policy stands in."""
    return {"policed_orders": "policy.json", "policed_refund": "policy_of_refunds.json"}[base]


def _digest(policy: dict[str, Any]) -> str:
    whole = json.dumps(policy, sort_keys=True, separators=(",", ":")).encode()
    return sha256(b"agent-saga/policy/v1\0" + whole).hexdigest()


def _begun(script: Script, name: str, policy: dict[str, Any] = POLICY) -> Saga:
    """A saga whose first line names the policy."""
    saga = script.saga(name)
    line = script.lines[-1]
    names = list(line)
    place = names.index("tools") + 1
    script.lines[-1] = {
        **{n: line[n] for n in names[:place]},
        "policy": _digest(policy),
        **{n: line[n] for n in names[place:]},
    }
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
    orders = Base("policed_orders", script.finish(), about=about, policy=json.dumps(POLICY, indent=1) + "\n")
    return [orders, _refunded()]


def _refunded() -> Base:
    """A charge and its refund; the catalogue names no amounts, the policy does."""
    script = Script("policed_refund")
    saga = _begun(script, "order", REFUNDS)
    saga.effect("e1", "payments.charge", charge(4200))
    saga.rollback()
    saga.undo("u1", "e1")
    saga.compensated()
    for line in script.lines:
        line.pop("amount", None)
        if line["type"] == "saga.started":
            bare = {n: {k: v for k, v in spec.items() if k != "amount_from"} for n, spec in line["tools"].items()}
            line["tools"] = line["tools"] | {n: bare[n] for n in ("payments.charge", "payments.refund")}
        if "undo" in line and line["type"] == "effect.succeeded":
            line["undo"] = {"tool": line["undo"]["tool"], "args": line["undo"]["args"] | {"order": "A-1001"}}
        if line["type"] == "undo.intended":
            line["args"] = line["args"] | {"order": "A-1001"}
    about = "A charge and its refund, whose amounts stand where only the policy says."
    return Base("policed_refund", script.finish(), about=about, policy=json.dumps(REFUNDS, indent=1) + "\n")
