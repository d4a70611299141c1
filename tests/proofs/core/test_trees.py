"""The tree against RFC 9162 spelled out in naive_tree, for any size, index and subset; and against pymerkle's own."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import naive_tree as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree
from vectors_tree import CT

from agent_saga.proofs.checking import check_consistency, check_inclusion, check_leaves
from agent_saga.proofs.errors import Refuted, Unprovable
from agent_saga.proofs.hashing import EMPTY, Frontier, leaf, leaf_hashes, level_up, node, root_of, split
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tree import Leaves, consistency, root, shared_paths

# Roots of the first n of the eight inputs that implementations of RFC 6962 share.
KNOWN = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def log(size: int) -> list[bytes]:
    return [b"line %d" % at for at in range(size)]


def nodes_of(entries: list[bytes]) -> Leaves:
    return Leaves([leaf(one) for one in entries])


def refused(check: Any, *arguments: object) -> str | None:
    """The reason of the refusal; None when it was accepted."""
    try:
        check(*arguments)
    except Refuted as refusal:
        return refusal.reason
    return None


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_that_certificate_transparency_publishes(size: int) -> None:
    found = root_of([leaf(one) for one in CT[:size]])
    assert found.hex() == KNOWN[size - 1] == naive.mth(CT[:size]).hex()


def test_a_log_of_nothing_has_the_hash_of_nothing() -> None:
    assert root_of([]) == EMPTY == sha256(b"").digest() == naive.mth([])


@given(st.integers(0, 300))
def test_root_and_frontier_are_those_of_the_rfc(size: int) -> None:
    entries = log(size)
    frontier = Frontier()
    for one in entries:
        frontier.add(leaf(one))
    assert frontier.root() == root_of([leaf(one) for one in entries]) == naive.mth(entries)
    assert frontier.size == size
    if size:
        assert root(nodes_of(entries), size) == naive.mth(entries)


@given(st.integers(2, 2**53))
def test_the_left_side_is_the_largest_power_of_two_below_the_size(size: int) -> None:
    left = split(size)
    assert left & (left - 1) == 0
    assert left < size <= 2 * left


def test_pymerkle_comes_to_the_same_roots() -> None:
    theirs = InmemoryTree("sha256")
    for size, one in enumerate(log(130), 1):
        theirs.append_entry(one)
        assert theirs.get_root() == root_of([leaf(line) for line in log(size)])


def test_two_logs_never_share_a_root() -> None:
    seen: dict[bytes, list[bytes]] = {}
    for size in range(130):
        for entries in (log(size), [*log(size), *log(size)[-1:]], [*log(size), *log(size)[-2:]]):
            found = root_of([leaf(one) for one in entries])
            assert seen.setdefault(found, entries) == entries


def test_the_bytes_of_a_node_are_no_leaf() -> None:
    left, right = leaf(b"a"), leaf(b"b")
    assert node(left, right) not in (leaf(left + right), leaf(b"\1" + left + right), sha256(left + right).digest())


@given(st.data(), st.integers(1, 200))
def test_an_inclusion_path_is_that_of_the_rfc_and_is_accepted(data: st.DataObject, size: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    entries = log(size)
    path = inclusion(nodes_of(entries), index, size)
    assert path == naive.path(index, entries)
    check_inclusion(leaf(entries[index]), index, size, path, naive.mth(entries))


def test_every_path_of_every_small_tree_at_every_earlier_size() -> None:
    nodes = nodes_of(log(64))
    for size in range(1, 65):
        for index in range(size):
            assert inclusion(nodes, index, size) == naive.path(index, log(size))


@given(st.data(), st.integers(2, 100))
def test_a_path_of_another_length_or_order_is_refused(data: st.DataObject, size: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    entries = log(size)
    path, top, this = naive.path(index, entries), naive.mth(entries), leaf(entries[index])
    for length in range(len(path)):
        assert refused(check_inclusion, this, index, size, path[:length], top) == "bad-path"
        assert refused(check_inclusion, this, index, size, [*path, *path][: len(path) + 1 + length], top) == "bad-path"
        altered = [*path[:length], bytes([path[length][0] ^ 1]) + path[length][1:], *path[length + 1 :]]
        assert refused(check_inclusion, this, index, size, altered, top) == "not-included"
    for at in range(len(path) - 1):
        swapped = [*path[:at], path[at + 1], path[at], *path[at + 2 :]]
        assert refused(check_inclusion, this, index, size, swapped, top) == "not-included"


@given(st.data(), st.integers(2, 100))
def test_a_wrong_index_is_refused(data: st.DataObject, size: int) -> None:
    index, wrong = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
    entries = log(size)
    path = naive.path(index, entries)
    reason = refused(check_inclusion, leaf(entries[index]), wrong, size, path, naive.mth(entries))
    assert reason == ("bad-path" if len(naive.path(wrong, entries)) != len(path) else "not-included")
    for outside in (-1, size, size + 1):
        assert refused(check_inclusion, leaf(entries[index]), outside, size, path, naive.mth(entries)) == "bad-index"


@given(st.data(), st.integers(1, 100), st.integers(1, 100))
def test_a_wrong_size_is_refused_under_its_own_root(data: st.DataObject, size: int, wrong: int) -> None:
    # A path does not bind the size: that and the root come out of one signed checkpoint.
    index = data.draw(st.integers(0, size - 1))
    path, this = naive.path(index, log(size)), leaf(log(size)[index])
    reason = refused(check_inclusion, this, index, wrong, path, naive.mth(log(wrong)))
    assert (reason is None) == (wrong == size)


@given(st.data(), st.integers(1, 120))
def test_consistency_is_that_of_the_rfc_and_is_accepted(data: st.DataObject, new: int) -> None:
    old = data.draw(st.integers(0, new))
    entries = log(new)
    proof = consistency(nodes_of(entries), old, new)
    assert proof == (naive.proof(old, entries) if 0 < old < new else [])
    check_consistency(old, new, proof, naive.mth(entries[:old]), naive.mth(entries))


@given(st.data(), st.integers(2, 100))
def test_a_consistency_proof_that_was_altered_is_refused(data: st.DataObject, new: int) -> None:
    old = data.draw(st.integers(1, new - 1))
    entries = log(new)
    first, second, proof = naive.mth(entries[:old]), naive.mth(entries), naive.proof(old, entries)
    for at in range(len(proof)):
        assert refused(check_consistency, old, new, proof[:at], first, second) == "bad-path"
        altered = [*proof[:at], sha256(proof[at]).digest(), *proof[at + 1 :]]
        assert refused(check_consistency, old, new, altered, first, second) == "inconsistent"
    assert refused(check_consistency, old, new, [*proof, proof[0]], first, second) == "bad-path"
    assert refused(check_consistency, new, old, proof, second, first) == "bad-size"


@given(st.data(), st.integers(2, 80))
def test_a_log_with_a_rewritten_past_is_refused(data: st.DataObject, new: int) -> None:
    old = data.draw(st.integers(1, new - 1))
    at = data.draw(st.integers(0, old - 1))
    entries = log(new)
    forged = [*entries[:at], b"rewritten", *entries[at + 1 :]]
    for proof in (naive.proof(old, entries), naive.proof(old, forged)):
        roots = naive.mth(entries[:old]), naive.mth(forged)
        assert refused(check_consistency, old, new, proof, *roots) == "inconsistent"


def test_the_private_format_of_pymerkle_passes_for_no_consistency_proof() -> None:
    theirs = InmemoryTree("sha256")
    for one in log(11):
        theirs.append_entry(one)
    path = theirs.prove_consistency(6, 11).path
    assert refused(check_consistency, 6, 11, path, naive.mth(log(6)), naive.mth(log(11))) is not None


subsets = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), min_size=1)))


@given(subsets)
def test_many_leaves_share_the_largest_subtrees_between_them(drawn: tuple[int, set[int]]) -> None:
    size, wanted = drawn
    entries = log(size)
    proof = shared_paths(nodes_of(entries), sorted(wanted, reverse=True), size)
    assert proof == naive.shared(wanted, entries)
    check_leaves({at: leaf(entries[at]) for at in wanted}, size, proof, naive.mth(entries))


@given(subsets, st.data())
def test_an_altered_proof_of_many_leaves_is_refused(drawn: tuple[int, set[int]], data: st.DataObject) -> None:
    size, wanted = drawn
    entries = log(size)
    proof, top = naive.shared(wanted, entries), naive.mth(entries)
    leaves = {at: leaf(entries[at]) for at in wanted}
    assert refused(check_leaves, leaves, size, [*proof, EMPTY], top) == "bad-path"
    for at in range(len(proof)):
        assert refused(check_leaves, leaves, size, proof[:at] + proof[at + 1 :], top) == "bad-path"
        altered = [*proof[:at], EMPTY, *proof[at + 1 :]]
        assert refused(check_leaves, leaves, size, altered, top) == "not-included"
    at = data.draw(st.sampled_from(sorted(wanted)))
    assert refused(check_leaves, leaves | {at: leaf(b"another")}, size, proof, top) == "not-included"
    fewer = {one: found for one, found in leaves.items() if one != at}
    assert refused(check_leaves, fewer, size, proof, top) in {"bad-path", "bad-index", "not-included"}
    assert refused(check_leaves, leaves | {size: EMPTY}, size, proof, top) == "bad-index"


@pytest.mark.parametrize("most, check", [(53, (check_inclusion, EMPTY, 0, 8)), (106, (check_consistency, 3, 8))])
def test_a_proof_over_the_cap_is_refused_before_anybody_works_on_it(most: int, check: tuple[Any, ...]) -> None:
    run, *given_ = check
    rest = [EMPTY] if run is check_inclusion else [EMPTY, EMPTY]
    with pytest.raises(Refuted, match=f"expected at most {most}"):
        run(*given_, [EMPTY] * (most + 1), *rest)


def test_no_proof_is_made_of_what_does_not_exist() -> None:
    nodes = nodes_of(log(7))
    for make in (
        lambda: inclusion(nodes, 7, 7),
        lambda: inclusion(nodes, -1, 7),
        lambda: consistency(nodes, 7, 6),
        lambda: consistency(nodes, -1, 6),
        lambda: shared_paths(nodes, [], 7),
        lambda: shared_paths(nodes, [3, 7], 7),
        lambda: shared_paths(nodes, [-1, 3], 7),
    ):
        with pytest.raises(Unprovable):
            make()


@given(st.integers(0, 9))
def test_levels_pair_up(height: int) -> None:
    leaves = [leaf(one) for one in log(2 << height)]
    assert level_up(b"".join(leaves)) == b"".join(map(node, leaves[::2], leaves[1::2]))
    assert level_up(b"".join(leaves) + leaves[0]) == level_up(b"".join(leaves)), "one without a partner is left out"


def test_leaves_are_hashed_in_bulk_as_one_by_one() -> None:
    assert leaf_hashes(log(300)) == b"".join(map(leaf, log(300)))
    assert leaf_hashes([]) == b""
