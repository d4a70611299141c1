"""The small shop whose traces are written: its tools, what they are called with, and what undoes them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

TOOLS: dict[str, dict[str, str]] = {
    "catalog.quote": {"version": "1", "semantics": "preview"},
    "stock.reserve": {"version": "1", "semantics": "reversible", "undo": "stock.release", "resource_from": "/sku"},
    "stock.release": {"version": "1", "semantics": "reversible"},
    "payments.charge": {
        "version": "1",
        "semantics": "compensable",
        "undo": "payments.refund",
        "amount_from": "/amount",
    },
    "payments.refund": {"version": "1", "semantics": "compensable", "amount_from": "/amount"},
    "shipping.book": {"version": "1", "semantics": "compensable", "undo": "shipping.cancel"},
    "shipping.cancel": {"version": "1", "semantics": "compensable"},
    "mail.send": {"version": "1", "semantics": "compensable"},
    "bank.wire": {"version": "1", "semantics": "irreversible", "amount_from": "/amount"},
}
ALLOWED = [name for name, spec in TOOLS.items() if "undo" in spec or spec["semantics"] in ("preview", "irreversible")]
ALLOWED.append("mail.send")
ARGS: dict[str, dict[str, Any]] = {
    "stock.reserve": {"sku": "lamp-7", "count": 1},
    "payments.charge": {"order": "A-1001"},
    "bank.wire": {"to": "supplier-3"},
}
INVERSE = {"stock.reserve": "stock.release", "payments.charge": "payments.refund", "shipping.book": "shipping.cancel"}
INVERSE |= {"mail.send": "mail.recall"}
ACTION = sha256(b"the action").hexdigest()


def money(minor: int) -> dict[str, Any]:
    """Euro cents."""
    return {"minor": minor, "currency": "EUR"}
