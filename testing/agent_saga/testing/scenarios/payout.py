"""A payout: goods are set aside, and the supplier is paid by a wire, which nothing takes back."""

from typing import Final

from agent_saga.runtime import Absent, Call, Checked, Facts, Found, Landed, SagaDefinition, Step, tool
from agent_saga.testing.scenarios.checkout import LIMITS, Money, reserve_inventory


@tool(name="wire_supplier", semantics="irreversible", amount_from="/amount", strict=True)
def wire_supplier(account: str, amount: Money, *, call: Call) -> dict[str, str]:
    """Pay the supplier by wire."""
    return {"wire": call.provider("bank").wire(account, amount.model_dump(), call.key).reference}


@wire_supplier.reconcile
def _wire_found(call: Call) -> Found:
    booking = call.provider("bank").find("wire", call.key)
    return Landed({"wire": booking.reference}) if booking else Absent()


def verify_payout(facts: Facts) -> Checked:
    """The wire stands in the bank's books."""
    booking = facts.provider("bank").get(facts.results["wire_supplier"]["wire"])
    return Checked(booking is not None, {"wire": booking.reference if booking else None})


PAYOUT: Final = SagaDefinition(
    "payout",
    tools=[reserve_inventory, wire_supplier],
    checks=[verify_payout],
    steps=[Step("reserve_inventory", "reserve_inventory"), Step("wire_supplier", "wire_supplier")],
    limits=LIMITS,
    summary="Set goods aside and pay their supplier.",
)
