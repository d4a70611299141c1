"""A child saga ends with its parent, and is undone with it, wherever either dies."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import pytest
from runtime_exploring import Lines, Stop
from runtime_world import DEAF, LOST_LANDED, NEVER, NOW, World, pair, shop

from agent_saga.runtime import Engine, Limits, PlanDriver, SagaDefinition, Step, saga_tool

INNER = PlanDriver(lambda step, view: {"item": step}, name="inner")
OUTER = PlanDriver(lambda step, view: {"goal": {"n": 1}} if step == "c" else {"item": step}, name="outer")


def parent(engine: Engine, world: World, goal: bool) -> SagaDefinition:
    child = shop(world, ("a", "b"))

    def reached(facts: Any) -> bool:
        return goal

    tools = [saga_tool(engine, child, INNER, name="child"), pair("d")[0]]
    return SagaDefinition("outer", tools, [reached], [Step("c", "child"), Step("d", "d")], Limits(backoff=0.0))


async def main(behaviour: Any, goal: bool, stop: int, late: bool = False) -> tuple[Any, World, Lines, int]:
    world, store = World(behaviour), Lines()
    NOW.set(world)
    store.left, store.late = stop, late
    try:
        engine = Engine(store)  # type: ignore[arg-type]
        report = await engine.run(parent(engine, world, goal), OUTER, saga="outer-1")
    except Stop:
        store.left = -1
        engine = Engine(store)  # type: ignore[arg-type]
        definition = parent(engine, world, goal)
        await engine.recover([(definition, OUTER)])
        report = await engine.run(definition, OUTER, saga="outer-1")
    return report, world, store, sum(map(len, store.kept.values()))


CASES = [
    ({}, True, "succeeded_verified", {"a": 1, "b": 1, "d": 1}),
    ({}, False, "compensated_verified", {}),
    ({"d": NEVER}, True, "compensated_verified", {}),
    ({"b": NEVER}, True, "aborted_clean", {}),
    ({"b": LOST_LANDED}, False, "compensated_verified", {}),
]


@pytest.mark.parametrize("behaviour, goal, status, standing", CASES)
def test_a_child_stands_or_falls_with_its_parent(
    run: Any, judge: Any, behaviour: Any, goal: bool, status: str, standing: Any
) -> None:
    _, _, _, total = run(main(behaviour, goal, -1))
    for stop, late in [(-1, False), *product(range(1, total), (False, True))]:
        report, world, store, _ = run(main(behaviour, goal, stop, late))
        lines = [line for saga in store.kept.values() for line in saga]
        found = [(finding.code, finding.because) for finding in judge(lines).findings]
        assert (report.status, world.standing, found) == (status, standing, []), (stop, late)
        assert not world.repeats


def test_a_child_that_waits_for_a_person_makes_its_parent_wait(judge: Any) -> None:
    report, _, store, _ = asyncio.run(main({"b": DEAF}, True, -1))
    assert report.status == "paused"
    lines = [line for saga in store.kept.values() for line in saga]
    assert {finding.code for finding in judge(lines).findings} == {"AS504"}
