"""Measures sagas a second on Temporal, beside the floor: a bare workflow with the same number of activities.

    python tests/bench/temporal.py              1, 16 and 64 sagas at once
    python tests/bench/temporal.py --quick      1 and 16, each once

A saga has ten steps in a SQLite store on this disk: one activity that begins it and one a step. The bare workflow
starts as many activities that do nothing, with arguments and results of the same size, by the same client, worker and
real development server (in memory). Both run in turns in this process; the best of the rounds counts. Time is that of
the clock, since what a saga waits for are the server and the disk; beside it the processor time of this process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "temporal"))

from bare import Bare, bare
from temporal_sagas import World, long_one
from temporal_servers import DevServer
from temporalio.client import Client
from temporalio.worker import Worker

from agent_saga.runtime.temporal import SagaClient, WorkerOptions, connect, saga_worker
from agent_saga.runtime.temporal.names import workflow_id
from agent_saga.runtime.temporal.working import RUNNER
from agent_saga.trace.store import open_store

STEPS = 10
ACTIVITIES = STEPS + 1
ROUNDS = 3
AT_ONCE = (1, 16, 64)


class Rate(NamedTuple):
    """How many a second, and milliseconds of this process's processor time for each: client and worker."""

    each: float
    cpu: float

    def better(self, other: Rate) -> Rate:
        """The best of two rounds."""
        return Rate(max(self.each, other.each), min(self.cpu, other.cpu))


WORST = Rate(0.0, float("inf"))


async def timed(one: Callable[[int], Awaitable[None]], at_once: int, many: int) -> Rate:
    """Do so many, so many at once."""
    numbers = iter(range(many))

    async def lane() -> None:
        for number in numbers:
            await one(number)

    began, spent = time.perf_counter(), time.process_time()
    await asyncio.gather(*(lane() for _ in range(at_once)))
    return Rate(many / (time.perf_counter() - began), (time.process_time() - spent) / many * 1000)


async def floor(client: Client, at_once: int, many: int, mark: str) -> Rate:
    """Bare workflows a second."""

    async def one(number: int) -> None:
        await client.execute_workflow(Bare.run, ACTIVITIES, id=f"bare-{mark}-{number}", task_queue="bare")

    async with Worker(client, task_queue="bare", workflows=[Bare], activities=[bare], workflow_runner=RUNNER):
        return await timed(one, at_once, many)


async def sagas(client: Client, folder: Path, at_once: int, many: int, mark: str) -> Rate:
    """Sagas a second."""
    store = open_store(folder / f"{mark}.db")
    made = replace(long_one(World(), STEPS))

    async with saga_worker(client, store, [made], WorkerOptions(task_queue="sagas")):
        asked = SagaClient(client, store, task_queue="sagas")

        async def one(number: int) -> None:
            saga = await asked.start("long", saga=f"{mark}-{number}")
            standing = await client.get_workflow_handle(workflow_id(saga), result_type=dict).result()
            assert standing["status"] == "succeeded_verified", standing
            assert standing["turns"] == ACTIVITIES, standing

        rate = await timed(one, at_once, many)
    await store.close()
    return rate


async def measured(folder: Path, quick: bool) -> list[tuple[int, Rate, Rate]]:
    """At once, of bare workflows, of sagas."""
    server = DevServer(folder).start()
    rows = []
    try:
        client = await connect(target_host=server.address)
        for at_once in AT_ONCE[:2] if quick else AT_ONCE:
            many = at_once if quick else max(8, at_once * 3)
            best = [WORST, WORST]
            for turn in range(1 if quick else ROUNDS):
                mark = f"{at_once}-{turn}"
                best[0] = best[0].better(await floor(client, at_once, many, mark))
                best[1] = best[1].better(await sagas(client, folder, at_once, many, mark))
            rows.append((at_once, best[0], best[1]))
    finally:
        server.stop()
    return rows


def run(folder: Path, quick: bool = False) -> None:
    """Measure and print."""
    rows = asyncio.run(measured(folder, quick))
    print(
        f"sagas on Temporal: {STEPS} steps in {ACTIVITIES} activities; floor: a workflow with as many that do nothing"
    )
    print("  at once   bare/s   sagas/s   times the floor (goal: at most 1.5)   cpu ms   times the floor's cpu")
    for at_once, bare_one, saga in rows:
        took, cpu = bare_one.each / saga.each, saga.cpu / bare_one.cpu
        print(f"  {at_once:7d}   {bare_one.each:6.1f}   {saga.each:7.1f}   {took:35.2f}   {saga.cpu:6.1f}   {cpu:.2f}")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure sagas on Temporal.")
    parser.add_argument("--quick", action="store_true", help="1 and 16 at once, one round")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-") as scratch:
        run(Path(scratch), chosen.quick)
    sys.stdout.flush()
    os._exit(0)  # the threads of Temporal's library outlive the loop
