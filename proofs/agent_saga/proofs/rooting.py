"""The roots of a stream of lines, at sizes known before it is read: what an auditor who holds all lines compares.

Whole blocks of leaves are hashed at once; what is kept is the right edge of the tree.

Source: RFC 9162, section 2.1.1.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from agent_saga.proofs.hashing import Frontier, join, perfect_root

_BLOCK: Final = 256
"""Leaves that are hashed up at once; a power of two, so that a block is a perfect subtree."""


class Roots:
    """Takes lines in their order and notes the root at each size that was asked for.

    sizes: those sizes, in lines. whole: whether the root of all lines is wanted besides.
    """

    def __init__(self, sizes: Iterable[int], *, whole: bool = False) -> None:
        self._due = sorted(set(sizes))
        self._whole = whole
        self._blocks = Frontier()
        self._leaves: list[bytes] = []
        self.size = 0
        """Lines taken so far."""
        self.at: dict[int, bytes] = {}
        """Root by size, for the sizes that were reached."""
        self._note_due()

    def add(self, lines: Sequence[bytes]) -> None:
        """Take in lines, without their LF. Nothing is hashed beyond the last size that is wanted."""
        at = 0
        while at < len(lines):
            stop = len(lines)
            if self._due:
                stop = min(stop, at + self._due[0] - self.size)
            elif not self._whole:
                self.size += stop - at
                return
            self._hash([sha256(b"\0" + line).digest() for line in lines[at:stop]])
            at = stop
            self._note_due()

    def add_leaf(self, leaf: bytes) -> None:
        """Take in one line by its leaf hash."""
        self._hash([leaf])
        self._note_due()

    def root(self) -> bytes:
        """Root of the lines so far; only of use where the root of all lines, or a size not yet reached, is wanted."""
        rest = Frontier()
        for leaf in self._leaves:
            rest.add(leaf)
        return join([*self._blocks.subtrees, *rest.subtrees])

    def _note_due(self) -> None:
        if self._due and self._due[0] == self.size:
            self.at[self._due.pop(0)] = self.root()

    def _hash(self, leaves: list[bytes]) -> None:
        self.size += len(leaves)
        self._leaves += leaves
        whole = len(self._leaves) // _BLOCK * _BLOCK
        for start in range(0, whole, _BLOCK):
            self._blocks.add(perfect_root(b"".join(self._leaves[start : start + _BLOCK])))
        del self._leaves[:whole]
