"""A workflow that is reset from outside asks what became of a call that its first run may have begun."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client

from agent_saga.runtime.temporal import connect
from agent_saga.runtime.temporal.names import workflow_id
from agent_saga.testing import assert_certified
from agent_saga.trace.store import Store, open_store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "temporal"))

from temporal_sagas import World, at_work, two_steps
from temporal_servers import DevServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A real development server in memory."""
    made = DevServer(tmp_path_factory.mktemp("temporal"), attributes=True).start()
    yield made
    made.stop()


async def reset(client: Client, saga: str) -> None:
    """Take the workflow back to just before it started its last activity."""
    history = await client.get_workflow_handle(workflow_id(saga)).fetch_history()
    done = [one.event_id for one in history.events if one.HasField("workflow_task_completed_event_attributes")]
    execution = WorkflowExecution(workflow_id=workflow_id(saga))
    await client.workflow_service.reset_workflow_execution(
        ResetWorkflowExecutionRequest(
            namespace=client.namespace,
            workflow_execution=execution,
            reason="a test",
            workflow_task_finish_event_id=done[-1],
            request_id="reset-1",
        )
    )


async def told(store: Store, saga: str, effect: str) -> list[str]:
    """The types of the lines about an effect, in order."""
    lines = [json.loads(line) for line in await store.read(saga)]
    return [one["type"].partition(".")[2] for one in lines if one.get("effect") == effect]


def test_a_call_that_was_under_way_is_not_made_again_blindly(server: DevServer, tmp_path: Path) -> None:
    world, store = World(), open_store(":memory:")

    async def played() -> list[str]:
        client = await connect(target_host=server.address)
        async with at_work(client, store, two_steps(world), queue=str(tmp_path)) as sagas:
            world.gate = asyncio.Event()
            saga = await sagas.start("two")
            await asyncio.wait_for(world.begun.wait(), 10)
            await reset(client, saga)
            while "reconciled" not in await asyncio.wait_for(told(store, saga, "e1"), 10):
                await asyncio.sleep(0.02)
            world.gate.set()
            report = await asyncio.wait_for(sagas.settled(saga), 30)
            assert report.status == "succeeded_verified"
            return await told(store, saga, "e1")

    assert asyncio.run(asyncio.wait_for(played(), 60))[:3] == ["intended", "unknown", "reconciled"]
    assert sorted(world.made.values()) == ["first", "second"]
    assert_certified(store, sagas=1)


def test_a_history_that_is_continued_in_another_loses_no_call(server: DevServer, tmp_path: Path) -> None:
    world, store = World(), open_store(":memory:")

    async def played() -> list[str]:
        client = await connect(target_host=server.address)
        async with at_work(client, store, two_steps(world), queue=str(tmp_path), many=1) as sagas:
            saga = await sagas.start("two")
            assert (await asyncio.wait_for(sagas.settled(saga), 60)).status == "succeeded_verified"
            return [*await told(store, saga, "e1"), *await told(store, saga, "e2")]

    assert asyncio.run(played()) == ["intended", "succeeded"] * 2
