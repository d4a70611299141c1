"""Inclusion paths, planned by pymerkle over the hashes that a log has stored. The only module that knows pymerkle.

pymerkle counts leaves from one and puts the leaf itself in front of the path; both stay in here. Its consistency proofs
and its verifiers are not used: see :mod:`agent_saga.proofs.tree` and :mod:`agent_saga.proofs.checking`.

Source: RFC 9162, section 2.1.3.1.
"""

from collections.abc import Iterable

from pymerkle import BaseMerkleTree

from agent_saga.proofs.errors import Unprovable
from agent_saga.proofs.tree import Nodes


def inclusion(nodes: Nodes, index: int, size: int) -> list[bytes]:
    """The inclusion path of the leaf at this zero-based index in the tree of ``size`` leaves: siblings, from below.

    Raises Unprovable when the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise Unprovable(f"line {index} does not stand in a log of {size} lines")
    proof = _Stored(nodes, size).prove_inclusion(index + 1, size)
    path: list[bytes] = proof.path
    return path[1:]


class _Stored(BaseMerkleTree):  # type: ignore[misc]  # pymerkle has no types
    """pymerkle's tree over stored subtrees: it plans, the log gives the hashes."""

    def __init__(self, nodes: Nodes, size: int) -> None:
        super().__init__("sha256", disable_cache=True)
        self._nodes, self._size = nodes, size
        self._get_subroot = self._stored_subroot

    def _stored_subroot(self, offset: int, width: int) -> bytes:
        height = width.bit_length() - 1
        return self._nodes.node(height, offset >> height)

    def _get_size(self) -> int:
        return self._size

    def _get_leaf(self, index: int) -> bytes:
        return self._nodes.node(0, index - 1)

    def _get_leaves(self, offset: int, width: int) -> Iterable[bytes]:
        return (self._nodes.node(0, place) for place in range(offset, offset + width))

    def _encode_entry(self, data: bytes) -> bytes:
        raise NotImplementedError("lines are appended in bulk by the log, never through pymerkle")

    def _store_leaf(self, data: bytes, digest: bytes) -> int:
        raise NotImplementedError("lines are appended in bulk by the log, never through pymerkle")
