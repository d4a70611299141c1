"""Calls to a server that may be started anew meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from temporalio.client import WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.service import RPCError, RPCStatusCode

T = TypeVar("T")
PAUSE: Final = 0.5
"""Seconds between two tries, on top of those that Temporal's client makes by itself."""
_AWAY: Final = frozenset({RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.UNKNOWN})


async def patiently(call: Callable[[], Awaitable[T]], patience: float) -> T:
    """Make the call until the server answers it. call: the same request each time. patience: seconds.

    Raises what the last try raised.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    while True:
        try:
            return await call()
        except WorkflowUpdateRPCTimeoutOrCancelledError:
            if loop.time() > end:
                raise
        except RPCError as fault:
            if fault.status not in _AWAY or loop.time() > end:
                raise
        await asyncio.sleep(PAUSE)
