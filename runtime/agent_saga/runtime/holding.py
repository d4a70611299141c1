"""Work under a lease: it is kept alive while the work goes on, and the work is stopped when it is lost."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from agent_saga.runtime.errors import LeaseLost
from agent_saga.runtime.journal import Journal
from agent_saga.trace.store import Lease, Store
from agent_saga.trace.store.errors import StaleLease, StoreError


async def held(journal: Journal, work: Any, lease: float, clock: Callable[[], datetime]) -> Any:
    """Do the work while the journal's lease is kept alive. lease: its seconds. Raises LeaseLost, and what it raises."""
    working, keeping = asyncio.ensure_future(work), asyncio.ensure_future(_keep(journal, lease, clock))
    try:
        await asyncio.wait({working, keeping}, return_when=asyncio.FIRST_COMPLETED)
        if journal.ending:  # a lease that went with the last line is not lost; one that was lost keeps that line off
            await asyncio.wait({working})
        if working.done():
            return working.result()
        raise LeaseLost(f"the lease of saga {journal.saga} ran out") from keeping.exception()
    except StaleLease as stale:
        raise LeaseLost(f"saga {journal.saga} was taken by another process") from stale
    finally:
        for task in (working, keeping):
            task.cancel()
        await asyncio.gather(working, keeping, return_exceptions=True)


async def held_or_given_back(store: Store, acquiring: Awaitable[Lease | None]) -> Lease | None:
    """The lease that is being acquired. Whoever is cancelled meanwhile gives it back; else it stays for its time."""
    taking = asyncio.ensure_future(acquiring)
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        with contextlib.suppress(StoreError):
            lease = await taking
            if lease is not None:
                await store.release(lease)
        raise


async def _keep(journal: Journal, lease: float, clock: Callable[[], datetime]) -> None:
    while True:
        await asyncio.sleep(lease / 3)
        mine, now = journal.lease, clock().timestamp()
        if mine is None:  # it went with the last line
            return
        try:
            journal.lease = await journal.store.renew(mine, lease, now)
        except StaleLease:
            raise
        except StoreError:
            if now > mine.until:
                raise
