"""Which keys a log had revoked by a line, as its own lines say it: waivers that they signed lift nothing any more.

As the gate knew it then: that a key had been in other hands before it was revoked is for certify to say.

Source: docs/spec/approval-v1.md, "Changes"; docs/spec/policy-v1.md, "Waivers".
"""

from collections.abc import Collection

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.registry.history import History
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.events import LOG_TYPES, LogOpened

OWN = frozenset(name.encode() for name in LOG_TYPES)
"""The types of the log's own lines."""


class Revoking:
    """Follows the log's own lines. A line without a valid proof has no effect, as everywhere."""

    def __init__(self) -> None:
        self._history: History | None = None

    @property
    def revoked(self) -> Collection[str]:
        """Ids of keys that are revoked by now."""
        return self._history.last.revoked.keys() if self._history is not None else ()

    def hear(self, line: bytes, place: int) -> None:
        """Take in one of the log's own lines. place: of it among all lines, growing."""
        try:
            event = decode(line)[0]
            if isinstance(event, LogOpened):
                self._history = History(event, leaf_hash(line))
            elif self._history is not None:
                self._history.add(place, leaf_hash(line), event)
        except (AgentSagaError, NotApproved, RegistryFault, ValueError):
            return
