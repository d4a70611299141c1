"""``agent-saga certify-worker``: judges parts of logs for ``certify --engine temporal``."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from agent_saga.cli.terminal import note
from agent_saga.cli.working import Keys, stopped

QUEUE = "agent-saga-certify"
"""The task queue of certifications."""

Work = Annotated[
    str, typer.Option("--work", metavar="FOLDER", help="The folder that all workers and whoever asks share.")
]
Queue = Annotated[str, typer.Option("--task-queue", metavar="NAME", help="The task queue of these workers.")]


def certify_worker(work: Work, task_queue: Queue = QUEUE, payload_keys: Keys = None) -> None:
    """Judge parts of logs for `certify --engine temporal` until this process is stopped (SIGTERM or SIGINT).

    One part at a time: start a worker for each core. The connection is Temporal's own: TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE, ... or its configuration file. Exit codes: 0 stopped, 2 no server, no such namespace, no such
    folder, or the extra `temporal` is missing.
    """
    asyncio.run(_work(Path(work), task_queue, payload_keys))


async def _work(work: Path, queue: str, keys: str | None) -> None:
    from agent_saga.runtime.temporal import connect, read_keys

    client = await connect(keys=read_keys(keys) if keys else None)
    from agent_saga.fleet.temporal.working import certify_worker as worker

    stop = stopped()
    async with worker(client, work, queue):
        note(f"judges parts, task queue {queue}, namespace {client.namespace}, folder {work}, pid {os.getpid()}")
        await stop.wait()
