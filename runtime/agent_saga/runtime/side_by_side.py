"""Calls that are made side by side: what one answers is not lost with a process that dies while another still waits."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from agent_saga.runtime.journal import Journal
from agent_saga.runtime.kernel.actions import Draft


async def side_by_side(journal: Journal, calls: Sequence[Coroutine[Any, Any, Draft]]) -> tuple[Draft, ...]:
    """The outcome that came last; the others were made durable as they came. Raises StoreError.

    calls: each answers with the line of its outcome. None goes on behind whoever waits here.
    """
    tasks = [asyncio.ensure_future(one) for one in calls]
    try:
        for number, task in enumerate(asyncio.as_completed(tasks), 1):
            draft = await task
            if number == len(tasks):
                return (draft,)
            journal.write((draft,))
            await journal.flush()
    finally:
        left = [one for one in tasks if not one.done()]
        for one in left:
            one.cancel()
        if left:
            await asyncio.wait(left)
    return ()
