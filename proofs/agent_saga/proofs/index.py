"""The saga index: how many lines each saga has at a checkpoint, so that nothing can be left out at its end.

An entry is a line of text; its leaf is hashed like any other::

    agent-saga-index-v1 KEY FIRST LAST LINES HEAD

KEY is hex SHA-256("agent-saga/index/v1\\0" || saga id), FIRST and LAST are the global indices of the saga's first and
last line, LINES their number, HEAD the leaf of the last one in hex. Entries ascend strictly by KEY between two
sentinels, so two neighbours prove that nothing stands between them.

Source: docs/spec/log-v1.md, "Saga index".
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from agent_saga.proofs.checking import check_inclusion
from agent_saga.proofs.errors import Refuted, Unprovable
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tree import Leaves

_ENTRY = re.compile(
    r"agent-saga-index-v1 ([0-9a-f]{64}) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{64})\n"
).fullmatch
_NOTHING: Final = "0" * 64
LOWEST: Final = _NOTHING
HIGHEST: Final = "f" * 64


def key_of(saga: str) -> str:
    """The KEY under which a saga stands in the index."""
    return sha256(b"agent-saga/index/v1\0" + saga.encode()).hexdigest()


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
    sound = entry == sentinel(entry.key) if entry.sentinel else 0 < entry.lines <= entry.last - entry.first + 1
    if not sound:
        raise Refuted("bad-index-entry", f"the index entry {text[:60]!r} contradicts itself")
    return entry


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry with its place in the index and its path to the index root. Unverified until :func:`check_placed`."""

    entry: Entry
    place: int
    path: Sequence[bytes]


class Index:
    """The whole index of a log, made from its sagas; gives presence and absence proofs."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """entries: of every saga, in any order. Raises Unprovable when two are of one saga."""
        self.entries = sorted([sentinel(LOWEST), *entries, sentinel(HIGHEST)], key=lambda one: one.key)
        self._keys = [one.key for one in self.entries]
        if len(set(self._keys)) < len(self._keys):
            raise Unprovable("two entries of one saga: the index cannot be made")
        self._leaves = [one.leaf() for one in self.entries]
        self._tree: Leaves | None = None
        self.root = root_of(self._leaves)

    @property
    def size(self) -> int:
        """Number of entries, the sentinels among them."""
        return len(self.entries)

    def placed(self, place: int) -> Placed:
        """The entry at this place, with its path."""
        self._tree = self._tree or Leaves(self._leaves)
        return Placed(self.entries[place], place, inclusion(self._tree, place, self.size))

    def present(self, saga: str) -> Placed:
        """Proof that the saga stands in the index. Raises Unprovable when it does not."""
        place = self._place(saga)
        if self._keys[place] != key_of(saga):
            raise Unprovable(f"saga {saga}: not in the index; `--absent` proves that")
        return self.placed(place)

    def absent(self, saga: str) -> tuple[Placed, Placed]:
        """Proof that the saga does not stand in the index: its two neighbours. Raises Unprovable when it does."""
        place = self._place(saga)
        if self._keys[place] == key_of(saga):
            raise Unprovable(
                f"saga {saga}: stands in the index with {self.entries[place].lines} lines; it is not absent"
            )
        return self.placed(place - 1), self.placed(place)

    def _place(self, saga: str) -> int:
        return bisect_left(self._keys, key_of(saga))


def check_placed(placed: Placed, size: int, root: bytes) -> Entry:
    """Check an entry against the index root; a sentinel must stand at its end. Raises Refuted; returns the entry."""
    ends = {LOWEST: 0, HIGHEST: size - 1}
    if ends.get(placed.entry.key, placed.place) != placed.place:
        raise Refuted("bad-index-entry", f"a sentinel stands at place {placed.place} of an index of {size} entries")
    check_inclusion(placed.entry.leaf(), placed.place, size, placed.path, root)
    return placed.entry


def check_absent(saga: str, before: Placed, after: Placed, size: int, root: bytes) -> None:
    """Check that the saga has no place between two neighbours. Raises Refuted (``not-absent`` and others)."""
    left, right = check_placed(before, size, root), check_placed(after, size, root)
    if after.place != before.place + 1:
        raise Refuted("not-absent", f"entries {before.place} and {after.place} of the index are no neighbours")
    if not left.key < key_of(saga) < right.key:
        raise Refuted("not-absent", f"saga {saga} does not belong between the two entries shown")
