"""The checkout's tools: reserve, charge, schedule, each with its undo and its question to the provider."""

from typing import Any, Final

from pydantic import BaseModel

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Facts,
    Found,
    Landed,
    Limits,
    Result,
    SagaDefinition,
    Step,
    Unresolved,
    tool,
)
from agent_saga.testing.providers import Booking

ACTIVE: Final = "active"
LIMITS: Final = Limits(backoff=0.02)
"""A simulated provider answers at once, so nobody has to wait long for it."""


class Money(BaseModel):
    """An amount as a trace writes it."""

    minor: int
    currency: str


@tool(name="release_inventory", semantics="compensable")
def release_inventory(reservation: str, *, call: Call) -> dict[str, str]:
    """Put reserved goods back."""
    return {"release": call.provider("stock").release(reservation, call.key).reference}


@tool(name="refund_payment", semantics="compensable", amount_from="/amount")
def refund_payment(charge: str, amount: Money, *, call: Call) -> dict[str, str]:
    """Give a charge back."""
    return {"refund": call.provider("payments").refund(charge, amount.model_dump(), call.key).reference}


@tool(name="cancel_fulfillment", semantics="compensable")
def cancel_fulfillment(shipment: str, *, call: Call) -> dict[str, str]:
    """Call a shipment off."""
    return {"cancel": call.provider("delivery").cancel(shipment, call.key).reference}


def _reserved(booking: Booking) -> Result:
    undo = release_inventory.call(reservation=booking.reference)
    return Result({"reservation": booking.reference}, undo)


def _charged(booking: Booking) -> Result:
    undo = refund_payment.call(charge=booking.reference, amount=booking.args["amount"])
    return Result({"charge": booking.reference}, undo)


def _scheduled(booking: Booking) -> Result:
    return Result({"shipment": booking.reference}, cancel_fulfillment.call(shipment=booking.reference))


@tool(name="reserve_inventory", semantics="compensable", undo=release_inventory)
def reserve_inventory(item: str, quantity: int, *, call: Call) -> Result:
    """Set goods aside for the order."""
    return _reserved(call.provider("stock").reserve(item, quantity, call.key))


@tool(name="charge_payment", semantics="compensable", undo=refund_payment, amount_from="/amount")
def charge_payment(card: str, amount: Money, *, call: Call) -> Result:
    """Take the price from the customer's card."""
    return _charged(call.provider("payments").charge(card, amount.model_dump(), call.key))


@tool(name="schedule_fulfillment", semantics="compensable", undo=cancel_fulfillment)
def schedule_fulfillment(order: str, address: str, *, call: Call) -> Result:
    """Order the shipment."""
    return _scheduled(call.provider("delivery").schedule(order, address, call.key))


def _ask(call: Call, provider: str, action: str) -> Booking | Absent | Unresolved:
    """What the provider says of a key."""
    try:
        booking: Booking | None = call.provider(provider).find(action, call.key)
    except TimeoutError as silence:
        return Unresolved(str(silence))
    return Absent() if booking is None else booking


@reserve_inventory.reconcile
def _reserve_found(call: Call) -> Found:
    found = _ask(call, "stock", "reserve")
    return _landed(_reserved(found)) if isinstance(found, Booking) else found


@charge_payment.reconcile
def _charge_found(call: Call) -> Found:
    found = _ask(call, "payments", "charge")
    return _landed(_charged(found)) if isinstance(found, Booking) else found


@schedule_fulfillment.reconcile
def _schedule_found(call: Call) -> Found:
    found = _ask(call, "delivery", "schedule")
    return _landed(_scheduled(found)) if isinstance(found, Booking) else found


@release_inventory.reconcile
def _release_found(call: Call) -> Found:
    found = _ask(call, "stock", "release")
    return Landed({"release": found.reference}) if isinstance(found, Booking) else found


@refund_payment.reconcile
def _refund_found(call: Call) -> Found:
    found = _ask(call, "payments", "refund")
    return Landed({"refund": found.reference}) if isinstance(found, Booking) else found


@cancel_fulfillment.reconcile
def _cancel_found(call: Call) -> Found:
    found = _ask(call, "delivery", "cancel")
    return Landed({"cancel": found.reference}) if isinstance(found, Booking) else found


def _landed(result: Result) -> Landed:
    return Landed(result.value, result.undo)


def verify_order(facts: Facts) -> Checked:
    """Every part of the order stands at its provider."""
    seen: dict[str, Any] = {}
    for step, provider, name in (
        ("reserve_inventory", "stock", "reservation"),
        ("charge_payment", "payments", "charge"),
        ("schedule_fulfillment", "delivery", "shipment"),
    ):
        booking = facts.provider(provider).get(facts.results[step][name])
        seen[provider] = booking.status if booking else "missing"
    return Checked(all(status == ACTIVE for status in seen.values()), seen)


CHECKOUT: Final = SagaDefinition(
    "checkout",
    tools=[reserve_inventory, charge_payment, schedule_fulfillment],
    checks=[verify_order],
    steps=[Step(name, name) for name in ("reserve_inventory", "charge_payment", "schedule_fulfillment")],
    limits=LIMITS,
    summary="Sell one item: reserve it, charge the card, order the shipment.",
)
