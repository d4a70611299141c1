"""A clock that is put back by hours, or stands in another century, keeps no saga from going on."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agent_saga.runtime import (
    Call,
    Checked,
    Engine,
    Facts,
    Invocation,
    Limits,
    NotDone,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.testing import assert_certified
from agent_saga.trace.store import Store, open_store

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
BACKOFF = 0.5


class Wall:
    """A clock on the wall; who sleeps moves it on, and anybody may put it back."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at, self.slept = at, 0.0

    def __call__(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        """Time goes on; whoever sleeps for more than a minute in all hangs."""
        self.slept += seconds
        self.at += timedelta(seconds=seconds)
        assert self.slept < 60, "it waits until the clock has caught up"
        await asyncio.sleep(0)


def saga(wall: Wall, back: timedelta) -> SagaDefinition:
    """Each call fails once, and the clock is put back while the first one does."""
    failed: set[str] = set()

    def fails_once(key: str) -> None:
        if key not in failed:
            wall.at -= timedelta() if failed else back
            failed.add(key)
            raise NotDone("not now", retry=True)

    @tool(name="undo", semantics="reversible")
    def undo(item: str, call: Call) -> None:
        fails_once(call.key)

    @tool(name="act", semantics="reversible", undo=undo)
    def act(item: str, call: Call) -> Result:
        fails_once(call.key)
        return Result(item, undo=Invocation("undo", {"item": item}))

    def reached(facts: Facts) -> Checked:
        return Checked(False, None)

    return SagaDefinition("order", [act], [reached], [Step("a", "act")], Limits(backoff=BACKOFF))


def run(store: Store, wall: Wall, back: timedelta) -> Report:
    """One saga by this clock."""
    engine = Engine(store, gate=StaticGate(), clock=wall, sleep=wall.sleep)
    return asyncio.run(engine.run(saga(wall, back), PlanDriver(lambda step, view: {"item": step}), saga="s-1"))


@pytest.mark.parametrize("back", [timedelta(), timedelta(hours=5), timedelta(days=400)], ids=str)
def test_a_retry_waits_its_time_and_not_until_the_clock_has_caught_up(back: timedelta) -> None:
    store, wall = open_store(":memory:"), Wall()
    assert run(store, wall, back).status == "compensated_verified"
    assert wall.slept == 2 * BACKOFF
    assert_certified(store, sagas=1)


@pytest.mark.parametrize("year", [1971, 2038, 2100, 9998])
def test_a_saga_runs_in_any_century(year: int) -> None:
    store = open_store(":memory:")
    assert run(store, Wall(NOON.replace(year=year)), timedelta()).status == "compensated_verified"
    assert_certified(store, sagas=1)
