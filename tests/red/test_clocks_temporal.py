"""On Temporal, too, a retry waits its time and not until a clock that was put back has caught up."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_saga.runtime import (
    Call,
    Checked,
    Facts,
    Invocation,
    Limits,
    NotDone,
    PlanDriver,
    Result,
    SagaDefinition,
    Step,
    tool,
)
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal import connect
from agent_saga.testing import assert_certified
from agent_saga.trace.store import open_store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "temporal"))

from temporal_sagas import at_work
from temporal_servers import DevServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A real development server in memory."""
    made = DevServer(tmp_path_factory.mktemp("temporal"), attributes=True).start()
    yield made
    made.stop()


class Wall:
    """The clock of a worker, which may be put back."""

    def __init__(self) -> None:
        self.back = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) - self.back


def saga(wall: Wall) -> Runnable:
    """Each call fails once, and the clock is put back by hours while the first one does."""
    failed: set[str] = set()

    def fails_once(key: str) -> None:
        if key not in failed:
            failed.add(key)
            wall.back = timedelta(hours=5)
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

    definition = SagaDefinition("order", [act], [reached], [Step("a", "act")], Limits(backoff=0.1))
    return Runnable(definition, PlanDriver(lambda step, view: {"item": step}), {})


def test_a_retry_does_not_wait_until_the_clock_has_caught_up(server: DevServer, tmp_path: Path) -> None:
    wall, store = Wall(), open_store(":memory:")

    async def played() -> str:
        client = await connect(target_host=server.address)
        async with at_work(client, store, saga(wall), queue=str(tmp_path), options={"clock": wall}) as sagas:
            begun = await sagas.start("order")
            return (await asyncio.wait_for(sagas.settled(begun), 60)).status

    assert asyncio.run(played()) == "compensated_verified"
    assert_certified(store, sagas=1)
