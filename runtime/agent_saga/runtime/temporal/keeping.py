"""The journals of sagas that a worker worked on lately, so that a long trace need not be read for every activity.

Nothing is believed that is kept: the store is asked whether the last line that is known is still the last. Another
worker, or this one after it was started anew, reads the whole trace.
"""

from collections import OrderedDict
from typing import Final

from temporalio.exceptions import ApplicationError

from agent_saga.runtime.engine import Engine
from agent_saga.runtime.journal import Journal
from agent_saga.runtime.temporal.messages import Place
from agent_saga.runtime.temporal.names import OLDER
from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.store import Lease

MANY: Final = 500
"""Sagas whose state is kept: some ten kilobytes each, more for long ones."""


class Journals:
    """Journals by saga; the one that was used longest ago goes first."""

    def __init__(self, many: int = MANY) -> None:
        self._many = many
        self._kept: OrderedDict[str, Journal] = OrderedDict()

    async def open(self, engine: Engine, lease: Lease) -> Journal:
        """The journal up to the saga's last line. It is not kept again before :meth:`keep`. Raises StoreError."""
        kept = self._kept.pop(lease.saga, None)
        if kept is not None and await _is_last(engine, kept):
            kept.lease = lease
            return kept
        journal = engine.journal(lease)
        await journal.load()
        return journal

    def keep(self, journal: Journal) -> None:
        """Keep a journal of which everything is durable."""
        self._kept[journal.saga] = journal
        while len(self._kept) > self._many:
            self._kept.popitem(last=False)


async def require_whole(journal: Journal, place: Place) -> None:
    """Raise ApplicationError, an alarm, unless the saga's lines go on from where the workflow has seen them.

    What a store lost that was put in place of a newer one would be done again.
    """
    state = journal.state
    if place.seq in (0, state.seq):
        whole = place.seq == 0 or place.head == state.head
    else:
        lines = await journal.store.read(journal.saga, place.seq - 1)
        whole = bool(lines) and leaf_hash(lines[0]) == place.head
    if not whole:
        raise ApplicationError(
            f"the store holds fewer lines than were acknowledged of saga {journal.saga}, or others ({state.seq} now, "
            f"{place.seq} before): it is an older copy; put the newest one in its place, then start the saga again",
            type=OLDER,
            non_retryable=True,
        )


async def _is_last(engine: Engine, journal: Journal) -> bool:
    state = journal.state
    lines = await engine.store.read(journal.saga, state.seq - 1) if state.seq else []
    return len(lines) == 1 and leaf_hash(lines[0]) == state.head
