"""What may be appended, and who may append: the decisions of every store. Pure: no file, no clock.

A :class:`Draft` holds what a group of callers is about to change, over what is committed. Each function checks before
it changes the draft, so that a refusal leaves nothing behind.

Source: docs/spec/store-v1.md, "Appending" and "Leases".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.conceal import digest_of
from agent_saga.trace.errors import LineError
from agent_saga.trace.limits import GENESIS
from agent_saga.trace.store.base import Disclosure, Lease, NewLine
from agent_saga.trace.store.errors import BadLine, Conflict, OutOfOrder, Refusal, StaleLease

_DIGESTS: Final = re.compile(rb'"\.\.\.":"([A-Za-z0-9_-]{43})"').findall
"""A quote inside a string is escaped, so nothing but a placeholder has these bytes."""


class Head(NamedTuple):
    """The end of a saga's chain: how many lines it has, the leaf of the last, and whether it has a saga.ended."""

    lines: int
    leaf: str
    ended: bool


NO_HEAD: Final = Head(0, GENESIS, False)


class Parsed(NamedTuple):
    """A line that is one. ends: it is a saga.ended."""

    saga: str
    seq: int
    prev: str
    leaf: str
    ends: bool
    line: bytes


class Committed(Protocol):
    """What a store holds, seen from inside its write transaction."""

    def count(self) -> int:
        """How many lines there are: the next global index."""
        ...

    def head(self, saga: str) -> Head | None:
        """The saga's head; None when it has no lines."""
        ...

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Global index and bytes of a line that is there."""
        ...

    def lease(self, saga: str) -> Lease | None:
        """The latest lease, released or not; None when the saga was never taken. A released one has no holder."""
        ...


@dataclass
class Draft:
    """Changes over what is committed, in the order in which they are to become durable."""

    committed: Committed
    lines: list[Parsed] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    disclosures: list[Disclosure] = field(default_factory=list)
    memory: dict[str, bytes] = field(default_factory=dict)
    _first: int | None = None
    _drafted: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """Global index of the first drafted line."""
        if self._first is None:
            self._first = self.committed.count()
        return self._first

    def head(self, saga: str) -> Head:
        """The saga's head with the draft counted in."""
        return self.heads.get(saga) or self.committed.head(saga) or NO_HEAD

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Global index and bytes of a line that is there or drafted."""
        drafted = self._drafted.get((saga, seq))
        if drafted is None:
            return self.committed.at(saga, seq)
        return self.first + drafted, self.lines[drafted].line

    def lease(self, saga: str) -> Lease | None:
        """The saga's latest lease with the draft counted in."""
        return self.leases.get(saga) or self.committed.lease(saga)

    def add(self, lines: Sequence[Parsed]) -> None:
        """Draft lines that follow their heads."""
        for one in lines:
            self._drafted[one.saga, one.seq] = len(self.lines)
            self.lines.append(one)
            self.heads[one.saga] = _after(self.head(one.saga), one)


def _after(head: Head, line: Parsed) -> Head:
    return Head(line.seq + 1, line.leaf, head.ended or line.ends)


def parse(new: NewLine) -> Parsed:
    """Read what a line claims. Raises BadLine when it is no line, or claims another saga or seq than it is given."""
    try:
        event, _ = decode(new.line)
    except LineError as fault:
        raise BadLine(f"saga {new.saga} seq {new.seq}: not a line of a trace ({fault.code}): {fault}") from fault
    if (event.saga, event.seq) != (new.saga, new.seq):
        raise BadLine(f"the line claims saga {event.saga} seq {event.seq}; expected saga {new.saga} seq {new.seq}")
    return Parsed(event.saga, event.seq, event.prev, leaf_hash(new.line), event.type == "saga.ended", new.line)


def digests_on(line: bytes) -> list[str]:
    """The DIGEST of every concealed value on a line, in order, without parsing it."""
    return [digest.decode() for digest in _DIGESTS(line)]


def check_disclosures(lines: Sequence[NewLine], disclosures: Sequence[Disclosure]) -> None:
    """Raise BadLine unless each disclosure opens a value on one of the lines, of the saga that it names."""
    if not disclosures:
        return
    due = {(new.saga, digest) for new in lines for digest in digests_on(new.line)}
    for saga, text in disclosures:
        digest = digest_of(text) if text.isascii() else ""
        if (saga, digest) not in due:
            raise BadLine(
                f"saga {saga}: a disclosure opens no concealed value on the lines that it comes with "
                f"(digest {digest[:12]}...); append it together with its line"
            )


