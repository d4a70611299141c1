"""An async tool, hook, check or driver that goes on when its time is over holds up no saga, and does nothing more."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Engine,
    Facts,
    Found,
    Invocation,
    Landed,
    Limits,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
    within,
)
from agent_saga.runtime.at_work import is_at_work
from agent_saga.testing import assert_certified
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.store.errors import DiskFull

DRIVER = PlanDriver(lambda step, view: {"item": step})
Way = Callable[["World", Call], Awaitable[None]]


class World:
    """A provider that heeds keys, the saga that calls it, and a tool whose way of calling it is given."""

    def __init__(self, way: Way, *, wait: float = 0.05, attempts: int = 2) -> None:
        self.done: dict[str, int] = {}
        self.go, self.ways, self.key, self.turns = threading.Event(), way, "", 0
        self.store = open_store(":memory:")
        self.left: asyncio.Task[None] | None = None

        @tool(name="undo", semantics="reversible")
        async def undo(key: str) -> None:
            del self.done[key]

        @tool(name="act", semantics="reversible", undo=undo, timeout=wait, attempts=attempts)
        async def act(item: str, call: Call) -> Result:
            self.key, self.turns = call.key, self.turns + 1
            if self.turns == 1:
                await self.ways(self, call)
            else:
                self.act(call.key)
            return Result(item, undo=undo.call(key=call.key))

        @act.reconcile
        async def _(call: Call) -> Found:
            return Landed(call.args["item"], undo=undo.call(key=call.key)) if call.key in self.done else Absent()

        def reached(facts: Facts) -> Checked:
            return Checked("a" in facts.results, None)

        self.tool = act
        self.definition = SagaDefinition("order", [act, undo], [reached], [Step("a", "act")], Limits(backoff=0.0))

    def act(self, key: str) -> None:
        """What the provider does: each time is counted."""
        self.done[key] = self.done.get(key, 0) + 1

    async def run(self) -> Report:
        """One run of the saga, which may take ten seconds and no more."""
        return await asyncio.wait_for(
            Engine(self.store, gate=StaticGate()).run(self.definition, DRIVER, saga="s-1"), timeout=10
        )


@pytest.fixture(autouse=True)
def _few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "LAST_WORDS", 0.05)


async def goes_on(world: World, call: Call) -> None:
    """Waits on whatever comes, and acts when it is let go."""
    while not world.go.is_set():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.005)
    world.act(call.key)


async def under_a_timer(world: World, call: Call) -> None:
    """Swallows its end inside a timer of its own, which then ends nobody else."""
    async with asyncio.timeout(0.2):
        await goes_on(world, call)


async def has_acted(world: World, call: Call) -> None:
    """Acted before it goes on for ever."""
    world.act(call.key)
    await goes_on(world, call)


@pytest.mark.parametrize("way", [goes_on, under_a_timer, has_acted])
def test_a_tool_that_goes_on_holds_no_saga_and_never_acts_again(way: Way) -> None:
    world = World(way)

    async def main() -> Report:
        report = await world.run()
        world.go.set()
        await asyncio.sleep(0.3)
        return report

    assert asyncio.run(main()).status == "succeeded_verified"
    assert list(world.done.values()) == [1]
    assert_certified(world.store, sagas=1)


async def in_a_thread(world: World, call: Call) -> None:
    await asyncio.to_thread(lambda: (world.go.wait(30), world.act(call.key)))


async def in_a_shielded_task(world: World, call: Call) -> None:
    async def later() -> None:
        while not world.go.is_set():
            await asyncio.sleep(0.005)
        world.act(call.key)

    await asyncio.shield(asyncio.create_task(later()))


async def in_a_task_of_its_own(world: World, call: Call) -> None:
    world.left = asyncio.create_task(in_a_shielded_task(world, call))
    await asyncio.sleep(30)


async def in_a_pool(world: World, call: Call) -> None:
    pool = ThreadPoolExecutor(1)
    await asyncio.get_running_loop().run_in_executor(pool, lambda: (world.go.wait(30), world.act(call.key)))


@pytest.mark.parametrize("way", [in_a_thread, in_a_shielded_task, in_a_task_of_its_own, in_a_pool])
def test_what_a_tool_gave_away_and_may_still_act_is_not_absent(way: Way) -> None:
    world = World(way, wait=1.0)  # a thread begins within it, also on a busy machine

    async def main() -> tuple[Report, bool]:
        report = await world.run()
        working = is_at_work(world.key)
        world.go.set()
        while is_at_work(world.key):
            await asyncio.sleep(0.005)
        return report, working

    report, working = asyncio.run(main())
    assert report.status == "paused"
    assert working
    assert list(world.done.values()) == [1]


def test_what_waits_for_a_thread_when_its_call_is_given_up_never_begins() -> None:
    async def queued(world: World, call: Call) -> None:
        await asyncio.get_running_loop().run_in_executor(pool, world.act, call.key)

    pool, busy = ThreadPoolExecutor(1), threading.Event()
    pool.submit(busy.wait, 30)
    world = World(queued)

    async def main() -> Report:
        report = await world.run()
        busy.set()
        await asyncio.to_thread(pool.shutdown)
        return report

    assert asyncio.run(main()).status == "succeeded_verified"
    assert list(world.done.values()) == [1]
    assert not is_at_work(world.key)
    assert_certified(world.store, sagas=1)


async def acts(world: World, call: Call) -> None:
    world.act(call.key)


async def for_ever(*_: object) -> None:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.005)


def test_a_hook_that_goes_on_is_no_answer() -> None:
    async def lost(world: World, call: Call) -> None:
        raise OSError("the reply was lost")

    world = World(lost)
    world.tool.reconcile(for_ever)  # type: ignore[arg-type]
    assert asyncio.run(world.run()).status == "paused"


def test_a_check_that_goes_on_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_saga.runtime.session.CHECK_TIMEOUT", 0.05)
    world = World(acts)
    world.definition.goal_checks["reached"] = for_ever  # type: ignore[assignment]
    assert asyncio.run(world.run()).status == "compensated_verified"
    assert world.done == {}
    assert_certified(world.store, sagas=1)


def test_a_driver_that_goes_on_is_waited_for_until_the_deadline_only() -> None:
    class Stubborn:
        name, immediate = "stubborn", False

        async def propose(self, view: object) -> None:
            await for_ever()

    world = World(acts)
    definition = SagaDefinition(
        "order", [world.tool], list(world.definition.checks), [Step("a", "act")], Limits(deadline=0.05)
    )
    engine = Engine(world.store, gate=StaticGate())

    async def main() -> Report:
        return await asyncio.wait_for(engine.run(definition, Stubborn()), timeout=10)  # type: ignore[arg-type]

    assert asyncio.run(main()).status == "aborted_clean"
    assert_certified(world.store, sagas=1)


class FullAfter:
    """A store whose disk is full as soon as an outcome is to be kept."""

    def __init__(self) -> None:
        self._store = open_store(":memory:")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, lines: Sequence[NewLine], **options: Any) -> int:
        if any(b'"effect.succeeded"' in one.line for one in lines):
            raise DiskFull("no space left")
        return await self._store.append(lines, **options)


def test_a_call_beside_one_whose_outcome_cannot_be_kept_is_over_when_the_run_is() -> None:
    world = World(goes_on, wait=30.0)

    @tool(name="quick", semantics="compensable", undo=world.tool.undo)
    async def quick(item: str, call: Call) -> Result:
        while not world.turns:
            await asyncio.sleep(0.001)
        return Result(item, undo=Invocation("undo", {"key": call.key}))

    steps = [Step("a", "act", after=()), Step("b", "quick", after=())]
    definition = SagaDefinition("order", [world.tool, quick], list(world.definition.checks), steps)
    driver = PlanDriver(lambda step, view: {"item": step}, together=True)

    async def main() -> None:
        engine = Engine(FullAfter(), gate=StaticGate())  # type: ignore[arg-type]
        with pytest.raises(DiskFull):
            await asyncio.wait_for(engine.run(definition, driver, saga="s-1"), timeout=10)
        world.go.set()
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert world.turns == 1
    assert world.done == {}


def test_a_run_that_is_cancelled_ends_though_its_tool_goes_on() -> None:
    world = World(goes_on, wait=30.0)

    async def main() -> None:
        run = asyncio.ensure_future(world.run())
        while not world.turns:
            await asyncio.sleep(0.001)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        world.go.set()
        assert (await world.run()).status == "succeeded_verified"

    asyncio.run(main())
    assert list(world.done.values()) == [1]
    assert_certified(world.store, sagas=1)
