"""A workflow does not go on over a store that holds less than it has seen: what was done would be done again."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_saga.runtime.temporal import WorkflowFault, connect
from agent_saga.runtime.temporal.names import holder
from agent_saga.testing import assert_certified
from agent_saga.trace.store import NewLine, Store, open_store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "temporal"))

from temporal_sagas import World, at_work, long_one
from temporal_servers import DevServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A real development server in memory."""
    made = DevServer(tmp_path_factory.mktemp("temporal"), attributes=True).start()
    yield made
    made.stop()


class FailingOver:
    """A store in whose place another one stands from some moment on, as after a failover."""

    def __init__(self) -> None:
        self.now: Store = open_store(":memory:")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)

    async def fail_over(self, saga: str, lines: int) -> Store:
        """To a copy that is so many lines long; returns the one before."""
        before, self.now = self.now, open_store(":memory:")
        await self.now.acquire(saga, holder(saga), 60.0, time.time())  # as in the one before
        kept = (await before.read(saga))[:lines]
        await self.now.append([NewLine(saga, seq, line) for seq, line in enumerate(kept)])
        return before


@pytest.mark.parametrize("lines", [0, 3])
def test_a_store_that_lost_lines_is_told_and_nothing_is_done_twice(
    lines: int, server: DevServer, tmp_path: Path
) -> None:
    world = World()

    async def played() -> tuple[str, Store, Store]:
        store: Any = FailingOver()
        client = await connect(target_host=server.address)
        async with at_work(client, store, long_one(world, 3), queue=str(tmp_path), options={"lease": 3.0}) as sagas:
            saga = await sagas.start("long")
            while len(world.made) < 1:
                await asyncio.sleep(0.01)
            world.gate = asyncio.Event()
            world.begun.clear()
            await asyncio.wait_for(world.begun.wait(), 10)
            whole = await store.fail_over(saga, lines)
            world.gate.set()
            with pytest.raises(WorkflowFault, match="holds fewer lines than were acknowledged"):
                await asyncio.wait_for(sagas.settled(saga), 30)
            stopped = len(world.made)
            behind, store.now = store.now, whole
            world.gate = None
            report = await asyncio.wait_for(sagas.run("long", saga=saga), 30)  # once the right one is back
            assert len(world.made) == 3
            assert stopped <= 3
            return report.status, whole, behind

    status, whole, behind = asyncio.run(played())
    assert status == "succeeded_verified"
    assert len(set(world.made.values())) == 3
    assert_certified(whole, sagas=1)
    assert len(asyncio.run(behind.lines(0))) == lines
