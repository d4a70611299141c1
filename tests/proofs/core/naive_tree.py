"""RFC 9162 word by word over whole lists of entries, slow and obvious: what the fast tree is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

Entries = Sequence[bytes]


def half(n: int) -> int:
    """k: the largest power of two smaller than n (section 2.1.1)."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(d: Entries) -> bytes:
    """MTH(D_n), section 2.1.1."""
    if not d:
        return sha256(b"").digest()
    if len(d) == 1:
        return sha256(b"\x00" + d[0]).digest()
    k = half(len(d))
    return sha256(b"\x01" + mth(d[:k]) + mth(d[k:])).digest()


def path(m: int, d: Entries) -> list[bytes]:
    """PATH(m, D_n), section 2.1.3.1."""
    if len(d) == 1:
        return []
    k = half(len(d))
    if m < k:
        return [*path(m, d[:k]), mth(d[k:])]
    return [*path(m - k, d[k:]), mth(d[:k])]


def proof(m: int, d: Entries) -> list[bytes]:
    """PROOF(m, D_n) for 0 < m < n, section 2.1.4.1."""
    return _subproof(m, d, True)


def _subproof(m: int, d: Entries, b: bool) -> list[bytes]:
    if m == len(d):
        return [] if b else [mth(d)]
    k = half(len(d))
    if m <= k:
        return [*_subproof(m, d[:k], b), mth(d[k:])]
    return [*_subproof(m - k, d[k:], False), mth(d[:k])]


def subtrees(n: int, start: int = 0) -> list[tuple[int, int]]:
    """The (start, end) of every subtree of a tree of n leaves, the whole one and the leaves among them."""
    here = [(start, start + n)]
    return here if n == 1 else here + subtrees(half(n), start) + subtrees(n - half(n), start + half(n))


def shared(wanted: Iterable[int], d: Entries) -> list[bytes]:
    """The largest subtrees without any wanted leaf, from the left: found by looking at all subtrees."""
    wanted = set(wanted)
    empty = [(a, b) for a, b in subtrees(len(d)) if not any(a <= w < b for w in wanted)]
    largest = [(a, b) for a, b in empty if not any((x, y) != (a, b) and x <= a and b <= y for x, y in empty)]
    return [mth(d[a:b]) for a, b in sorted(largest)]
