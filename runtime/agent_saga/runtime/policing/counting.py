"""What is used of limits, over all sagas of the store, before a gate is asked.

What is told here may be taken by others a moment later: the store checks again when the intent is kept.
"""

from collections.abc import Iterable, Sequence

from agent_saga.runtime.gate import Gate, Request, Take, counts
from agent_saga.trace.instants import SECOND, micros
from agent_saga.trace.store import Spending, Store, Window

Used = dict[tuple[str, str], int]


async def used_by(store: Store, pending: Sequence[Spending], gate: Gate, requests: Iterable[Request]) -> Used:
    """What is used of each limit and key that the gate names for these calls. Raises StoreError.

    pending: what this saga is about to take as well.
    """
    if not counts(gate):
        return {}
    windows: dict[tuple[str, str], Window] = {}
    for request in requests:
        for one in gate.takes(request):
            since = micros(request.at) - one.window * SECOND
            windows[one.limit, one.key] = Window(one.limit, one.key, since)
    if not windows:
        return {}
    kept = await store.spent(list(windows.values()))
    return {name: used + _within(pending, windows[name]) for name, used in zip(windows, kept, strict=True)}


def _within(pending: Sequence[Spending], window: Window) -> int:
    return sum(one.amount for one in pending if (one.limit, one.key) == window[:2] and one.at > window.since)


def spending(saga: str, seq: int, at: str, take: Take) -> Spending:
    """What the line at this place takes. at: its instant."""
    instant = micros(at)
    return Spending(saga, seq, take.limit, take.key, take.amount, instant, take.window * SECOND, take.max)
