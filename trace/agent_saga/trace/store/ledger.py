"""What may be appended: the decisions of every store. Pure: no file, no clock.

Each function checks before it changes the draft, so that a refusal leaves nothing behind.

Source: docs/spec/store-v1.md, "Appending".
"""

import re
from collections.abc import Sequence
from typing import Final

from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.conceal import digest_of
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import Event
from agent_saga.trace.store.base import MAX_VALUE, Disclosure, Lease, NewLine, Spending
from agent_saga.trace.store.draft import Draft, Head, Parsed, after
from agent_saga.trace.store.errors import BadLine, Conflict, OutOfOrder, Overtaken, Refusal
from agent_saga.trace.store.leases import check_lease, check_name, release
from agent_saga.trace.store.spending import taking

_DIGESTS: Final = re.compile(rb'"\.\.\.":"([A-Za-z0-9_-]{43})"').findall
"""A quote inside a string is escaped, so nothing but a placeholder has these bytes."""


def parse(new: NewLine) -> Parsed:
    """Read what a line claims. Raises BadLine when it is no line, or claims another saga or seq than it is given."""
    try:
        event, leaf = _known(new)
    except LineError as fault:
        raise BadLine(f"saga {new.saga} seq {new.seq}: not a line of a trace ({fault.code}): {fault}") from fault
    if (event.saga, event.seq) != (new.saga, new.seq):
        raise BadLine(f"the line claims saga {event.saga} seq {event.seq}; expected saga {new.saga} seq {new.seq}")
    return Parsed(event.saga, event.seq, event.prev, leaf, event.type == "saga.ended", new.line)


def _known(new: NewLine) -> tuple[Event, str]:
    """The event and the leaf of a line; what was made a moment ago, and decoded then, is not decoded again."""
    if new.written is not None and new.written.line is new.line:
        return new.written.event, new.written.leaf
    return decode(new.line)[0], leaf_hash(new.line)


def digests_on(line: bytes) -> list[str]:
    """The DIGEST of every concealed value on a line, in order, without parsing it."""
    return [digest.decode() for digest in _DIGESTS(line)]


def check_disclosures(lines: Sequence[NewLine], disclosures: Sequence[Disclosure]) -> None:
    """Raise BadLine unless each disclosure opens a value on one of the lines, of the saga that it names."""
    if not disclosures:
        return
    due = {(new.saga, digest) for new in lines for digest in digests_on(new.line)}
    for saga, text, subject in disclosures:
        if subject:
            check_name(subject, "the subject of a disclosure")
        digest = digest_of(text) if text.isascii() else ""
        if len(text) > MAX_VALUE:
            raise BadLine(f"saga {saga}: a disclosure of {len(text)} characters; at most {MAX_VALUE}, make it a blob")
        if (saga, digest) not in due:
            raise BadLine(
                f"saga {saga}: a disclosure opens no concealed value on the lines that it comes with "
                f"(digest {digest[:12]}...); append it together with its line"
            )


def append(
    draft: Draft,
    lines: Sequence[Parsed],
    disclosures: Sequence[Disclosure],
    lease: Lease | None,
    at: int | None = None,
    spends: Sequence[Spending] = (),
    *,
    let_go: bool = False,
) -> int:
    """Draft lines and their disclosures; returns the global index of the first line.

    No lines: the next index. at: the index that is meant. let_go: of the lease, in the same commit. Raises Conflict,
    OutOfOrder, StaleLease, Overtaken, LimitReached.
    """
    if lease is not None and not (let_go and _kept_before(draft, lease, lines)):
        check_lease(draft, lease, lines)
    new, heads = _new_lines(draft, lines)
    if at is not None:
        _meant(draft, lines, new, at)
    taken = taking(draft, new, spends) if spends else []
    first = _index(draft, lines, new)
    draft.add(new, heads)
    draft.spends.extend(taken)
    draft.disclosures.extend(disclosures)
    if let_go and lease is not None:
        release(draft, lease)
    return first


def _kept_before(draft: Draft, lease: Lease, lines: Sequence[Parsed]) -> bool:
    """Whether this append is repeated that let go of its lease: nobody took the saga since, and no line is new."""
    latest = draft.lease(lease.saga)
    if not lines or latest is None or (latest.token, latest.holder) != (lease.token, ""):
        return False
    return all(one.saga == lease.saga and one.seq < draft.head(one.saga).lines for one in lines)


def _new_lines(draft: Draft, lines: Sequence[Parsed]) -> tuple[list[Parsed], dict[str, Head]]:
    """Those of the lines that are not there yet, each the next of its saga, and the heads that they make."""
    heads: dict[str, Head] = {}
    new: dict[tuple[str, int], Parsed] = {}
    for one in lines:
        head = heads.get(one.saga) or draft.head(one.saga)
        if one.seq < head.lines:
            mine = new.get((one.saga, one.seq))
            _same(one, mine.line if mine else draft.at(one.saga, one.seq)[1])
            continue
        _follows(one, head)
        heads[one.saga] = after(head, one)
        new[one.saga, one.seq] = one
    return list(new.values()), heads


def _index(draft: Draft, lines: Sequence[Parsed], new: Sequence[Parsed]) -> int:
    """The global index that the first line gets, or has; without lines, that of the next."""
    if lines and not (new and new[0] is lines[0]):
        return draft.at(lines[0].saga, lines[0].seq)[0]
    return draft.first + len(draft.lines)


def _meant(draft: Draft, lines: Sequence[Parsed], new: Sequence[Parsed], at: int) -> None:
    """Raise Overtaken unless the first line gets, or has, this global index."""
    index = _index(draft, lines, new)
    if index != at:
        raise Overtaken(f"the first line would get index {index}, not {at}: read on from {at} and append again")


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


def remember(draft: Draft, key: str, value: bytes) -> None:
    """Draft a value under a key. Raises Refusal when one of them is too long."""
    check_name(key, "the key of what is to be remembered")
    if len(value) > MAX_VALUE:
        raise Refusal(f"{key}: a value of {len(value)} bytes; at most {MAX_VALUE} are kept, make it a file")
    draft.memory[key] = value