def append(draft: Draft, lines: Sequence[Parsed], disclosures: Sequence[Disclosure], lease: Lease | None) -> int:
    """Draft lines and their disclosures; returns the global index of the first line.

    No lines: the next index. Raises Conflict, OutOfOrder, StaleLease.
    """
    if lease is not None:
        check_lease(draft, lease, lines)
    new = _new_lines(draft, lines)
    draft.add(new)
    draft.disclosures.extend(disclosures)
    return draft.at(lines[0].saga, lines[0].seq)[0] if lines else draft.first + len(draft.lines)


def _new_lines(draft: Draft, lines: Sequence[Parsed]) -> list[Parsed]:
    """Those of the lines that are not there yet, each the next of its saga."""
    heads: dict[str, Head] = {}
    new: dict[tuple[str, int], Parsed] = {}
    for one in lines:
        head = heads.get(one.saga) or draft.head(one.saga)
        if one.seq < head.lines:
            mine = new.get((one.saga, one.seq))
            _same(one, mine.line if mine else draft.at(one.saga, one.seq)[1])
            continue
        _follows(one, head)
        heads[one.saga] = _after(head, one)
        new[one.saga, one.seq] = one
    return list(new.values())


def _same(line: Parsed, stored: bytes) -> None:
    if line.line != stored:
        raise Conflict(
            f"saga {line.saga} seq {line.seq}: another line stands there (leaf {leaf_hash(stored)[:16]}..., "
            f"yours {line.leaf[:16]}...); read the saga again and go on from what is stored"
        )


def _follows(line: Parsed, head: Head) -> None:
    if line.seq > head.lines:
        raise OutOfOrder(f"saga {line.saga}: seq {line.seq} leaves a gap; the next is {head.lines}")
    if line.prev != head.leaf:
        raise OutOfOrder(
            f"saga {line.saga} seq {line.seq}: prev is {line.prev[:16]}..., the head is {head.leaf[:16]}...; "
            "read the saga again and chain to its last line"
        )


def check_lease(draft: Draft, lease: Lease, lines: Sequence[Parsed] = ()) -> Lease:
    """The stored lease, if this is it. Raises StaleLease when it is not, or the lines are of another saga.

    A lease that ran out is good until somebody takes the saga: nobody else can have written meanwhile.
    """
    for one in lines:
        if one.saga != lease.saga:
            raise StaleLease(f"the lease is for saga {lease.saga}, the line for saga {one.saga}; acquire that one too")
    latest = draft.lease(lease.saga)
    if latest is None or (latest.token, latest.holder) != (lease.token, lease.holder):
        found = f"token {latest.token} of {latest.holder or 'nobody'}" if latest else "no lease at all"
        raise StaleLease(
            f"saga {lease.saga}: token {lease.token} of {lease.holder} is stale, the store has {found}; "
            "stop working on the saga"
        )
    return latest


def acquire(draft: Draft, saga: str, holder: str, ttl: float, now: float) -> Lease | None:
    """Draft a lease; None while another one is live. ttl: seconds."""
    if not holder:
        raise Refusal(f"saga {saga}: a holder needs a name; give one that no other process has")
    latest = draft.lease(saga)
    if latest and latest.holder and latest.until > now:
        return None
    lease = Lease(saga, holder, latest.token + 1 if latest else 1, now + ttl)
    draft.leases[saga] = lease
    return lease


def renew(draft: Draft, lease: Lease, ttl: float, now: float) -> Lease:
    """Draft the same lease with a later end. ttl: seconds. Raises StaleLease."""
    renewed = replace(check_lease(draft, lease), until=now + ttl)
    draft.leases[lease.saga] = renewed
    return renewed


def release(draft: Draft, lease: Lease) -> None:
    """Draft that nobody holds the saga, if this is its latest lease. The token stays: it never goes back."""
    latest = draft.lease(lease.saga)
    if latest and (latest.token, latest.holder) == (lease.token, lease.holder):
        draft.leases[lease.saga] = replace(latest, holder="", until=0.0)
