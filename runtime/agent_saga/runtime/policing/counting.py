"""What is used of limits, over all sagas of the store, before a gate is asked.

What is told here may be taken by others a moment later: the store checks again when the intent is kept.
"""

from collections.abc import Iterable

from agent_saga.runtime.gate import Counting, Gate, Request, Take
from agent_saga.trace.instants import SECOND, micros
from agent_saga.trace.store import Spending, Store, Window

Used = dict[tuple[str, str], int]


async def used_by(store: Store, gate: Gate, requests: Iterable[Request]) -> Used:
    """What is used of each limit and key that the gate names for these calls. Raises StoreError."""
    if not isinstance(gate, Counting):
        return {}
    windows: dict[tuple[str, str], Window] = {}
    for request in requests:
        for one in gate.takes(request):
            since = micros(request.at) - one.window * SECOND
            windows[one.limit, one.key] = Window(one.limit, one.key, since)
    if not windows:
        return {}
    return dict(zip(windows, await store.spent(list(windows.values())), strict=True))


def spending(saga: str, seq: int, at: str, take: Take) -> Spending:
    """What the line at this place takes. at: its instant."""
    instant = micros(at)
    return Spending(saga, seq, take.limit, take.key, take.amount, instant, take.window * SECOND, take.max)
