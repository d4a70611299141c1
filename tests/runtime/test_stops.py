"""Deadlines, the kill switch, quarantine, stores that cannot be used: nothing new begins, nothing is left behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from runtime_world import LOST_LANDED, World, shop

from agent_saga.runtime import AgentKit, Engine, Limits, PersonDecision, PlanDriver, Report, StaticGate
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.trace.store import open_store
from agent_saga.trace.store.errors import StoreError, WrongVersion
from agent_saga.trace.store.schema import LINES

GATE = StaticGate(persons=frozenset({"p-1"}))


class Watching(PlanDriver):
    """A driver that does something once, before its N-th turn."""

    def __init__(self, turn: int, act: Any) -> None:
        super().__init__(lambda step, view: {"item": step})
        self._turn, self._act = turn, act

    async def propose(self, view: Any) -> Any:
        if view.turn == self._turn:
            self._turn = -1
            self._act()
        return await super().propose(view)


def codes(report: Any) -> set[str]:
    return {finding.code for finding in report.findings}


async def lines_of(store: Any) -> list[bytes]:
    return [line for _, line in await store.lines()]


@pytest.mark.parametrize("behaviour", [{}, {"a": LOST_LANDED}, {"a.undo": LOST_LANDED}])
def test_after_the_deadline_nothing_begins_and_what_was_done_is_undone(
    run: Any, judge: Any, behaviour: dict[str, str]
) -> None:
    now = [datetime(2026, 11, 30, tzinfo=UTC)]

    def later() -> None:
        now[0] += timedelta(seconds=61)

    async def main() -> None:
        world, store = World(dict(behaviour)), open_store(":memory:")
        definition = shop(world, limits=Limits(backoff=0.0, deadline=60.0))
        report = await Engine(store, clock=lambda: now[0]).run(definition, Watching(1, later))
        assert report.status == "compensated_verified"
        assert report.state.rollback == {"code": "deadline", "limit": "deadline"}
        assert world.standing == {}
        assert world.calls["b"] <= 1  # proposed while the deadline passed: at most what was intended before
        assert world.calls["c"] == 0
        assert not world.repeats
        assert codes(judge(await lines_of(store))) == set()

    run(main())


@pytest.mark.parametrize("verdict, standing", [("kept", {"a": 1, "b": 1, "c": 1}), ("undone", {})])
@pytest.mark.parametrize("reads", [True, False], ids=["on", "unreadable"])
def test_while_the_switch_is_on_nothing_begins_and_a_person_says_how_to_go_on(
    run: Any, judge: Any, verdict: Any, standing: dict[str, int], reads: bool
) -> None:
    on: list[str] = []

    def stop(saga: str, name: str) -> str:
        if on and not reads:
            raise OSError("no such file")
        return "kill_switch" if on else ""

    async def main() -> None:
        world, store = World(), open_store(":memory:")
        definition, driver = shop(world), Watching(2, lambda: on.append("on"))
        engine = Engine(store, stop=stop, gate=GATE)
        report = await engine.run(definition, driver, saga="s-1")
        assert (report.status, report.about) == ("stopped", ("s-1",))
        assert report.state.stopped == {"code": "kill_switch" if reads else "kill_switch_unreadable"}
        calls = dict(world.calls)
        assert "c" not in calls
        (again,) = await engine.recover([(definition, driver)])
        assert (again.status, dict(world.calls)) == ("stopped", calls)
        assert codes(judge(await lines_of(store))) == {"AS504"}
        on.clear()
        await engine.decide("s-1", PersonDecision("s-1", verdict, "p-1", "looked"))
        report = await engine.run(definition, driver, saga="s-1")
        assert report.status == ("succeeded_verified" if verdict == "kept" else "compensated_verified")
        assert world.standing == standing
        assert codes(judge(await lines_of(store))) == {"AS507"}

    run(main())


def test_the_switch_does_not_hold_up_a_rollback(run: Any, judge: Any) -> None:
    on: list[str] = []

    async def main() -> None:
        world, store = World({"b": LOST_LANDED}), open_store(":memory:")
        definition = shop(world, goal=False)

        def undoing(saga: str, name: str) -> str:
            return "kill_switch" if world.calls["c.undo"] else ""

        report = await Engine(store, stop=undoing).run(definition, Watching(9, on.clear))
        assert report.status == "compensated_verified"
        assert world.standing == {}
        assert codes(judge(await lines_of(store))) == set()

    run(main())


def test_quarantine_of_one_kind_of_saga_leaves_the_others_alone(run: Any) -> None:
    async def main() -> list[Report]:
        world, store = World(), open_store(":memory:")
        engine = Engine(store, stop=lambda saga, name: "quarantine" if name == "sick" else "")
        shops = [shop(world, ("a",)), shop(world, ("b",))]
        sick = SagaDefinition("sick", shops[1].tools, shops[1].checks, shops[1].steps, shops[1].limits)
        driver = PlanDriver(lambda step, view: {"item": step})
        reports = [await engine.run(one, driver) for one in (sick, shops[0])]
        assert world.standing == {"a": 1}
        return reports

    sick, well = run(main())
    assert (sick.status, sick.state.stopped) == ("stopped", {"code": "quarantine"})
    assert well.status == "succeeded_verified"


def test_a_store_of_another_version_is_refused_before_anything_runs_and_stays_as_it_is(
    run: Any, tmp_path: Path, run_cli: Any
) -> None:
    path = tmp_path / "saga.db"
    told = f"schema {LINES.version + 1}, this release knows {LINES.version}"
    run(AgentKit(path).close())
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"PRAGMA user_version = {LINES.version + 1}")
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    with pytest.raises(WrongVersion, match=told):
        AgentKit(path)
    ran = run_cli("run", "agent_saga.testing.scenarios:happy_path", "--store", str(path), cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.output
    assert told in ran.stderr
    recovered = run_cli("recover", str(path), "agent_saga.testing.scenarios:happy_path", cwd=tmp_path)
    assert (recovered.returncode, recovered.stdout) == (2, ""), recovered.output
    assert path.read_bytes() == before


def test_a_store_that_became_read_only_is_refused_before_the_call(run: Any, tmp_path: Path) -> None:
    world = World()

    async def use() -> None:
        store = open_store(tmp_path / "saga.db")
        store._engine._write.execute("PRAGMA query_only = ON")  # type: ignore[attr-defined]
        with pytest.raises(StoreError, match=r"saga\.db"):
            await AgentKit(store).run(shop(world), PlanDriver(lambda step, view: {"item": step}))
        await store.close()

    run(use())
    assert not world.calls
