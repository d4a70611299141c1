"""Vectors of the tree: roots, inclusion, consistency, and many leaves at once. All hashes come from the naive tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import naive_tree as naive
from vector_kit import OK, Named, Vector, b64, entries, hashes, labelled, reason

# The inputs that every implementation of RFC 6962 is tried on; their root at 8 is 5dc9da79...
CT_INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
CT = [bytes.fromhex(one) for one in CT_INPUTS]
ACCUMULATED = 40
EIGHT, SEVEN = CT, CT[:7]
HUGE = 2**53 - 1


def named() -> Iterator[Named]:
    """Every vector of this topic."""
    yield from labelled(_roots(), kind="root")
    yield from labelled(_good_inclusions(), kind="inclusion")
    yield from labelled(_bad_inclusions(), kind="inclusion")
    yield from labelled(_good_consistency(), kind="consistency")
    yield from labelled(_bad_consistency(), kind="consistency")
    yield from labelled(_good_leaves(), kind="leaves")
    yield from labelled(_bad_leaves(), kind="leaves")
    yield from labelled(_accumulated(), kind="accumulated")


Made = Iterator[tuple[str, str, Vector]]


def _roots() -> Made:
    for size in range(len(CT) + 1):
        found = {"entries": CT_INPUTS[:size], "root": b64(naive.mth(CT[:size])), "expect": OK}
        yield f"root_of_{size}", f"the first {size} of the eight inputs that RFC 6962 implementations share", found


def _inclusion(index: int, d: Sequence[bytes], expect: Vector = OK, /, **other: object) -> Vector:
    return {
        "entry": d[index].hex(),
        "index": index,
        "size": len(d),
        "path": hashes(naive.path(index, d)),
        "root": b64(naive.mth(d)),
        **other,
        "expect": expect,
    }


def _good_inclusions() -> Made:
    for index, size in [(0, 1), (0, 2), (1, 2), (2, 3), (0, 8), (5, 8), (7, 8), (6, 7), (4, 5)]:
        name = f"inclusion_{index}_of_{size}"
        yield name, f"entry {index} stands in the log of {size} entries", _inclusion(index, CT[:size])
    long = entries(1000)
    yield "inclusion_999_of_1000", "the last of a thousand: its path is shorter than others", _inclusion(999, long)
    path = [sha256(b"sibling %d" % at).digest() for at in range(53)]
    root = sha256(b"\0first").digest()
    for one in path:
        root = sha256(b"\1" + root + one).digest()
    largest = {"entry": b"first".hex(), "index": 0, "size": HUGE, "path": hashes(path), "root": b64(root)}
    yield "inclusion_in_the_largest_tree", "the longest path there is: 53 hashes", {**largest, "expect": OK}


def _bad_inclusions() -> Made:
    good = hashes(naive.path(5, EIGHT))
    wrong = reason("not-included")
    for name, description, other, word in [
        ("index_is_the_size", "index 8 of 8: the last one is 7", {"index": 8}, "bad-index"),
        ("index_below_zero", "an index of -1", {"index": -1}, "bad-index"),
        ("size_zero", "an empty log contains nothing", {"size": 0, "index": 0, "path": []}, "bad-size"),
        ("size_over_the_cap", "a tree of 2^53 entries", {"size": HUGE + 1}, "bad-size"),
        ("path_too_short", "the last hash of the path is left out", {"path": good[:-1]}, "bad-path"),
        ("path_empty", "no path at all", {"path": []}, "bad-path"),
        ("path_too_long", "one hash after the root was reached", {"path": [*good, good[0]]}, "bad-path"),
        ("path_over_the_cap", "54 hashes: no tree needs more than 53", {"path": good[:1] * 54}, "bad-path"),
        ("hash_of_31_bytes", "the first hash lacks a byte", {"path": [b64(b"\7" * 31), *good[1:]]}, "bad-path"),
        ("hash_of_33_bytes", "the first hash has a byte too many", {"path": [b64(b"\7" * 33), *good[1:]]}, "bad-path"),
        ("siblings_swapped", "two hashes of the path are exchanged", {"path": [good[1], good[0], good[2]]}, ""),
        ("path_reversed", "the path goes from the root down", {"path": good[::-1]}, ""),
        ("index_of_the_sibling", "the path is right, for the entry beside it", {"index": 4}, ""),
        ("another_entry", "another entry than the one at this index", {"entry": EIGHT[4].hex()}, ""),
        ("another_root", "the root of the first seven", {"root": b64(naive.mth(SEVEN))}, ""),
        ("size_of_another_shape", "entry 5 of 8, said to be of 6: there its path has 2", {"size": 6}, "bad-path"),
    ]:
        expect = reason(word) if word else wrong
        yield f"inclusion_bad_{name}", description, _inclusion(5, EIGHT, expect, **other)
    yield from _confusions(wrong)


def _confusions(wrong: Vector) -> Made:
    """An inner node passed off as an entry, and a last entry that is doubled."""
    right = naive.mth(EIGHT[4:])
    inner = {"index": 0, "size": 2, "path": hashes([right]), "root": b64(naive.mth(EIGHT)), "expect": wrong}
    children = naive.mth(EIGHT[:2]) + naive.mth(EIGHT[2:4])
    text = "two hashes that stand end to end are no entry: their hash has another first byte"
    yield "attack_node_as_leaf", text, {"entry": children.hex(), **inner}
    text = "the same with the byte of a node in front: the byte of an entry still comes before it"
    yield "attack_node_as_leaf_with_its_prefix", text, {"entry": (b"\1" + children).hex(), **inner}
    text = "a log of 8 shown as one of 4, whose entries are the pairs of leaves: the shape of a second preimage"
    pair = naive.mth(EIGHT[:1]) + naive.mth(EIGHT[1:2])
    shorter = {"index": 0, "size": 4, "path": hashes(naive.path(0, EIGHT)[1:]), "root": b64(naive.mth(EIGHT))}
    yield "attack_second_preimage_shape", text, {"entry": pair.hex(), **shorter, "expect": wrong}
    three = EIGHT[:3]
    doubled = [naive.mth(three[2:]), naive.mth(three[:2])]
    fourth = {"entry": three[2].hex(), "index": 3, "size": 4, "path": hashes(doubled), "root": b64(naive.mth(three))}
    text = "the last of three claimed to stand at place 3 as well, under the root of three"
    yield "attack_duplicated_last_leaf", text, {**fourth, "expect": wrong}


def _consistency(old: int, new: int, expect: Vector = OK, /, **other: object) -> Vector:
    roots = {"old_root": b64(naive.mth(EIGHT[:old])), "new_root": b64(naive.mth(EIGHT[:new]))}
    proof = hashes(naive.proof(old, EIGHT[:new])) if 0 < old < new else []
    return {"old": old, "new": new, "proof": proof, **roots, **other, "expect": expect}


def _good_consistency() -> Made:
    for old, new in [(0, 8), (1, 2), (1, 8), (2, 8), (3, 7), (4, 8), (5, 6), (6, 8), (7, 8), (8, 8)]:
        yield f"consistency_{old}_to_{new}", f"the first {old} of {new} entries", _consistency(old, new)


def _bad_consistency() -> Made:
    good = hashes(naive.proof(6, EIGHT))
    other = b64(naive.mth([*EIGHT[:5], b"rewritten"]))
    three = EIGHT[:3]
    doubled = {"old": 3, "new": 4, "new_root": b64(naive.mth(three)), "old_root": b64(naive.mth(three))}
    yield from (
        (f"consistency_bad_{name}", description, _consistency(old, new, reason(word), **more))
        for name, description, old, new, word, more in [
            ("shrunk", "from 8 to 6: a log never becomes shorter", 8, 6, "bad-size", {}),
            ("new_size_zero", "from 0 to 0: nothing was signed", 0, 0, "bad-size", {}),
            ("size_over_the_cap", "to 2^53 entries", 6, 8, "bad-size", {"new": HUGE + 1}),
            ("too_short", "the last hash is left out", 6, 8, "bad-path", {"proof": good[:-1]}),
            ("empty", "no hashes at all between two sizes", 6, 8, "bad-path", {"proof": []}),
            ("too_long", "one hash too many", 6, 8, "bad-path", {"proof": [*good, good[0]]}),
            ("over_the_cap", "107 hashes", 6, 8, "bad-path", {"proof": good[:1] * 107}),
            ("with_hashes_for_one_size", "a proof where none is needed", 8, 8, "bad-path", {"proof": good}),
            ("with_hashes_from_nothing", "a proof where none is needed", 0, 8, "bad-path", {"proof": good}),
            ("swapped", "two hashes exchanged", 6, 8, "inconsistent", {"proof": [good[1], good[0], *good[2:]]}),
            ("fork_of_one_size", "two roots of one size", 8, 8, "inconsistent", {"old_root": other}),
            ("rewritten_past", "an old entry was rewritten", 6, 8, "inconsistent", {"old_root": other}),
            ("another_future", "the new root is of another log", 6, 8, "inconsistent", {"new_root": other}),
            ("nothing_with_a_root", "a log of nothing with a root", 0, 8, "inconsistent", {"old_root": other}),
            ("starts_with_the_old_root", "its hash left in, where RFC 9162 leaves it out", 4, 8, "bad-path",
             {"proof": [b64(naive.mth(EIGHT[:4])), *hashes(naive.proof(4, EIGHT))]}),
            ("duplicated_last_leaf", "three entries, and three with the last one twice: one root for both", 3, 4,
             "inconsistent", {**doubled, "proof": hashes(naive.proof(3, [*three, three[2]]))}),
        ]
    )  # fmt: skip


def _leaves(wanted: Sequence[int], d: Sequence[bytes], expect: Vector = OK, /, **other: object) -> Vector:
    found = {"leaves": [[at, d[at].hex()] for at in wanted], "size": len(d)}
    proof = hashes(naive.shared(wanted, d))
    return {**found, "proof": proof, "root": b64(naive.mth(d)), **other, "expect": expect}


def _good_leaves() -> Made:
    for wanted in ([5], [0, 7], [2, 3, 4], list(range(8))):
        name = "leaves_" + "_".join(map(str, wanted)) + "_of_8"
        yield name, f"entries {wanted} of 8 under one proof", _leaves(wanted, EIGHT)
    yield "leaves_6_of_7", "the lone entry at the end of 7", _leaves([6], SEVEN)
    some = [0, 1, 2, 300, 301, 511, 512, 998, 999]
    yield "leaves_nine_of_1000", "two stretches and the ends of a thousand", _leaves(some, entries(1000))


def _bad_leaves() -> Made:
    wanted = [1, 5]
    good = hashes(naive.shared(wanted, EIGHT))
    crossed = [[1, EIGHT[5].hex()], [5, EIGHT[1].hex()]]
    other = [[1, EIGHT[1].hex()], [5, b"another".hex()]]
    yield from (
        (f"leaves_bad_{name}", description, _leaves(wanted, EIGHT, reason(word), **more))
        for name, description, word, more in [
            ("none", "a proof of no entries", "bad-index", {"leaves": [], "proof": [b64(naive.mth(EIGHT))]}),
            ("outside", "entry 8 of 8", "bad-index", {"leaves": [[8, "00"]]}),
            ("below_zero", "entry -1 beside entry 5", "bad-index", {"leaves": [[-1, "00"], [5, EIGHT[5].hex()]]}),
            ("size_zero", "of an empty log", "bad-size", {"size": 0}),
            ("too_short", "a hash is left out", "bad-path", {"proof": good[:-1]}),
            ("too_long", "a hash too many", "bad-path", {"proof": [*good, good[0]]}),
            ("swapped", "two hashes exchanged", "not-included", {"proof": [good[1], good[0], *good[2:]]}),
            ("crossed", "two entries exchanged", "not-included", {"leaves": crossed}),
            ("another_entry", "an entry that is not in the log", "not-included", {"leaves": other}),
            ("hash_of_31_bytes", "a hash lacks a byte", "bad-path", {"proof": [b64(b"\7" * 31), *good[1:]]}),
            ("over_the_cap", "more hashes than two paths can have", "bad-path", {"proof": good[:1] * 107}),
        ]
    )


def _accumulated() -> Made:
    d = [at.to_bytes(4, "big") for at in range(ACCUMULATED)]
    total = sha256()
    for size in range(1, ACCUMULATED + 1):
        now = d[:size]
        total.update(naive.mth(now))
        for index in range(size):
            total.update(b"".join(naive.path(index, now)))
        for old in range(1, size):
            total.update(b"".join(naive.proof(old, now)))
    text = (
        "SHA-256 over, for every size from 1 on: the root, every inclusion path (index 0 on), every consistency proof "
        "(from 1 on); entry i is i in four bytes, big-endian"
    )
    yield "accumulated", text, {"sizes": ACCUMULATED, "digest": total.hexdigest(), "expect": OK}
