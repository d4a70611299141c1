"""The hashes of an RFC 6962 tree: a leaf, a node, the root of a list. SHA-256 throughout.

    leaf(line)       = SHA-256(0x00 || line)
    node(left,right) = SHA-256(0x01 || left || right)
    root of nothing  = SHA-256("")

An odd node is never doubled: the last one is carried up as it is, so no two lists share a root.

Source: RFC 9162, section 2.1.1; docs/spec/log-v1.md, "Tree".
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import iter_unpack
from typing import Final

HASH: Final = 32
EMPTY: Final = sha256(b"").digest()
"""Root of the tree without leaves."""

_LEAF, _NODE = sha256(b"\0"), sha256(b"\1")
"""Begun hashes: in bulk, copying one costs less than beginning another."""


def leaf(line: bytes) -> bytes:
    """Hash of one entry, the exact bytes of a line without its LF."""
    return sha256(b"\0" + line).digest()


def leaf_hashes(lines: Iterable[bytes]) -> bytes:
    """:func:`leaf` of each line, end to end."""
    begun, hashes = _LEAF.copy, []
    for line in lines:
        state = begun()
        state.update(line)
        hashes.append(state.digest())
    return b"".join(hashes)


def node(left: bytes, right: bytes) -> bytes:
    """Hash of two subtrees."""
    return sha256(b"\1" + left + right).digest()


def split(size: int) -> int:
    """Leaves of the left subtree: the largest power of two below ``size``, which is at least 2."""
    return 1 << (size - 1).bit_length() - 1


def level_up(hashes: bytes) -> bytes:
    """Pair up hashes that stand end to end: the level above, end to end. A last one without a partner is left out."""
    begun, above = _NODE.copy, []
    for (pair,) in iter_unpack("64s", hashes[: len(hashes) // 64 * 64]):
        state = begun()
        state.update(pair)
        above.append(state.digest())
    return b"".join(above)


def perfect_root(hashes: bytes) -> bytes:
    """Root of a full subtree whose 2^k leaves stand end to end."""
    while len(hashes) > HASH:
        hashes = level_up(hashes)
    return hashes


def join(subtrees: Sequence[bytes]) -> bytes:
    """Root of the tree made of these perfect subtrees, largest first; :data:`EMPTY` for none."""
    if not subtrees:
        return EMPTY
    root = subtrees[-1]
    for left in reversed(subtrees[:-1]):
        root = node(left, root)
    return root


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Root of the tree over these leaf hashes."""
    frontier = Frontier()
    for one in leaves:
        frontier.add(one)
    return frontier.root()


class Frontier:
    """The right edge of a growing tree: its perfect subtrees, largest first. Adding a leaf costs two hashes on average.

    Source: RFC 9162, section 2.1.2 (the merge rule of its root calculation).
    """

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        self.size, self.subtrees = size, list(subtrees)

    def add(self, leaf_hash: bytes) -> None:
        """Append one leaf hash."""
        size, subtrees = self.size, self.subtrees
        while size & 1:
            leaf_hash = node(subtrees.pop(), leaf_hash)
            size >>= 1
        subtrees.append(leaf_hash)
        self.size += 1

    def root(self) -> bytes:
        """Root of all leaves so far."""
        return join(self.subtrees)
