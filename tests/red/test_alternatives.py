"""Steps beside and behind a group of options: what loses is undone, whatever was done meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from runtime_exploring import PERSON, Clock, Lines, _no_sleep
from runtime_world import NEVER, NOW, World, pair

from agent_saga.runtime import (
    Checked,
    DefinitionError,
    Engine,
    Facts,
    Limits,
    PersonDecision,
    Proposal,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
)
from agent_saga.runtime.kernel.state import State


def reached(facts: Facts) -> Checked:
    """The goal holds."""
    return Checked(True, sorted(facts.results))


def definition(*steps: Step) -> SagaDefinition:
    """A saga of these steps, over the tools a to e."""
    return SagaDefinition("order", [pair(name)[0] for name in "abcde"], [reached], steps, Limits(backoff=0.0))


def played(saga: SagaDefinition, world: World, order: str) -> Any:
    """The saga's report when its steps are proposed in this order."""
    NOW.set(world)
    engine = Engine(Lines(), gate=StaticGate(), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    driver = ScriptedDriver([Proposal(saga.plan[one].tool, {"item": one}, one) for one in order.split()])
    return asyncio.run(engine.run(saga, driver, saga="s-1"))


def after(state: State, step: str) -> list[str]:
    """The steps that a step's effect depends on."""
    (effect,) = state.of_step(step)
    assert effect.after is not None
    return [state.effects[name].step for name in effect.after]


def test_what_lost_is_undone_though_an_independent_step_was_done_after_it() -> None:
    saga = definition(
        Step("first", "a"),
        Step("x0", "b", after=(), branch="g.x"),
        Step("x1", "c", branch="g.x"),
        Step("y0", "d", after=(), branch="g.y"),
    )
    world = World()
    report = played(saga, world, "x0 first y0")
    assert (report.status, world.standing) == ("succeeded_verified", {"a": 1, "d": 1})
    assert after(report.state, "first") == []


def test_a_step_behind_a_part_of_a_group_waits_until_the_group_is_decided() -> None:
    saga = definition(
        Step("x0", "a", after=(), branch="g.x"),
        Step("x1", "b", after=("x0",), branch="g.x"),
        Step("y0", "c", after=(), branch="g.y"),
        Step("behind", "d", after=("x0",)),
    )
    assert saga.needs["behind"] == {"x0", "x1", "y0"}
    world = World()
    report = played(saga, world, "x0 behind y0 behind")
    assert (report.status, world.standing) == ("succeeded_verified", {"c": 1, "d": 1})
    assert [one.step for one in report.state.refusals] == ["behind"]


def test_a_plan_in_which_a_group_waits_for_what_waits_for_it_is_refused() -> None:
    with pytest.raises(DefinitionError, match="wait for each other"):
        definition(Step("x0", "a", branch="g.x"), Step("between", "b"), Step("y0", "c", branch="g.y"))


def test_a_step_depends_on_the_fallback_of_a_fallback_that_was_made_for_the_one_it_needs() -> None:
    saga = definition(
        Step("pay", "a"),
        Step("pay2", "b", fallback_for="pay"),
        Step("pay3", "c", fallback_for="pay2"),
        Step("ship", "d", after=("pay",)),
    )
    report = played(saga, World({"a": NEVER, "b": NEVER}), "pay pay2 pay3 ship")
    assert report.status == "succeeded_verified"
    assert after(report.state, "ship") == ["pay", "pay2", "pay3"]


def test_a_person_who_undid_an_effect_by_hand_is_not_told_that_its_undo_landed_too() -> None:
    world, asked = World({"a.undo": "lost, landed, never told", "b": NEVER}), Lines()
    NOW.set(world)
    saga = definition(Step("pay", "a"), Step("ship", "b"))

    async def run() -> Any:
        engine = Engine(asked, gate=StaticGate(persons=frozenset({PERSON})), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
        driver = ScriptedDriver([Proposal("a", {"item": "x"}, "pay"), Proposal("b", {"item": "x"}, "ship")])
        report = await engine.run(saga, driver, saga="s-1")
        assert (report.status, report.about) == ("paused", ("u1",))
        world.behaviour.clear()  # the provider answers again
        await engine.decide("s-1", PersonDecision("u1", "undone", PERSON, "by hand", report.pause))
        return await engine.run(saga, driver, saga="s-1")

    report = asyncio.run(run())
    assert report.status == "closed_with_exceptions"
    assert not any(b'"found":"landed"' in line for line in asked.kept["s-1"])
