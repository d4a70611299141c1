"""The saga index: how many lines each saga has at a checkpoint, so that nothing can be left out at its end.

This is how it is made; what an entry is, and how one is checked, stands in :mod:`~agent_saga.proofs.entries`, which a
verifier reads without what makes proofs.

Source: docs/spec/log-v1.md, "Saga index".
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from agent_saga.proofs.entries import (
    HIGHEST,
    LOWEST,
    Entry,
    Placed,
    check_absent,
    check_placed,
    key_of,
    parse_entry,
    sentinel,
)
from agent_saga.proofs.errors import Unprovable
from agent_saga.proofs.hashing import root_of
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tree import Leaves, Nodes

__all__ = [
    "HIGHEST",
    "LOWEST",
    "Entry",
    "Index",
    "Placed",
    "check_absent",
    "check_placed",
    "key_of",
    "parse_entry",
    "sentinel",
]


class Index:
    """The whole index of a log, made from its sagas; gives presence and absence proofs."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """entries: of every saga, in any order. Raises Unprovable when two are of one saga."""
        self.entries: Sequence[Entry] = sorted([sentinel(LOWEST), *entries, sentinel(HIGHEST)], key=lambda one: one.key)
        self._keys: Sequence[str] = [one.key for one in self.entries]
        if len(set(self._keys)) < len(self._keys):
            raise Unprovable("two entries of one saga: the index cannot be made")
        self._leaves = [one.leaf() for one in self.entries]
        self._tree: Nodes | None = None
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
