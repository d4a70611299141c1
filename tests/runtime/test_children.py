"""A child saga ends with its parent, and is undone with it, wherever either dies."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Any

import pytest
from runtime_exploring import Lines, Stop
from runtime_world import DEAF, LOST_LANDED, NEVER, NOW, World, pair, shop

from agent_saga.runtime import Engine, Limits, NotRecovered, PlanDriver, SagaDefinition, Step, Tool, saga_tool
from agent_saga.runtime.jobs import tool_digests

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


def digest_with(change: Any) -> Any:
    """The digest of a tool, in a job, that runs a saga changed so."""
    child = shop(World(), ("a", "b"))
    engine = Engine(Lines())  # type: ignore[arg-type]
    made = saga_tool(engine, change(child), INNER, name="child")
    assert isinstance(made.undo, Tool)
    return tool_digests({"child": made, "child.undo": made.undo})["child"]


def deeper(child: SagaDefinition) -> SagaDefinition:
    """A saga whose tool runs the child in turn."""
    engine = Engine(Lines())  # type: ignore[arg-type]
    return replace(child, tools=[saga_tool(engine, child, INNER, name="grandchild")], steps=())


CHANGES = {
    "a step less": lambda child: replace(child, steps=child.steps[:1]),
    "another order": lambda child: replace(child, steps=child.steps[::-1]),
    "a tool less": lambda child: replace(child, tools=child.tools[:1], steps=child.steps[:1]),
    "another tool": lambda child: replace(child, tools=[*child.tools, pair("c")[0]]),
    "other limits": lambda child: replace(child, limits=Limits(backoff=0.0, turns=51)),
    "a budget": lambda child: replace(child, limits=Limits(backoff=0.0, money=MappingProxyType({"EUR": 1}))),
    "a pivot": lambda child: replace(child, pivot="a"),
    "a job": lambda child: replace(child, spec="0" * 64),
    "another name": lambda child: replace(child, name="shop2"),
    "deeper": deeper,
    "deeper, changed": lambda child: deeper(replace(child, steps=child.steps[:1])),
}


def test_the_digest_of_a_tool_that_runs_a_saga_covers_all_of_it() -> None:
    same = digest_with(lambda child: child)
    assert same == digest_with(lambda child: replace(child))
    found = [digest_with(change) for change in CHANGES.values()]
    assert len({same, *found}) == len(CHANGES) + 1, dict(zip(CHANGES, found, strict=True))


def test_a_parent_whose_child_changed_is_not_taken_up(run: Any) -> None:
    async def main() -> None:
        world, store = World(), Lines()
        NOW.set(world)
        store.left = 6
        engine = Engine(store)  # type: ignore[arg-type]
        with pytest.raises(Stop):
            await engine.run(parent(engine, world, True), OUTER, saga="outer-1")
        store.left = -1
        engine = Engine(store)  # type: ignore[arg-type]
        tools = [saga_tool(engine, shop(world, ("a",)), INNER, name="child"), pair("d")[0]]
        was = parent(engine, world, True)
        changed = SagaDefinition("outer", tools, list(was.goal_checks.values()), was.steps, was.limits)
        with pytest.raises(NotRecovered) as caught:
            await engine.recover([(changed, OUTER)])
        assert "began with other tools (child)" in str(caught.value.faults["outer-1"])
        assert (await engine.recover([(was, OUTER)]))[-1].status == "succeeded_verified"
        assert world.standing == {"a": 1, "b": 1, "d": 1}

    run(main())
