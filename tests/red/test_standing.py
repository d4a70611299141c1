"""A store that was moved, removed or replaced while open acknowledges nothing, and who is cancelled holds nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from runtime_exploring import Clock, _no_sleep
from runtime_world import NOW, World, pair

from agent_saga.runtime import Checked, Engine, Facts, Limits, PlanDriver, Report, SagaDefinition, StaticGate, Step
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.errors import Damaged

DRIVER = PlanDriver(lambda step, view: {"item": step})


def replaced(path: Path) -> None:
    """Another file takes its place."""
    copy = path.with_suffix(".copy")
    shutil.copy(path, copy)
    os.replace(copy, path)


WAYS: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "moved": lambda path: path.rename(path.with_suffix(".moved")),
    "replaced": replaced,
}


def reached(facts: Facts) -> Checked:
    """Both steps are done."""
    return Checked(set(facts.results) == {"a", "b"}, sorted(facts.results))


def definition(world: World) -> SagaDefinition:
    """Two steps of the world."""
    NOW.set(world)
    steps = (Step("a", "a"), Step("b", "b"))
    return SagaDefinition("order", [pair("a")[0], pair("b")[0]], [reached], steps, Limits(backoff=0.0))


def engine(store: Store) -> Engine:
    """An engine without a gate in the way."""
    return Engine(store, gate=StaticGate(), clock=Clock(), sleep=_no_sleep)


@pytest.mark.parametrize("name", ["store.db", "store.jsonl"])
@pytest.mark.parametrize("way", WAYS)
def test_no_call_is_made_for_an_intent_that_nobody_will_find(way: str, name: str, tmp_path: Path) -> None:
    path, world = tmp_path / name, World()
    saga = definition(world)

    async def run() -> None:
        store = open_store(str(path))
        try:
            await store.remember("first", b"something stands there")
            WAYS[way](path)
            with pytest.raises(Damaged, match="while it was open"):
                await engine(store).run(saga, DRIVER, saga="s-1")
        finally:
            await store.close()

    asyncio.run(run())
    assert world.standing.get("a", 0) == 0


def test_a_path_that_is_relative_stands_though_the_process_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saga = definition(World())
    monkeypatch.chdir(tmp_path)

    async def run() -> Report:
        store = open_store("store.db")
        monkeypatch.chdir("/")
        try:
            return await engine(store).run(saga, DRIVER)
        finally:
            await store.close()

    assert asyncio.run(run()).status == "succeeded_verified"


@pytest.mark.parametrize("turns", [*range(12), 16, 24, 40])
def test_a_run_that_is_cancelled_leaves_the_saga_to_the_next(turns: int, tmp_path: Path) -> None:
    world = World()
    saga = definition(world)

    async def run() -> Report:
        store = open_store(str(tmp_path / "store.db"))
        try:
            task = asyncio.ensure_future(engine(store).run(saga, DRIVER, saga="s-1"))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return await engine(store).run(saga, DRIVER, saga="s-1")
        finally:
            await store.close()

    assert asyncio.run(run()).status == "succeeded_verified"
    assert world.standing == {"a": 1, "b": 1}
