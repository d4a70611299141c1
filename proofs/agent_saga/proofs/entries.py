"""Entries of the saga index, and checking them with nothing but hashlib. Making the index: :mod:`~.index`.

An entry is a line of text; its leaf is hashed like any other::

    agent-saga-index-v1 KEY FIRST LAST LINES HEAD

KEY is hex SHA-256("agent-saga/index/v1\\0" || saga id), FIRST and LAST are the global indices of the saga's first and
last line, LINES their number, HEAD the leaf of the last one in hex. Entries ascend strictly by KEY between two
sentinels, so two neighbours prove that nothing stands between them.

Source: docs/spec/log-v1.md, "Saga index".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from agent_saga.proofs.checking import check_inclusion
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.limits import MAX_SIZE

_ENTRY = re.compile(
    r"agent-saga-index-v1 ([0-9a-f]{64})"
    r" (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{64})\n"
).fullmatch
KEY_BEGUN: Final = sha256(b"agent-saga/index/v1\0")
"""The hash of a KEY before the saga's id goes in."""
_NOTHING: Final = "0" * 64
LOWEST: Final = _NOTHING
HIGHEST: Final = "f" * 64


def key_of(saga: str) -> str:
    """The KEY under which a saga stands in the index."""
    state = KEY_BEGUN.copy()
    state.update(saga.encode())
    return state.hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index says of one saga. first, last: global indices. head: leaf of the last line, lower-case hex."""

    key: str
    first: int
    last: int
    lines: int
    head: str

    def text(self) -> str:
        """The entry as it is hashed, with its LF."""
        return f"agent-saga-index-v1 {self.key} {self.first} {self.last} {self.lines} {self.head}\n"

    def leaf(self) -> bytes:
        """Its leaf hash in the index tree."""
        return leaf(self.text().encode())

    @property
    def sentinel(self) -> bool:
        """One of the two ends, which stand for no saga."""
        return self.key in (LOWEST, HIGHEST)


def sentinel(key: str) -> Entry:
    """One of the two ends of the index: :data:`LOWEST` or :data:`HIGHEST`."""
    return Entry(key, 0, 0, 0, _NOTHING)


def parse_entry(text: str) -> Entry:
    """Read an entry in its one spelling. Raises Refuted (``bad-index-entry``)."""
    found = _ENTRY(text)
    if found is None:
        raise Refuted("bad-index-entry", f"{text[:80]!r} is no entry of a saga index")
    entry = Entry(found[1], int(found[2]), int(found[3]), int(found[4]), found[5])
    if not (entry == sentinel(entry.key) if entry.sentinel else _sound(entry)):
        raise Refuted("bad-index-entry", f"the index entry {text[:60]!r} contradicts itself")
    return entry


def _sound(entry: Entry) -> bool:
    """Whether that many lines fit between first and last; a lone line is both."""
    span = entry.last - entry.first + 1
    return entry.last < MAX_SIZE and 0 < entry.lines <= span and (entry.lines == 1) == (span == 1)


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry with its place in the index and its path to the index root. Unverified until :func:`check_placed`."""

    entry: Entry
    place: int
    path: Sequence[bytes]


def check_placed(placed: Placed, size: int, root: bytes) -> Entry:
    """Check an entry against the index root; both ends are sentinels, and no other place is one.

    Raises Refuted (``bad-index-entry`` and what check_inclusion raises); returns the entry.
    """
    due = {0: LOWEST, size - 1: HIGHEST}.get(placed.place)
    if due != (placed.entry.key if placed.entry.sentinel else None):
        raise Refuted("bad-index-entry", f"place {placed.place} of {size}: sentinels stand at both ends, nowhere else")
    check_inclusion(placed.entry.leaf(), placed.place, size, placed.path, root)
    return placed.entry


def check_absent(saga: str, before: Placed, after: Placed, size: int, root: bytes) -> None:
    """Check that the saga has no place between two neighbours. Raises Refuted (``not-absent`` and others)."""
    left, right = check_placed(before, size, root), check_placed(after, size, root)
    if after.place != before.place + 1:
        raise Refuted("not-absent", f"entries {before.place} and {after.place} of the index are no neighbours")
    if not left.key < key_of(saga) < right.key:
        raise Refuted("not-absent", f"saga {saga} does not belong between the two entries shown")
