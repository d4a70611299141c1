"""The small shop that the traces are about: its tools, its orders, and how each call is undone."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

TOOLS: dict[str, dict[str, str]] = {
    "catalog.quote": {"version": "1", "semantics": "preview"},
    "stock.reserve": {
        "version": "2",
        "semantics": "reversible",
        "undo": "stock.release",
        "resource_from": "/sku",
    },
    "stock.release": {"version": "2", "semantics": "reversible"},
    "payments.charge": {
        "version": "3",
        "semantics": "compensable",
        "undo": "payments.refund",
        "amount_from": "/amount",
    },
    "payments.refund": {"version": "3", "semantics": "compensable", "amount_from": "/amount"},
    "shipping.book": {"version": "1", "semantics": "compensable", "undo": "shipping.cancel"},
    "shipping.cancel": {"version": "1", "semantics": "compensable"},
    "orders.fulfil": {"version": "1", "semantics": "compensable", "undo": "orders.unfulfil"},
    "orders.unfulfil": {"version": "1", "semantics": "compensable"},
    "bank.wire": {"version": "1", "semantics": "irreversible", "amount_from": "/amount"},
}

ALLOWED = ["catalog.quote", "stock.reserve", "payments.charge", "shipping.book", "orders.fulfil", "bank.wire"]


def euro(minor: int) -> dict[str, Any]:
    """Money in the form of the format."""
    return {"minor": minor, "currency": "EUR"}


def charge(minor: int = 4200) -> dict[str, Any]:
    """Arguments of payments.charge."""
    return {"order": "A-1001", "amount": euro(minor)}


RESERVE = {"sku": "lamp-7", "count": 1}
BOOK = {"order": "A-1001", "service": "standard"}
QUOTE = {"sku": "lamp-7"}
FULFIL = {"order": "A-1001"}
ACTION = sha256(b"the action that was approved").hexdigest()


def inverse(tool: str, effect: str, args: dict[str, Any]) -> dict[str, Any] | None:
    """The undo that the tool's result leads to: tool, args and amount as they are recorded on the outcome."""
    if tool == "payments.charge":
        amount = args["amount"]
        return {
            "tool": "payments.refund",
            "args": {"charge": f"ch_{effect}", "amount": amount},
            "amount": amount,
        }
    named = TOOLS[tool].get("undo")
    return {"tool": named, "args": {"ref": f"ref_{effect}"}} if named else None
