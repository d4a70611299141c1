"""``python temporal_child.py ADDRESS MODULE:SAGA STORE QUEUE [KILL] [LOG]``: a worker of its own process.

KILL: ``start:N`` or ``end:N``: SIGKILL when the N-th activity of this process begins, or when it is done and the server
has not heard so. LOG: a file that gets the name of every activity begun. Ends on SIGTERM.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from agent_saga.runtime.runnable import load
from agent_saga.runtime.temporal import WorkerOptions, connect, saga_worker
from agent_saga.trace.store import open_store

LEASE, PATIENCE = 1.0, 1.0


class Killer(Interceptor):
    def __init__(self, kill: str, log: str) -> None:
        self.where, _, number = kill.partition(":")
        self.number, self.log, self.count = int(number or 0), log, 0

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return Counting(next, self)

    def reached(self, where: str, number: int) -> None:
        if (where, number) == (self.where, self.number):
            os.kill(os.getpid(), signal.SIGKILL)


class Counting(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, killer: Killer) -> None:
        super().__init__(next)
        self._killer = killer

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        self._killer.count += 1
        number = self._killer.count
        if self._killer.log:
            with open(self._killer.log, "a", encoding="utf-8") as log:
                log.write(f"{input.fn.__name__}\n")
        self._killer.reached("start", number)
        try:
            return await super().execute_activity(input)
        finally:
            self._killer.reached("end", number)


async def main(address: str, spec: str, store: str, queue: str, kill: str = "", log: str = "") -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    client = await connect(target_host=address)
    opened = open_store(store)
    options = WorkerOptions(
        task_queue=queue, lease=LEASE, patience=PATIENCE, grace=1.0, interceptors=(Killer(kill, log),)
    )
    async with saga_worker(client, opened, [load(spec, Path(store))], options):
        print("ready", flush=True)
        await stop.wait()
    await opened.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
    sys.stdout.flush()
    os._exit(0)
