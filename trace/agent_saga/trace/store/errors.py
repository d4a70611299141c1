"""What a store refuses. Each message names the place, what was found, what was expected, and what to do.

A :class:`Refusal` concerns one caller, and nothing of his was written. Every other error concerns the store, and
nothing of anybody's was written by the call that raised it.
"""

from agent_saga.trace.errors import AgentSagaError


class StoreError(AgentSagaError):
    """Base of all errors of a store."""


class Refusal(StoreError):
    """The store is well; what it was asked to keep does not fit what it holds."""


class Conflict(Refusal):
    """Other bytes stand at this saga and seq: somebody else wrote, and the stored line wins."""


class OutOfOrder(Refusal):
    """The line does not follow the saga's last one: a gap in seq, or a prev that is not the head."""


class Overtaken(Refusal):
    """The first line would not get the global index that it is meant for: somebody else appended in between."""


class BadLine(Refusal):
    """The bytes are no line of the trace format, claim another place, or a disclosure opens nothing on the lines."""


class LimitReached(Refusal):
    """A window would hold more than it may: others have taken from it meanwhile. number: of the spend, from 0."""

    def __init__(self, words: str, number: int = 0, used: int = 0) -> None:
        """used: what the window holds without the append that was refused."""
        super().__init__(words)
        self.number, self.used = number, used


class StaleLease(Refusal):
    """The lease is not the latest of its saga: somebody has taken the saga over, or it was released."""


class DiskFull(StoreError):
    """The disk, a quota or a limit has no room: make room, then append the same lines again."""


class DiskFault(StoreError):
    """The disk failed to write or to sync."""


class ReadOnly(StoreError):
    """The file or its folder cannot be written by this user."""


class Busy(StoreError):
    """Another process kept the store locked for too long."""


class WrongVersion(StoreError):
    """The store has another schema version than this release reads and writes."""


class NotAStore(StoreError):
    """What stands at the path is no store of ours."""


class Damaged(StoreError):
    """The store contradicts itself: restore it from a backup, and keep what is there as evidence."""


class Closed(StoreError):
    """The store was closed, or belongs to the process from which this one was forked."""


class Unreachable(StoreError):
    """The server of the store does not answer, or went away: append the same again once it is back."""
