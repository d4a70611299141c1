"""Checking proofs with nothing but hashlib: inclusion, consistency, and many leaves under one root.

Every function takes the shape of the proof from index and size alone, never from the proof, and refuses one hash too
few or too many, so a proof has one encoding. All raise :class:`~agent_saga.proofs.errors.Refuted` or return nothing.

Source: RFC 9162, sections 2.1.3.2 and 2.1.4.2; docs/spec/log-v1.md, "Proofs".
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import EMPTY, HASH, node, split
from agent_saga.proofs.limits import MAX_CONSISTENCY, MAX_PATH, MAX_SIZE


def check_inclusion(leaf_hash: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf stands at this zero-based index of the tree of this size and root.

    path: sibling hashes from the leaf's up. Raises Refuted (``bad-index``, ``bad-path``, ``not-included``).
    """
    _sound_size(size)
    if not 0 <= index < size:
        raise Refuted("bad-index", f"leaf {index} is none of a tree of {size} leaves")
    _sound_path(path, MAX_PATH)
    if _climb(leaf_hash, index, size, iter(path), len(path)) != root:
        raise Refuted("not-included", f"the inclusion path of leaf {index} does not lead to the root of size {size}")


def _climb(found: bytes, index: int, size: int, path: Iterator[bytes], length: int) -> bytes:
    last, used = size - 1, 0
    while last:
        if index & 1 or index < last:
            sibling = next(path, None)
            if sibling is None:
                raise Refuted("bad-path", f"an inclusion path of {length} hashes is too short for {size} leaves")
            used += 1
            found = node(sibling, found) if index & 1 else node(found, sibling)
        index, last = index >> 1, last >> 1
    if used != length:
        raise Refuted("bad-path", f"an inclusion path of {length} hashes: expected {used} for {size} leaves")
    return found


def check_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """Check that the tree of ``old`` leaves is the beginning of the tree of ``new`` leaves.

    Raises Refuted (``bad-size``, ``bad-path``, ``inconsistent``). An empty old tree begins every tree.
    """
    _sound_size(new)
    if not 0 <= old <= new:
        raise Refuted("bad-size", f"a log of {new} lines does not continue one of {old}")
    _sound_path(proof, MAX_CONSISTENCY)
    if old in (0, new):
        _trivially_consistent(old, proof, old_root, new_root)
        return
    first, second = _both_roots(old, new, list(proof), old_root)
    if (first, second) != (old_root, new_root):
        raise Refuted("inconsistent", f"the log of {new} lines does not begin with the log of {old} lines")


def _trivially_consistent(old: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    if proof:
        raise Refuted("bad-path", f"expected no hashes; found {len(proof)}")
    if old == 0 and old_root != EMPTY:
        raise Refuted("inconsistent", "a log without lines has the root of nothing")
    if old and old_root != new_root:
        raise Refuted("inconsistent", f"two roots for one log of {old} lines: it was forked")


def _both_roots(old: int, new: int, proof: list[bytes], old_root: bytes) -> tuple[bytes, bytes]:
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    rest = iter(proof)
    first = second = next(rest, b"") if at else old_root
    used = 1 if at else 0
    while last:
        if at & 1 or at < last:
            sibling = next(rest, None)
            if sibling is None:
                raise Refuted("bad-path", f"a consistency proof of {len(proof)} hashes is too short for {old} to {new}")
            used += 1
            if at & 1:
                first, second = node(sibling, first), node(sibling, second)
            else:
                second = node(second, sibling)
        at, last = at >> 1, last >> 1
    if used != len(proof):
        raise Refuted("bad-path", f"a consistency proof of {len(proof)} hashes: expected {used} for {old} to {new}")
    return first, second


def check_leaves(leaves: Mapping[int, bytes], size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check many leaves at once: index to leaf hash, with the hashes of every largest subtree that holds none of them.

    The hashes stand from left to right. Raises Refuted (``bad-size``, ``bad-index``, ``bad-path``, ``not-included``).
    Source: docs/spec/log-v1.md, "Many leaves".
    """
    _sound_size(size)
    if not leaves:
        raise Refuted("bad-index", "a proof of no leaves proves nothing")
    wanted = sorted(leaves)
    if wanted[0] < 0 or wanted[-1] >= size:
        raise Refuted("bad-index", f"leaves {wanted[0]} to {wanted[-1]} do not all stand in a tree of {size} leaves")
    _sound_path(proof, MAX_PATH * len(leaves))
    rest = iter(proof)
    found = _combine(leaves, wanted, 0, size, rest)
    if next(rest, None) is not None:
        raise Refuted("bad-path", f"the proof has more than the hashes that {len(leaves)} leaves of {size} need")
    if found != root:
        raise Refuted("not-included", f"the lines shown do not stand under the root of size {size}")


def _combine(leaves: Mapping[int, bytes], wanted: list[int], start: int, size: int, rest: Iterator[bytes]) -> bytes:
    """Root of the subtree of ``size`` leaves from ``start`` on; wanted: those of it that are known, in order."""
    if not wanted:
        given = next(rest, None)
        if given is None:
            raise Refuted("bad-path", f"the proof has too few hashes for {len(leaves)} leaves")
        return given
    if size == 1:
        return leaves[start]
    left = split(size)
    middle = start + left
    cut = bisect_left(wanted, middle)
    first = _combine(leaves, wanted[:cut], start, left, rest)
    return node(first, _combine(leaves, wanted[cut:], middle, size - left, rest))


def _sound_size(size: int) -> None:
    if not 0 < size <= MAX_SIZE:
        raise Refuted("bad-size", f"a tree of {size} leaves: expected 1 to 2^53 - 1")


def _sound_path(path: Sequence[bytes], most: int) -> None:
    if len(path) > most:
        raise Refuted("bad-path", f"a proof of {len(path)} hashes: expected at most {most}")
    for given in path:
        if len(given) != HASH:
            raise Refuted("bad-path", f"a hash of {len(given)} bytes: expected {HASH}")
