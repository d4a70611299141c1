"""Alternatives tried side by side: the first that is done wins, the others are undone, wherever the process dies."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from runtime_exploring import PERSON, Clock, Lines, Stop, _no_sleep, _truth
from runtime_world import (
    DEAF,
    FAIL,
    LOST_ABSENT,
    LOST_LANDED,
    NEVER,
    NOW,
    OK,
    RETRY,
    World,
    pair,
)

from agent_saga.runtime import (
    Checked,
    DefinitionError,
    Engine,
    Facts,
    Limits,
    PlanDriver,
    SagaDefinition,
    StaticGate,
    Step,
)
from agent_saga.runtime.kernel import undoing
from agent_saga.runtime.kernel.actions import Moment
from agent_saga.runtime.kernel.choosing import undo_beaten
from agent_saga.runtime.kernel.fold import apply
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.codec import decode

LATE = Moment("2027-01-01T00:00:00.000000Z")
TOGETHER = PlanDriver(lambda step, view: {"item": step}, together=True)
STEPS = (
    Step("a", "a"),
    Step("b", "b", branch="carrier.fast"),
    Step("c", "c", branch="carrier.cheap"),
    Step("d", "d"),
)


def order(world: World, steps: Any = STEPS, goal: bool = True) -> SagaDefinition:
    NOW.set(world)

    def reached(facts: Facts) -> Checked:
        return Checked(goal, sorted(facts.results))

    return SagaDefinition("order", [pair(step.name)[0] for step in steps], [reached], steps, Limits(backoff=0.0))


async def play(world: World, stop: int = -1, late: bool = False, **options: Any) -> tuple[Any, list[bytes], int]:
    """Run it, let it die once, go on, let a truthful person decide; what it reports, its lines, and the decisions."""
    store, clock, decisions = Lines(), Clock(), 0
    definition = order(world, **options)
    store.left, store.late = stop, late
    for _ in range(20):
        engine = Engine(store, gate=StaticGate(persons=frozenset({PERSON})), clock=clock, sleep=_no_sleep)  # type: ignore[arg-type]
        try:
            report = await engine.run(definition, TOGETHER, saga="s-1")
            if report.status != "paused":
                break
            for target in report.about:
                decisions += 1
                await engine.decide("s-1", _truth(world, report, target))
        except Stop:
            store.left = -1
    return report, store.kept["s-1"], decisions


def chosen(lines: list[bytes]) -> list[str]:
    events = [decode(line)[0] for line in lines]
    return [f"{one.branch}.{one.winner}" for one in events if one.type == "branch.chosen"]


@pytest.mark.parametrize(
    "delays, winner", [({"b": 0, "c": 3}, "fast"), ({"b": 3, "c": 0}, "cheap")], ids=["b first", "c first"]
)
def test_the_first_that_is_done_wins_and_the_other_is_undone(
    run: Any, judge: Any, delays: dict[str, int], winner: str
) -> None:
    world = World(delays=delays)
    report, lines, _ = run(play(world))
    kept, lost = ("b", "c") if winner == "fast" else ("c", "b")
    assert report.status == "succeeded_verified"
    assert chosen(lines) == [f"carrier.{winner}"]
    assert world.standing == {"a": 1, kept: 1, "d": 1}
    assert world.order.index(f"{lost}.undo") < world.order.index("d")
    assert [report.state.effects[name].plan for name in report.held] == ["a", kept, "d"]
    assert not judge(lines).findings


BEHAVIOURS = (OK, FAIL, RETRY, LOST_LANDED, LOST_ABSENT, DEAF)


@pytest.mark.parametrize("fast, cheap", list(product(BEHAVIOURS, repeat=2)))
@pytest.mark.parametrize("undo", [OK, RETRY, LOST_LANDED, NEVER, DEAF])
def test_whatever_the_providers_do_exactly_one_option_stands_or_none(
    run: Any, judge: Any, fast: str, cheap: str, undo: str
) -> None:
    behaviour = {"b": fast, "c": cheap, "b.undo": undo, "c.undo": undo}
    world = World(dict(behaviour))
    report, lines, decisions = run(play(world))
    standing = world.standing
    if report.status == "succeeded_verified":
        assert sorted(standing) in (["a", "b", "d"], ["a", "c", "d"])
        assert set(standing.values()) == {1}
        assert len(chosen(lines)) == 1
    else:
        assert report.status in ("compensated_verified", "closed_with_exceptions")
        assert fast in (FAIL, DEAF) or cheap in (FAIL, DEAF) or undo in (NEVER, DEAF)
        assert standing == {}
    if FAIL in (fast, cheap) and fast != cheap and DEAF not in (fast, cheap):
        assert chosen(lines) == ["carrier.cheap" if fast == FAIL else "carrier.fast"]
    assert not world.repeats
    assert {one.code for one in judge(lines).findings} == ({"AS507"} if decisions else set())


@pytest.mark.parametrize("goal", [True, False])
@pytest.mark.parametrize("behaviour", [{}, {"b": FAIL}, {"c": LOST_LANDED}, {"c.undo": LOST_LANDED}])
def test_killed_after_any_line_it_ends_the_same(run: Any, judge: Any, behaviour: dict[str, str], goal: bool) -> None:
    _, whole, _ = run(play(World(dict(behaviour)), goal=goal))
    for stop, late in product(range(1, len(whole)), (False, True)):
        world = World(dict(behaviour))
        report, lines, decisions = run(play(world, stop, late, goal=goal))
        assert report.status == ("succeeded_verified" if goal else "compensated_verified"), (stop, late)
        assert len(world.standing) == (3 if goal else 0)
        assert set(world.standing.values()) <= {1}
        assert not world.repeats
        assert not decisions
        assert not judge(lines).findings, (stop, late)


def test_an_option_of_several_steps_is_done_when_all_of_them_are(run: Any, judge: Any) -> None:
    steps = (
        Step("a", "a", branch="way.long"),
        Step("b", "b", branch="way.long"),
        Step("c", "c", branch="way.short"),
        Step("d", "d", after=()),
    )
    world = World({"b": FAIL})
    report, lines, _ = run(play(world, steps=steps))
    assert (report.status, chosen(lines)) == ("succeeded_verified", ["way.short"])
    assert world.standing == {"c": 1, "d": 1}
    assert not judge(lines).findings
    world = World({"c": FAIL})
    report, lines, _ = run(play(world, steps=steps))
    assert (report.status, chosen(lines)) == ("succeeded_verified", ["way.long"])
    assert world.standing == {"a": 1, "b": 1, "d": 1}
    assert not judge(lines).findings


def test_what_still_waits_for_an_approval_when_it_lost_is_refused_and_escalates_nobody(run: Any, judge: Any) -> None:
    async def main() -> tuple[Any, list[bytes]]:
        world, store = World(), Lines()
        definition = order(world)
        engine = Engine(store, gate=StaticGate(approve=frozenset({"c"})), sleep=_no_sleep)  # type: ignore[arg-type]
        report = await engine.run(definition, TOGETHER, saga="s-1")
        assert world.standing == {"a": 1, "b": 1, "d": 1}
        return report, store.kept["s-1"]

    report, lines = run(main())
    assert report.status == "succeeded_verified"
    assert [(one.step, one.code) for one in report.state.refusals] == [("c", "branch_lost")]
    assert not judge(lines).findings


@pytest.mark.parametrize(
    "steps, words",
    [
        ([Step("a", "a", branch="g.x")], "another option in the group"),
        ([Step("a", "a", branch="g"), Step("b", "b", branch="g.x")], "expected GROUP.OPTION"),
        ([Step("a", "a", branch="g.x.h.y"), Step("b", "b", branch="g.z")], "expected GROUP.OPTION"),
        ([Step("a", "a", branch="g.x", optional=True), Step("b", "b", branch="g.y")], "neither optional"),
        ([Step("a", "a", branch="g.x"), Step("b", "b", branch="g.y", after=("a",))], "of another option"),
        (
            [Step("a", "a", branch="g.x"), Step("b", "b", branch="g.y"), Step("c", "c", fallback_for="a")],
            "neither optional",
        ),
    ],
)
def test_a_group_that_could_not_be_decided_or_undone_is_refused(steps: list[Step], words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        order(World(), steps)


def test_what_cannot_be_undone_is_no_alternative() -> None:
    def reached(facts: Facts) -> bool:
        return True

    tools = [pair("w", "irreversible")[0], pair("a")[0]]
    with pytest.raises(DefinitionError, match="irreversible"):
        SagaDefinition("s", tools, [reached], [Step("w", "w", branch="g.x"), Step("a", "a", branch="g.y")])


@pytest.mark.parametrize("undo", [OK, FAIL, LOST_LANDED, NEVER, DEAF])
def test_once_what_lost_is_undone_nothing_more_is_looked_for(
    run: Any, monkeypatch: pytest.MonkeyPatch, undo: str
) -> None:
    """At every line of such a saga the kernel answers as it does where it goes through every effect again."""
    report, lines, _ = run(play(World({"c.undo": undo})))
    assert report.ended
    definition, state, looks = order(World()), State(), 0
    for line in lines:
        apply(state, line)
        if state.winners and not state.ended:
            found = undo_beaten(state, definition, StaticGate(), LATE)
            with monkeypatch.context() as every:
                every.setattr(undoing, "proves", lambda definition: True)
                assert undo_beaten(state, definition, StaticGate(), LATE) == found
            looks += found is not None
    assert looks
