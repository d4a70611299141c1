"""The protocol of every store, and the small types that pass through it.

Time is an argument: ``now`` and ``until`` are seconds on one clock that all holders share, such as ``time.time()``.

Source: docs/spec/store-v1.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.writer import Written

LIMIT: Final = 1000
"""Lines that one call of :meth:`Store.lines` returns at most, unless told otherwise; about a megabyte."""


MAX_VALUE: Final = 16 * MAX_LINE
"""Bytes of a remembered value or of a disclosure: sixteen of the longest lines. What is larger belongs into a blob."""

MAX_NAME: Final = 512
"""Characters of a holder's name or of the key of a remembered value: room for an id, a host and a path."""


class NewLine(NamedTuple):
    """A line to be kept. line: its exact bytes, without LF; they must claim this saga and this seq.

    written: how the writer that made these very bytes knows them; without it they are decoded.
    """

    saga: str
    seq: int
    line: bytes
    written: Written | None = None


class Disclosure(NamedTuple):
    """What opens a concealed value. text: the D whose DIGEST stands on a line of this saga in the same append.

    subject: whom the value is about, 1-512 printable characters, as in a lease; an opaque name, since it outlives an
    erasure. Values of one subject are kept under one key, and can be erased together. "": the saga itself.
    """

    saga: str
    text: str
    subject: str = ""


class Spending(NamedTuple):
    """What a line takes from one limit: kept with the line, in the same commit, or refused together with it.

    seq: of the line, which is new in the same append; an append that is repeated takes nothing again. limit, key: 1-512
    characters, and up to MAX_LINE, that tell one budget from another. amount: 0 to 2**63 - 1. at: the instant of the
    line, in microseconds (:func:`agent_saga.trace.instants.micros`). window: microseconds. max: what the window may
    hold with this in it; None: it is kept in any case, as where persons approved it.
    """

    saga: str
    seq: int
    limit: str
    key: str
    amount: int
    at: int
    window: int
    max: int | None


class Window(NamedTuple):
    """A sum that is asked for: of what was taken from a limit under a key at instants later than ``since``."""

    limit: str
    key: str
    since: int


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one saga.

    token: grows by one whenever the saga is taken; only the latest may append. until: seconds, on the caller's clock.
    lines: that the saga had when it was taken; None where nobody looked. It makes no other lease of it.
    """

    saga: str
    holder: str
    token: int
    until: float
    lines: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SagaRow:
    """One saga as the store knows it. head: leaf of its last line, lower-case hex. ended: it has a saga.ended."""

    id: str
    lines: int
    head: str
    ended: bool


class Store(Protocol):
    """An append-only store of lines. Every method may raise StoreError; what each refuses stands in ``errors``."""

    async def append(
        self,
        lines: Sequence[NewLine],
        *,
        disclosures: Sequence[Disclosure] = (),
        lease: Lease | None = None,
        at: int | None = None,
        spends: Sequence[Spending] = (),
        release: bool = False,
    ) -> int:
        """Keep the lines, all or none; durable on return. Returns the global index of the first.

        Lines that stand there already with the same bytes are left as they are. disclosures: become durable before
        the lines. lease: all lines are of its saga, and nobody has taken the saga since. at: only if the first line
        gets, or has, this global index. spends: what the lines take from limits; one that does not fit keeps all off.
        release: let go of the lease in the same commit, as :meth:`release` does; it may be repeated like any append.
        Raises Conflict (other bytes stand there), OutOfOrder (a gap, or a prev that is not the head), Overtaken (the
        first line would stand elsewhere than ``at``), LimitReached (a window would hold too much), BadLine, StaleLease,
        DiskFull, DiskFault, ReadOnly, Busy. A cancelled call may still have kept its lines.
        """
        ...

    async def spent(self, windows: Sequence[Window]) -> list[int]:
        """What each of these windows holds now; others may take from them before this returns."""
        ...

    async def read(self, saga: str, since: int = 0) -> list[bytes]:
        """The saga's lines from seq ``since`` on; empty for a saga that the store does not know."""
        ...

    async def sagas(self, *, open_only: bool = False) -> list[SagaRow]:
        """Every saga, in the order of their first lines. open_only: those without a saga.ended."""
        ...

    async def lines(self, since: int = 0, limit: int = LIMIT) -> list[tuple[int, bytes]]:
        """Lines with their global index, from index ``since`` on, at most ``limit`` of them."""
        ...

    async def acquire(self, saga: str, holder: str, ttl: float, now: float) -> Lease | None:
        """Take the saga for ``ttl`` seconds; None while somebody holds it, be it the same holder.

        The lease may tell how many lines there are, so that a new saga need not be read.
        holder: 1-512 characters that no other process has. Raises Refusal for others, or when ttl is not above zero.
        """
        ...

    async def renew(self, lease: Lease, ttl: float, now: float) -> Lease:
        """Hold on until ``now + ttl``. Raises StaleLease when the saga was taken or released since."""
        ...

    async def release(self, lease: Lease) -> None:
        """Let go, so that others need not wait; nothing happens when the lease is no longer the latest."""
        ...

    async def expired(self, now: float) -> list[str]:
        """Sagas that have not ended and that nobody holds: what a recovery takes. The log's own saga is none."""
        ...

    async def disclosures(self, saga: str) -> list[str]:
        """The Ds kept with the saga's lines, in the order in which they came."""
        ...

    async def remember(self, key: str, value: bytes) -> None:
        """Keep a value beside the trace, durable on return, in place of what the key had.

        key: 1-512 characters. value: up to MAX_VALUE bytes. Raises Refusal for others.
        """
        ...

    async def recall(self, key: str) -> bytes | None:
        """The value last kept under the key; None when there is none."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of the files. Closing twice is harmless."""
        ...
