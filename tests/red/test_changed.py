"""A saga does not go on under another plan than the one under which its effects were made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from runtime_exploring import Clock, _no_sleep

from agent_saga.runtime import (
    Checked,
    Engine,
    Facts,
    Invocation,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    UnknownSaga,
    tool,
)
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.kernel.actions import View
from agent_saga.trace.store import Store, open_store

OLD = (Step("pay", "charge"), Step("ship", "send"))
OTHERS: dict[str, Sequence[Step]] = {
    "renamed": (Step("charge", "charge"), Step("ship", "send")),
    "for another tool": (Step("pay", "send"), Step("ship", "charge")),
    "left out": (Step("ship", "send"),),
    "no plan": (),
}


class Away(Exception):
    """The driver's process ends."""


class Shop:
    """Two tools, and what they did."""

    def __init__(self) -> None:
        self.made: list[str] = []

        @tool(name="undo", semantics="compensable")
        def undo(item: str) -> None:
            self.made.remove(item)

        def act(item: str) -> Result:
            self.made.append(item)
            return Result(item, undo=Invocation("undo", {"item": item}))

        self.tools = [tool(name=one, semantics="compensable", undo=undo)(act) for one in ("charge", "send")]

    def saga(self, steps: Sequence[Step]) -> SagaDefinition:
        """The saga by this plan."""

        def reached(facts: Facts) -> Checked:
            return Checked(True, None)

        return SagaDefinition("order", self.tools, [reached], steps)

    def run(self, store: Store, steps: Sequence[Step], driver: DecisionDriver) -> Report:
        """One run of the saga."""
        engine = Engine(store, gate=StaticGate(), clock=Clock(), sleep=_no_sleep)
        return asyncio.run(engine.run(self.saga(steps), driver, saga="s-1"))


def until_ship(step: str, view: View) -> dict[str, str]:
    """Arguments for every step but the last."""
    if step == "ship":
        raise Away
    return {"item": step}


@pytest.mark.parametrize("steps", OTHERS.values(), ids=OTHERS)
def test_what_was_done_is_not_done_again_under_another_plan(steps: Sequence[Step]) -> None:
    shop, store = Shop(), open_store(":memory:")
    with pytest.raises(Away):
        shop.run(store, OLD, PlanDriver(until_ship))
    with pytest.raises(UnknownSaga, match=r"pay \(charge\) is no step of the one given; go on with the plan"):
        shop.run(store, steps, PlanDriver(lambda step, view: {"item": step}))
    assert shop.made == ["pay"]


def test_a_plan_may_grow_behind_what_was_done() -> None:
    shop, store = Shop(), open_store(":memory:")
    with pytest.raises(Away):
        shop.run(store, OLD, PlanDriver(until_ship))
    grown = (*OLD, Step("tell", "send"))
    report = shop.run(store, grown, PlanDriver(lambda step, view: {"item": step}))
    assert (report.status, shop.made) == ("succeeded_verified", ["pay", "ship", "tell"])
