"""A saga runs, dies, recovers, and its trace certifies."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from runtime_world import DEAF, FAIL, LOST_ABSENT, LOST_LANDED, NEVER, World, shop

from agent_saga.runtime import (
    Engine,
    LeaseLost,
    Limits,
    NotEntitled,
    NotRecovered,
    PersonDecision,
    PlanDriver,
    StaleDecision,
    StaticGate,
)
from agent_saga.trace.store import open_store
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.memory import MemoryEngine

DRIVER = PlanDriver(lambda step, view: {"item": step})


def much_later() -> datetime:
    """A clock that is an hour ahead: requests for approval have ended by then."""
    return datetime.now(UTC) + timedelta(hours=1)


def codes(report: Any) -> list[str]:
    return sorted(finding.code for finding in report.findings)


async def lines_of(store: Any) -> list[bytes]:
    return [line for _, line in await store.lines()]


@pytest.mark.parametrize("lost", [None, LOST_LANDED, LOST_ABSENT])
def test_a_saga_of_three_effects_certifies_with_each_effect_once(run: Any, judge: Any, lost: str | None) -> None:
    async def main() -> None:
        world = World({"b": lost} if lost else {})
        store = open_store(":memory:")
        report = await Engine(store).run(shop(world), DRIVER, goal={"order": "o-1"})
        assert report.status == "succeeded_verified"
        assert world.standing == {"a": 1, "b": 1, "c": 1}
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_a_goal_that_does_not_hold_is_undone_newest_first(run: Any, judge: Any) -> None:
    async def main() -> None:
        world = World()
        store = open_store(":memory:")
        report = await Engine(store).run(shop(world, goal=False), DRIVER)
        assert report.status == "compensated_verified"
        assert report.rollback.clean
        assert world.order == ["a", "b", "c", "c.undo", "b.undo", "a.undo"]
        assert world.standing == {}
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_a_step_that_is_declined_rolls_back_what_came_before(run: Any, judge: Any) -> None:
    async def main() -> None:
        world = World({"c": FAIL})
        store = open_store(":memory:")
        report = await Engine(store).run(shop(world), DRIVER)
        assert report.status == "compensated_verified"
        assert world.standing == {}
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_an_undo_that_cannot_be_proven_waits_for_an_entitled_and_up_to_date_person(run: Any, judge: Any) -> None:
    async def main() -> None:
        world = World({"b.undo": DEAF})
        store = open_store(":memory:")
        engine = Engine(store, gate=StaticGate(persons=frozenset({"p-1"})))
        definition = shop(world, goal=False)
        report = await engine.run(definition, DRIVER)
        assert (report.status, report.about) == ("paused", ("u2",))
        assert codes(judge(await lines_of(store))) == ["AS504"]
        word = {"target": "u2", "verdict": "landed", "person": "p-1", "reason": "seen in the provider's list"}
        with pytest.raises(StaleDecision):
            await engine.decide(report.saga, PersonDecision(**word, pause="0" * 64))
        with pytest.raises(StaleDecision):
            await engine.decide(report.saga, PersonDecision(**word | {"target": "u1"}, pause=report.pause))
        with pytest.raises(NotEntitled):
            await engine.decide(report.saga, PersonDecision(**word | {"person": "p-2"}, pause=report.pause))
        await engine.decide(report.saga, PersonDecision(**word, pause=report.pause))
        (report,) = await engine.recover([(definition, DRIVER)])
        assert report.status == "compensated_verified"
        assert world.standing == {}
        assert codes(judge(await lines_of(store))) == ["AS507"]

    run(main())


def test_what_a_person_keeps_is_held_and_told_as_an_exception(run: Any, judge: Any) -> None:
    async def main() -> None:
        world, store = World({"b.undo": NEVER}), open_store(":memory:")
        engine = Engine(store, gate=StaticGate(persons=frozenset({"p-1"})))
        definition = shop(world, goal=False)
        report = await engine.run(definition, DRIVER)
        assert (report.status, report.about) == ("paused", ("u2",))
        wrong = PersonDecision("u2", "landed", "p-1", "surely", report.pause)
        with pytest.raises(StaleDecision, match="on record"):
            await engine.decide(report.saga, wrong)
        await engine.decide(report.saga, PersonDecision("u2", "kept", "p-1", "the customer keeps it", report.pause))
        report = await engine.run(definition, DRIVER, saga=report.saga)
        assert (report.status, report.held) == ("closed_with_exceptions", ("e2",))
        assert report.rollback is not None
        assert (report.rollback.clean, report.rollback.kept) == (False, ("e2",))
        assert world.standing == {"b": 1}
        assert codes(judge(await lines_of(store))) == ["AS507"]

    run(main())


def test_whoever_lost_the_lease_writes_nothing_more(run: Any, judge: Any) -> None:
    """A process that was away too long finds its saga taken; what it did meanwhile is asked for by the other."""

    async def main() -> None:
        world, store = World(), open_store(":memory:")
        definition = shop(world)
        taken: list[Any] = []

        class Away(PlanDriver):
            async def propose(self, view: Any) -> Any:
                if view.turn == 1 and not taken:
                    taken.append(await store.acquire(view.saga, "other", 60.0, time.time() + 3600))
                return await super().propose(view)

        away = Away(lambda step, view: {"item": step})
        with pytest.raises(LeaseLost):
            await Engine(store).run(definition, away, saga="s-1")
        assert world.standing == {"a": 1}
        await store.release(taken[0])
        report = await Engine(store).run(definition, away, saga="s-1")
        assert report.status == "succeeded_verified"
        assert world.standing == {"a": 1, "b": 1, "c": 1}
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_only_a_saga_that_is_new_is_not_read(run: Any) -> None:
    async def main() -> None:
        store = open_store(":memory:")
        read: list[str] = []
        stored = store.read

        async def reading(saga: str, since: int = 0) -> list[bytes]:
            read.append(saga)
            return await stored(saga, since)

        store.read = reading  # type: ignore[method-assign]
        world = World()
        engine = Engine(store)
        report = await engine.run(shop(world), DRIVER, saga="saga-1")
        assert "saga-1" not in read
        again = await engine.run(shop(world), DRIVER, saga="saga-1")
        assert "saga-1" in read
        assert again.status == report.status
        assert world.standing == {"a": 1, "b": 1, "c": 1}

    run(main())


class Slow(LocalStore):
    """Answers late to an append that lets go of its lease, and notes the releases that come by themselves."""

    def __init__(self, refuses: bool = False) -> None:
        super().__init__(MemoryEngine())
        self.by_themselves: list[str] = []
        self.refuses = refuses

    async def append(self, lines: Any, **options: Any) -> int:
        if options.get("release") and self.refuses:
            lease = options["lease"]
            await super().release(lease)
            await super().acquire(lease.saga, "other", 60.0, time.time())
        index = await super().append(lines, **options)
        if options.get("release"):
            await asyncio.sleep(0.05)
        return index

    async def release(self, lease: Any) -> None:
        self.by_themselves.append(lease.saga)
        await super().release(lease)


def test_the_lease_goes_with_the_last_line_and_is_not_taken_for_lost(run: Any, judge: Any) -> None:
    async def main() -> None:
        store = Slow()
        engine = Engine(store, lease=0.015, gate=StaticGate(persons=frozenset({"p-1"})))  # it is renewed every 5 ms
        report = await engine.run(shop(World()), DRIVER, saga="s-1")
        assert report.status == "succeeded_verified"
        assert store.by_themselves == []
        assert await store.acquire("s-1", "other", 30.0, time.time()) is not None
        paused = await engine.run(shop(World({"b.undo": DEAF}), goal=False), DRIVER, saga="s-2")
        assert paused.status == "paused"
        assert store.by_themselves == ["s-2"]  # it goes on
        assert codes(judge([line for line in await lines_of(store) if b'"s-1"' in line])) == []

    run(main())


def test_a_lease_that_was_lost_keeps_the_last_line_off(run: Any) -> None:
    async def main() -> None:
        store = Slow(refuses=True)
        with pytest.raises(LeaseLost):
            await Engine(store).run(shop(World()), DRIVER, saga="s-1")
        assert [row.ended for row in await store.sagas()] == [False]

    run(main())


def test_a_saga_that_cannot_be_taken_up_costs_no_other_its_report(run: Any) -> None:
    class Torn(PlanDriver):
        async def propose(self, view: Any) -> Any:
            if view.saga == "s-2":
                raise ValueError("the model is gone")
            return await super().propose(view)

    async def main() -> None:
        world, store = World(), open_store(":memory:")
        definition = shop(world, limits=Limits(backoff=0.0, turns=9))
        engine = Engine(store, stop=lambda saga, name: "", gate=StaticGate(approve=frozenset({"c"})))
        for saga in ("s-1", "s-2", "s-3"):
            await engine.run(definition, DRIVER, saga=saga)
        torn, other = Torn(lambda step, view: {"item": step}), Engine(store, clock=much_later)
        with pytest.raises(NotRecovered) as caught:
            await other.recover([(definition, torn)])
        assert [report.saga for report in caught.value.reports] == ["s-1", "s-3"]
        assert {name: str(fault) for name, fault in caught.value.faults.items()} == {"s-2": "the model is gone"}
        assert isinstance(caught.value.subgroup(ValueError), ExceptionGroup)
        assert "s-2" in str(caught.value)

    run(main())


def test_many_sagas_run_side_by_side_over_one_store(run: Any, judge: Any, tmp_path: Any) -> None:
    async def main() -> None:
        world, store = World(), open_store(tmp_path / "trace.db")
        engine, definition = Engine(store), shop(world)
        reports = await asyncio.gather(*(engine.run(definition, DRIVER) for _ in range(16)))
        assert {report.status for report in reports} == {"succeeded_verified"}
        assert world.standing == {"a": 16, "b": 16, "c": 16}
        assert codes(judge(await lines_of(store))) == []
        await store.close()

    run(main())
