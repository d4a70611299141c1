"""The lines of a bundle: each one a line of this saga at its place, chained to the one before.

Source: docs/spec/bundle-v1.md, "Lines", "The log's own lines".
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from agent_saga.proofs.bundles.reading import Bundle
from agent_saga.proofs.errors import Refuted
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES, Event, may_stand_in
from agent_saga.trace.limits import GENESIS, LOG_SAGA


class Shown(NamedTuple):
    """A line that was decoded. number: the place that the bundle gives it, a seq or an index. leaf: lower-case hex."""

    number: int
    line: bytes
    event: Event
    leaf: str


class _Head(msgspec.Struct):
    saga: str
    type: str


_head: Final = msgspec.json.Decoder(_Head)


def saga_lines(bundle: Bundle) -> list[Shown]:
    """The saga's lines, checked among themselves.

    Raises Refuted: ``bad-line``, ``log-type``, ``wrong-saga``, ``wrong-seq``, ``wrong-order``, ``no-beginning``,
    ``broken-chain``.
    """
    if bundle.saga == LOG_SAGA:
        raise Refuted("log-saga", "the log's own lines are no saga: a bundle is of one saga of an agent")
    shown = [_shown(seq, text, "line") for seq, text in bundle.lines]
    for one in shown:
        if one.event.saga != bundle.saga:
            raise Refuted("wrong-saga", f"line {one.number} is of the saga {one.event.saga}, not of {bundle.saga}")
        if one.event.seq != one.number:
            raise Refuted("wrong-seq", f"line {one.number} says of itself that it is line {one.event.seq}")
    _ascending(shown, "line")
    if shown and shown[0].number:
        raise Refuted("no-beginning", f"the first line shown is line {shown[0].number}: line 0 is always shown")
    if shown and shown[0].event.prev != GENESIS:
        raise Refuted("broken-chain", "line 0 names a line before it; it is the first of its saga")
    _chained(shown)
    return shown


def own_lines(bundle: Bundle) -> list[Shown]:
    """The log's own lines, checked among themselves. Raises Refuted: the same, and ``not-log-line``."""
    shown = [_shown(index, text, "the log's line") for index, text in bundle.log]
    for one in shown:
        if one.event.saga != LOG_SAGA:
            raise Refuted("not-log-line", f"line {one.number} of the log is of the saga {one.event.saga}, not its own")
    _ascending(shown, "the log's line")
    for before, after in pairwise(shown):
        if before.event.seq >= after.event.seq:
            raise Refuted("wrong-order", f"the log's own lines {before.number} and {after.number} stand in no order")
    _chained(shown)
    return shown


def stretches(shown: Sequence[Shown]) -> Iterator[tuple[Shown, Shown]]:
    """The first and last line of each run of lines without a gap."""
    first = last = None
    for one in shown:
        if first is None or last is None or one.number != last.number + 1:
            if first is not None and last is not None:
                yield first, last
            first = one
        last = one
    if first is not None and last is not None:
        yield first, last


def _shown(number: int, text: str, what: str) -> Shown:
    line = text.encode()
    try:
        event, _ = decode(line)
    except LineError as fault:
        _refuse_mixed(line, f"{what} {number}")
        raise Refuted("bad-line", f"{what} {number} cannot be read ({fault.code}): {fault}") from fault
    return Shown(number, line, event, leaf_hash(line))


def _refuse_mixed(line: bytes, what: str) -> None:
    """A line whose only fault may be that its type stands in the wrong saga gets its own reason."""
    try:
        head = _head.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    if head.type in EVENT_TYPES and not may_stand_in(head.saga, head.type):
        where = "the log's own saga" if head.saga == LOG_SAGA else "a saga of an agent"
        raise Refuted("log-type", f"{what} is a {head.type} line in {where}: these two never mix")


def _ascending(shown: Sequence[Shown], what: str) -> None:
    for before, after in pairwise(shown):
        if before.number >= after.number:
            raise Refuted("wrong-order", f"{what} {after.number} stands behind {before.number}: expected ascending")


def _chained(shown: Sequence[Shown]) -> None:
    for before, after in pairwise(shown):
        if after.event.seq == before.event.seq + 1 and after.event.prev != before.leaf:
            raise Refuted("broken-chain", f"line {after.number} does not name the hash of line {before.number}")
