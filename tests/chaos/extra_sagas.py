"""Variations of the scenarios: a driver that thinks, for which each outcome is made durable; calls side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_saga.runtime import PlanDriver, SagaDefinition, Step, View
from agent_saga.testing import Runnable
from agent_saga.testing.scenarios import SCENARIOS, Scenario
from agent_saga.testing.scenarios.checkout import CHECKOUT, LIMITS


class Thinking(PlanDriver):
    """A driver that does not answer at once."""

    immediate = False


def _arguments(step: str, view: View) -> dict[str, Any]:
    tool = next(one for one in view.allowed if one.step == step)
    return {name: view.goal[name] for name in tool.schema["properties"]}


SIDE_BY_SIDE = SagaDefinition(
    "side-by-side",
    CHECKOUT.tools,
    CHECKOUT.checks,
    [
        Step("reserve_inventory", "reserve_inventory", after=()),
        Step("charge_payment", "charge_payment", after=()),
        Step("schedule_fulfillment", "schedule_fulfillment", after=("reserve_inventory", "charge_payment")),
    ],
    LIMITS,
)


class Extra(Scenario):
    """A scenario with another driver and definition."""

    @property
    def spec(self) -> str:
        return f"extra_sagas:{self.name.replace('-', '_')}"

    def __call__(self, store: Path) -> Runnable:
        runnable = super().__call__(store)
        if self.definition is SIDE_BY_SIDE:
            return replace(runnable, driver=PlanDriver(_arguments, together=True))
        return replace(runnable, driver=Thinking(_arguments))


def _extra(base: str, name: str, definition: SagaDefinition) -> Extra:
    one = SCENARIOS[base]
    return Extra(name, one.says, one.status, one.ledger, one.faults, one.undone, definition=definition)


thinking = _extra("business-failure", "thinking", CHECKOUT)
side_by_side = _extra("business-failure", "side-by-side", SIDE_BY_SIDE)
side_by_side_lost = _extra("lost-response", "side-by-side-lost", SIDE_BY_SIDE)

EXTRA = {one.name: one for one in (thinking, side_by_side, side_by_side_lost)}
