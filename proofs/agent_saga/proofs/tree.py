"""Making proofs from the hashes that a log stores. Nothing here reads a disk: nodes come through one small protocol.

A perfect subtree is named by its height and its place among those of that height: ``node(3, 2)`` is the root over
leaves 16 to 23.

Source: RFC 9162, section 2.1; docs/spec/log-v1.md, "Proofs".
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Protocol

from agent_saga.proofs.errors import Unprovable
from agent_saga.proofs.hashing import join, node, split


class Nodes(Protocol):
    """The stored hashes of a log."""

    def node(self, height: int, place: int) -> bytes:
        """Root of the perfect subtree over leaves ``place * 2^height`` up to ``(place + 1) * 2^height``, 32 bytes.

        Raises LogFault where the storage cannot tell it.
        """
        ...


class Leaves:
    """The nodes of a short list of leaves, kept in memory: the saga index, tests."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._levels = [list(leaves)]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            self._levels.append([node(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])

    def node(self, height: int, place: int) -> bytes:
        """See :class:`Nodes`."""
        return self._levels[height][place]


def subtree(nodes: Nodes, start: int, size: int) -> bytes:
    """Root over ``size`` leaves from ``start`` on, which is where a subtree of that tree begins."""
    return join([nodes.node(height, place) for height, place in _perfect(start, size)])


def _perfect(start: int, size: int) -> Iterator[tuple[int, int]]:
    """The perfect subtrees that make up a subtree, largest first."""
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            yield height, start >> height
            start += 1 << height


def root(nodes: Nodes, size: int) -> bytes:
    """Root of the tree of the first ``size`` leaves."""
    return subtree(nodes, 0, size)


def consistency(nodes: Nodes, old: int, new: int) -> list[bytes]:
    """The consistency proof from ``old`` to ``new`` leaves, in the order of RFC 9162, 2.1.4.1; empty for 0 and equal.

    Raises Unprovable when old is larger than new.
    """
    if not 0 <= old <= new:
        raise Unprovable(f"no consistency proof from {old} to {new} lines: a log only grows")
    if old in (0, new):
        return []
    return _subproof(nodes, old, 0, new, whole=True)


def _subproof(nodes: Nodes, old: int, start: int, size: int, *, whole: bool) -> list[bytes]:
    """RFC 9162's SUBPROOF. whole: the verifier has the root over these ``old`` leaves already."""
    if old == size:
        return [] if whole else [subtree(nodes, start, size)]
    left = split(size)
    if old <= left:
        return [*_subproof(nodes, old, start, left, whole=whole), subtree(nodes, start + left, size - left)]
    rest = _subproof(nodes, old - left, start + left, size - left, whole=False)
    return [*rest, subtree(nodes, start, left)]


def shared_paths(nodes: Nodes, indices: Sequence[int], size: int) -> list[bytes]:
    """The proof of many leaves at once: roots of the largest subtrees that hold none of them, from left to right.

    indices: zero-based, in any order. Raises Unprovable when there are none, or one stands outside the tree.
    """
    wanted = sorted(set(indices))
    if not wanted or wanted[0] < 0 or wanted[-1] >= size:
        raise Unprovable(f"leaves {wanted} do not all stand in a log of {size} lines")
    return list(_gaps(nodes, wanted, 0, size))


def _gaps(nodes: Nodes, wanted: list[int], start: int, size: int) -> Iterator[bytes]:
    if not wanted:
        yield subtree(nodes, start, size)
    elif size > 1:
        left = split(size)
        cut = bisect_left(wanted, start + left)
        yield from _gaps(nodes, wanted[:cut], start, left)
        yield from _gaps(nodes, wanted[cut:], start + left, size - left)
