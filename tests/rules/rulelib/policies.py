"""The policy of the fixtures and its waivers. Nothing of the policies part is used: digests are written down anew."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from .shop import TOOLS
from .signing import jcs, private, unpadded

MONEY = {
    "type": "object",
    "properties": {"minor": {"type": "integer"}, "currency": {"type": "string"}},
    "required": ["minor", "currency"],
}
SCHEMAS: dict[str, Any] = {
    "payments.charge": {"order": {"type": "string"}, "amount": MONEY},
    "bank.wire": {"to": {"type": "string"}, "amount": MONEY},
    "stock.reserve": {"sku": {"type": "string"}, "count": {"type": "integer"}},
}


def _tool(name: str) -> dict[str, Any]:
    tool: dict[str, Any] = {"semantics": TOOLS[name]["semantics"]}
    tool |= {"undo": TOOLS[name]["undo"]} if "undo" in TOOLS[name] else {}
    schema = SCHEMAS.get(name)
    return tool | ({"args": {"type": "object", "properties": schema, "required": list(schema)}} if schema else {})


NAMES = ("catalog.quote", "stock.reserve", "payments.charge", "shipping.book", "bank.wire")
CHARGE = 'tool == "payments.charge"'
WIRE = 'tool == "bank.wire"'
SHOP: dict[str, Any] = {
    "policy": "shop",
    "version": 1,
    "owner": "risk@shop.example",
    "tools": {name: _tool(name) for name in NAMES},
    "rules": [
        {"id": "no-huge-charge", "when": f"{CHARGE} && args.amount.minor > 900000", "then": "deny"},
        {
            "id": "large-charge-needs-two",
            "when": f"{CHARGE} && args.amount.minor > 50000",
            "then": {"approve": {"quorum": 2, "roles": ["treasury"], "within": "PT15M"}},
        },
        {"id": "few-lamps", "when": 'tool == "stock.reserve" && args.count > 10', "then": "deny"},
        {
            "id": "wire-needs-two",
            "when": f"{WIRE} && args.amount.minor > 100000",
            "then": {"approve": {"quorum": 2, "roles": ["treasury"]}},
        },
        {
            "id": "wire-needs-hardware",
            "when": f"{WIRE} && args.amount.minor > 50000",
            "then": {"approve": {"roles": ["treasury", "board"], "strength": "C"}},
        },
    ],
    "limits": [
        {
            "id": "daily-charges",
            "sum": "args.amount.minor",
            "of": CHARGE,
            "per": ["args.amount.currency"],
            "window": "PT24H",
            "max": 100000,
            "then": {"approve": {"quorum": 1, "roles": ["treasury"]}},
        },
        {"id": "booking-rate", "of": 'tool == "shipping.book"', "window": "PT1H", "max": 2},
    ],
    "irreversible": {"quorum": 1, "roles": ["treasury"]},
    "decide": {"undone": {"roles": ["decider"]}, "kept": {"roles": ["decider"]}},
    "waive": {"roles": ["treasury"]},
}
SHOP_NAME = "shop.policy.json"


def digest(policy: dict[str, Any]) -> str:
    """SHA-256 over the domain and the canonical policy without its tests."""
    return sha256(b"agent-saga/policy/v1\0" + jcs({k: v for k, v in policy.items() if k != "tests"})).hexdigest()


DIGEST = digest(SHOP)
POLICY_FILES = {SHOP_NAME: json.dumps(SHOP, indent=1).encode() + b"\n"}


def waiver(rule: str, key_id: str = "ana-1", sign: bool = True, **members: str) -> dict[str, Any]:
    """A waiver by Ana, who asked for nothing herself. sign: with the key of this id."""
    value: dict[str, Any] = {"id": "W-3", "rule": rule, "reason": "migration", "owner": "p-17", "approved_by": "p-ana"}
    value |= {"created": "2026-01-02", "expires": "2026-01-05"} | members
    signed = b"agent-saga-waiver-v1 sha256:" + _digest(value).hex().encode()
    proof = {"scheme": "ed25519", "key_id": key_id, "signature": unpadded(private(key_id).sign(signed))}
    return value | ({"proof": proof} if sign else {})


def _digest(value: dict[str, Any]) -> bytes:
    return sha256(b"agent-saga/waiver/v1\0" + jcs(value | {"policy": SHOP["policy"]})).digest()


def waivers(*some: dict[str, Any]) -> bytes:
    """A file of waivers."""
    return json.dumps({"policy": SHOP["policy"], "waivers": list(some)}, indent=1).encode() + b"\n"
