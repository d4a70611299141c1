"""What a process remembers of a store between two of its transactions, so that it need not be looked up again."""

from dataclasses import dataclass, field
from typing import Final

from agent_saga.trace.store.base import Lease
from agent_saga.trace.store.draft import Draft, Head

MANY: Final = 10_000
"""Sagas whose heads are remembered between two transactions: a few megabytes."""


@dataclass(slots=True)
class Known:
    """What the last transaction of this process left: good as long as no other connection has written since.

    version: ``PRAGMA data_version``, which changes when another connection has committed; -1 for never looked. count:
    lines that there are; -1 for not known.
    """

    version: int = -1
    count: int = -1
    heads: dict[str, Head] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)

    def learn(self, draft: Draft) -> None:
        """What was drafted has been committed."""
        if draft.lines:
            self.count = draft.first + len(draft.lines)
        self.heads |= draft.heads
        self.leases |= draft.leases
