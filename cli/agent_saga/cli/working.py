"""``agent-saga worker``, and how ``agent-saga run --engine temporal`` reaches the workers."""

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.policing import PolicyOption, RecordsOption, WaiversOption, policed
from agent_saga.cli.terminal import note

if TYPE_CHECKING:
    from temporalio.client import Client

    from agent_saga.runtime import Report
    from agent_saga.runtime.temporal import WorkerOptions
    from agent_saga.trace.store import Store

QUEUE = "agent-saga"
Policing = tuple[str | None, str | None, str | None]
Sagas = Annotated[
    list[str],
    typer.Argument(metavar="MODULE:SAGA...", help="Runnables, or functions that make them.", show_default=False),
]
StorePath = Annotated[str, typer.Option("--store", metavar="STORE", help="The store that all workers write.")]
Queue = Annotated[str, typer.Option("--task-queue", metavar="NAME", help="The task queue of these sagas.")]
Tenant = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="Whose saga it is: where work waits, tenants get equal shares.")
]
Priority = Annotated[
    int, typer.Option("--priority", min=0, max=5, metavar="N", help="1 first to 5 last, where work waits.")
]
Keys = Annotated[
    str | None,
    typer.Option("--payload-keys", metavar="FILE", help="Seal what passes through the server with these keys."),
]


def worker(
    sagas: Sagas,
    store: StorePath = "saga.db",
    task_queue: Queue = QUEUE,
    payload_keys: Keys = None,
    build: Annotated[
        str,
        typer.Option("--build", metavar="ID", help="This build of the code: a saga stays with its own."),
    ] = "",
    calls: Annotated[int, typer.Option("--calls", min=1, metavar="N", help="Activities at once.")] = 100,
    grace: Annotated[
        float,
        typer.Option("--grace", min=0, metavar="SECONDS", help="What calls may take when it is stopped."),
    ] = 30.0,
    policy: PolicyOption = None,
    waivers: WaiversOption = None,
    records: RecordsOption = None,
) -> None:
    """Work on sagas of a Temporal server until this process is stopped (SIGTERM or SIGINT).

    The connection is Temporal's own: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS... or its
    configuration file. Exit codes: 0 stopped, 2 no server, no such namespace, or the extra `temporal` is missing.
    """
    from agent_saga.runtime.temporal import WorkerOptions

    options = WorkerOptions(task_queue=task_queue, build=build, grace=grace, calls=calls)
    asyncio.run(_work(sagas, store, payload_keys, options, (policy, waivers, records)))


async def _work(sagas: list[str], store: str, keys: str | None, options: "WorkerOptions", policing: Policing) -> None:
    from agent_saga.runtime.runnable import load
    from agent_saga.runtime.temporal import saga_worker
    from agent_saga.trace.store import open_store
    from agent_saga.trace.store.postgres.addresses import beside

    runnables = [load(saga, Path(beside(store))) for saga in sagas]
    client = await _client(keys)
    opened = open_store(store)
    try:
        for notice in opened.notices:
            note(notice)
        given = {one.definition.name: await policed(opened, one, *policing) for one in runnables}
        stop = stopped()
        async with saga_worker(client, opened, runnables, options, given=given):
            names = ", ".join(one.definition.name for one in runnables)
            note(f"works on {names}, task queue {options.task_queue}, namespace {client.namespace}, pid {os.getpid()}")
            await stop.wait()
    finally:
        await opened.close()


def stopped() -> asyncio.Event:
    """Set when this process is asked to end."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


@dataclass(frozen=True)
class Reached:
    """How the workers are reached, and how a saga's work is ordered among that of others."""

    task_queue: str = QUEUE
    keys: str | None = None
    tenant: str = ""
    priority: int = 0


async def run_on_temporal(saga: str, store: str, id: str | None, goal: object, how: Reached) -> "Report":
    """Begin a saga, or find it, and wait until it rests. goal: None for the runnable's own."""
    from agent_saga.runtime.runnable import load
    from agent_saga.trace.store import open_store
    from agent_saga.trace.store.postgres.addresses import beside

    runnable = load(saga, Path(beside(store)))
    client = await _client(how.keys)
    opened = open_store(store)
    try:
        await _tell_of_workers(client, how.task_queue, saga, store)
        wanted = runnable.goal if goal is None else goal
        return await _run(client, opened, runnable.definition.name, wanted, id, how)
    finally:
        await opened.close()


async def _run(client: "Client", store: "Store", name: str, goal: object, id: str | None, how: Reached) -> "Report":
    from agent_saga.runtime.temporal import SagaClient, Share
    from agent_saga.runtime.temporal.connecting import has_attributes

    sagas = SagaClient(client, store, task_queue=how.task_queue, indexed=await has_attributes(client))
    return await sagas.run(name, goal=goal, saga=id, share=Share(how.tenant, how.priority))


async def _tell_of_workers(client: "Client", queue: str, saga: str, store: str) -> None:
    from agent_saga.runtime.temporal.connecting import has_workers

    if not await has_workers(client, queue):
        note(
            f"no worker polls task queue {queue} of namespace {client.namespace}: waiting for one; start it with "
            f"agent-saga worker {saga} --store {store} --task-queue {queue}"
        )


async def _client(keys: str | None) -> "Client":
    from agent_saga.runtime.temporal import connect, read_keys

    return await connect(keys=read_keys(keys) if keys else None)
