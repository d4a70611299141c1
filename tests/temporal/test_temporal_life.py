"""What happens to a workflow over its life: it is continued, cancelled, asked, and answered."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from temporal_play import certified
from temporal_sagas import World, all_made, at_work, long_one, two_steps
from temporal_servers import DevServer

from agent_saga.runtime import (
    PlanDriver,
    RuntimeFault,
    SagaDefinition,
    StaleDecision,
    Step,
    UnknownSaga,
    saga_tool,
)
from agent_saga.runtime.kernel.deciding import PersonDecision
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal import Share, WorkflowFault, connect
from agent_saga.runtime.temporal.names import workflow_id
from agent_saga.testing.scenarios import SCENARIOS
from agent_saga.trace.store import open_store


async def long_saga(server: DevServer, folder: Path, steps: int, **of_client: Any) -> tuple[Any, int, int, list[bytes]]:
    """Run one of so many steps. Returns report, runs of its workflow, things made, and its lines."""
    client, world = await connect(target_host=server.address), World()
    store = open_store(folder / "long.db")
    async with at_work(client, store, long_one(world, steps), queue=str(folder), **of_client) as sagas:
        report = await sagas.run("long", saga="long-1")
        query = f"WorkflowId = '{workflow_id('long-1')}'"
        runs = 0
        for _ in range(50):
            runs = len([one async for one in client.list_workflows(query)])
            if runs and not of_client.get("many"):
                break
            await asyncio.sleep(0.1)
        lines = await store.read("long-1")
    await store.close()
    return report, runs, len(world.made), lines


def test_a_saga_goes_on_in_a_new_history_with_all_that_it_held(server: DevServer, tmp_path: Path, run: Any) -> None:
    report, runs, made, lines = run(long_saga(server, tmp_path, 40, many=10))
    assert (report.status, made, len(report.held)) == ("succeeded_verified", 40, 40)
    assert runs >= 4
    assert certified(SCENARIOS["happy-path"], tmp_path, lines).findings == ()


@pytest.mark.slow
def test_a_saga_of_3000_steps_ends_through_continue_as_new(
    server: DevServer, tmp_path: Path, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    report, runs, made, lines = run(long_saga(server, tmp_path, 3000))
    with capsys.disabled():
        print(f"\n3000 steps: {len(lines)} lines, {runs} histories")
    assert (report.status, made, len(report.held)) == ("succeeded_verified", 3000, 3000)
    assert runs > 1
    assert certified(SCENARIOS["happy-path"], tmp_path, lines).findings == ()


def test_a_cancelled_saga_awaits_the_call_under_way_and_undoes_everything(
    server: DevServer, tmp_path: Path, run: Any
) -> None:
    async def cancelled() -> Any:
        client, world = await connect(target_host=server.address), World(gate=asyncio.Event())
        store = open_store(tmp_path / "saga.db")
        async with at_work(client, store, two_steps(world), queue=str(tmp_path)) as sagas:
            saga = await sagas.start("two", share=Share("tenant-7", priority=2, weight=3.0))
            await world.begun.wait()
            await sagas.cancel(saga)
            standing = await sagas.standing(saga)
            assert world.gate is not None
            world.gate.set()
            report = await sagas.settled(saga)
            described = await client.get_workflow_handle(workflow_id(saga)).describe()
            return report, world, described, standing, await store.read(saga)

    report, world, described, standing, lines = run(cancelled())
    assert report.status == "compensated_verified"
    assert list(world.made.values()) == list(world.gone) == ["first"]
    assert described.status.name == "CANCELED"
    assert standing.status == "going"
    assert b'"cause":{"code":"cancelled"}' in b"".join(lines)
    assert certified(SCENARIOS["happy-path"], tmp_path, lines).findings == ()
    assert described.raw_description.workflow_execution_info.priority.priority_key == 2
    key = described.raw_description.workflow_execution_info.priority.fairness_key
    assert len(key) == 32
    assert "tenant" not in key


def test_what_nobody_waits_for_is_refused_before_it_stands_in_the_history(
    server: DevServer, tmp_path: Path, run: Any
) -> None:
    async def refused() -> Any:
        client, world = await connect(target_host=server.address), World(gate=asyncio.Event())
        store = open_store(tmp_path / "saga.db")
        async with at_work(client, store, two_steps(world), queue=str(tmp_path)) as sagas:
            saga = await sagas.start("two")
            await world.begun.wait()
            with pytest.raises(StaleDecision, match="is going"):
                await sagas.approve(saga, {"request": {}})
            with pytest.raises(StaleDecision, match="is going"):
                await sagas.decide(saga, PersonDecision("e1", "landed", "mira", "seen"))
            assert world.gate is not None
            world.gate.set()
            await sagas.settled(saga)
            history = await client.get_workflow_handle(workflow_id(saga)).fetch_history()
            with pytest.raises(StaleDecision, match="does not run any more"):
                await sagas.decide(saga, PersonDecision("e1", "landed", "mira", "seen"))
            with pytest.raises(UnknownSaga):
                await sagas.settled("never-begun")
            accepted = (one.workflow_execution_update_accepted_event_attributes for one in history.events)
            return {one.accepted_request.input.name for one in accepted} - {"", "settled"}

    assert run(refused()) == set()


def test_a_saga_that_no_worker_knows_says_so(server: DevServer, tmp_path: Path, run: Any) -> None:
    async def unknown() -> None:
        client, store = await connect(target_host=server.address), open_store(tmp_path / "saga.db")
        async with at_work(client, store, two_steps(World()), queue=str(tmp_path)) as sagas:
            with pytest.raises(WorkflowFault, match="this worker runs two, not three"):
                await sagas.run("three")
            with pytest.raises(RuntimeFault, match="goal is refused"):
                await sagas.run("two", goal={"at": 1.5})
        await store.close()

    run(unknown())


def test_a_saga_that_somebody_else_writes_raises_an_alarm(server: DevServer, tmp_path: Path, run: Any) -> None:
    """The embedded engine takes an expired saga over in the middle of a call; the workflow then writes no more."""

    async def taken() -> Any:
        client, world = await connect(target_host=server.address), World(gate=asyncio.Event())
        store = open_store(tmp_path / "saga.db")
        async with at_work(client, store, two_steps(world), queue=str(tmp_path), options={"lease": 60.0}) as sagas:
            saga = await sagas.start("two")
            await world.begun.wait()
            later = 1e12
            assert await store.acquire(saga, "another", 60.0, later) is not None
            before = await store.read(saga)
            assert world.gate is not None
            world.gate.set()
            with pytest.raises(WorkflowFault, match="somebody else writes this saga"):
                await sagas.settled(saga)
            return before, await store.read(saga)

    before, after = run(taken())
    assert before == after


def test_a_saga_runs_another_inside_one_of_its_calls_and_both_end(server: DevServer, tmp_path: Path, run: Any) -> None:
    async def both() -> Any:
        client, store, world = await connect(target_host=server.address), open_store(tmp_path / "saga.db"), World()
        child = two_steps(world, "child")
        called = saga_tool(child.engine(store), child.definition, child.driver, name="order")
        definition = SagaDefinition("parent", tools=[called], checks=[all_made], steps=[Step("order", "order")])
        parent = Runnable(definition, PlanDriver(lambda step, view: {"goal": {"n": 1}}), {"world": world})
        async with at_work(client, store, parent, queue=str(tmp_path)) as sagas:
            report = await sagas.run("parent", saga="p-1")
        rows = await store.sagas()
        lines = [line for _, line in await store.lines()]
        await store.close()
        return report, rows, lines, world

    report, rows, lines, world = run(both())
    assert report.status == "succeeded_verified"
    assert [row.ended for row in rows] == [True, True]
    assert sorted(world.made.values()) == ["first", "second"]
    assert certified(SCENARIOS["happy-path"], tmp_path, lines).findings == ()
