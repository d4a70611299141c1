"""A rollback looks only at effects of which more can come, and goes on as if it had looked at all of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from runtime_exploring import FAIL, OK, Plan, every_stop, parallel, sampled, sequential
from runtime_world import NO_WAIT, World, shop

from agent_saga.runtime import Checked, Engine, PlanDriver, Result, SagaDefinition, Step, tool
from agent_saga.runtime.kernel import undoing
from agent_saga.runtime.kernel.actions import Moment
from agent_saga.runtime.kernel.fold import apply
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.store import open_store

LATE = Moment("2027-01-01T00:00:00.000000Z")


def no_wait(tries: int) -> float:
    return 0.0


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_next_undo_is_what_going_through_every_effect_would_find(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = list(sampled(size, 12, 11) if size > 1 else sequential(1))
    if size == 2:
        plans += parallel(undos=(OK, FAIL), forwards=(OK, FAIL))
    definition, looks = shop(World()), 0
    for run in asyncio.run(every_stop(iter(plans), "saga")):
        state = State()
        for line in run.lines:
            apply(state, line)
            if state.rollback is not None:
                found = undoing.step(state, definition, LATE, no_wait)
                with monkeypatch.context() as every:
                    every.setattr(undoing, "_undoable", lambda state, _: reversed(state.effects.values()))
                    assert undoing.step(state, definition, LATE, no_wait) == found
                looks += found is not None
    assert looks > 40


def test_an_undo_that_a_tool_can_prove_is_proven_though_nothing_newer_stands(run: Any) -> None:
    proven: list[str] = []

    @tool(name="back", semantics="compensable")
    async def back(item: str) -> str:
        return item

    @back.check
    async def _(call: Any) -> Checked:
        proven.append(call.args["item"])
        return Checked(True)

    @tool(name="take", semantics="compensable", undo=back)
    async def take(item: str) -> Result:
        return Result({}, undo=back.call(item=item))

    def never(facts: Any) -> bool:
        return False

    steps = [Step(name, "take") for name in "abc"]
    definition = SagaDefinition("s", [take], [never], steps, NO_WAIT)
    driver = PlanDriver(lambda step, view: {"item": step})
    report = run(Engine(open_store(":memory:")).run(definition, driver))
    assert report.status == "compensated_verified"
    assert proven == ["c", "b", "a"]
    assert report.state.verified == dict.fromkeys(("e3", "e2", "e1"), True)
