"""A saga of one call that does not return while a file lies beside the store: `STORE.hold`."""

from __future__ import annotations

import time
from pathlib import Path

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Facts,
    Found,
    Landed,
    PlanDriver,
    Result,
    SagaDefinition,
    Step,
    tool,
)
from agent_saga.testing import Runnable
from agent_saga.testing.scenarios.checkout import LIMITS, release_inventory
from agent_saga.testing.scenarios.shop import Shop


@tool(name="reserve_slowly", semantics="compensable", undo=release_inventory)
def reserve_slowly(item: str, store: str, *, call: Call) -> Result:
    """Reserve, then wait."""
    booking = call.provider("stock").reserve(item, 1, call.key)
    Path(f"{store}.entered").touch()
    while Path(f"{store}.hold").exists():
        time.sleep(0.01)
    return Result(booking.reference, release_inventory.call(reservation=booking.reference))


@reserve_slowly.reconcile
def _found(call: Call) -> Found:
    found = call.provider("stock").find("reserve", call.key)
    return Landed(found.reference, release_inventory.call(reservation=found.reference)) if found else Absent()


def reserved(facts: Facts) -> Checked:
    """The goods are set aside."""
    return Checked(facts.provider("stock").get(facts.results["reserve"]) is not None)


HELD = SagaDefinition("held", [reserve_slowly], [reserved], [Step("reserve", "reserve_slowly")], LIMITS)


def runnable(store: Path) -> Runnable:
    """Over the shop beside the store."""
    driver = PlanDriver(lambda step, view: {"item": "lamp-7", "store": str(store)})
    return Runnable(HELD, driver, Shop.beside(store).providers)
