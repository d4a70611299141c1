"""Tiles hold the same tree, in the files of C2SP tlog-tiles, and what is not in them is the log's fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.hashing import HASH, leaf, root_of
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tiles import Tile, TileBuilder, TileNodes, tiles_of
from agent_saga.proofs.tree import Leaves, Nodes, consistency, root, subtree


def log(size: int) -> list[bytes]:
    return [b"line %d" % at for at in range(size)]


@pytest.mark.parametrize(
    "place, width, path",
    [
        (0, 256, "tile/0/000"),
        (1234067, 256, "tile/0/x001/x234/067"),
        (999, 3, "tile/0/999.p/3"),
        (1000, 256, "tile/0/x001/000"),
    ],
)
def test_tiles_lie_where_c2sp_says(place: int, width: int, path: str) -> None:
    assert Tile(0, place, width).path == path


def test_a_log_of_70000_lines_has_the_tiles_of_the_c2sp_example() -> None:
    assert list(tiles_of(70_000)) == [(0, 273, 112), (1, 1, 17), (2, 0, 1)]
    assert list(tiles_of(256)) == [(0, 1, 0), (1, 0, 1)]


def built(size: int, bulks: list[int]) -> tuple[TileBuilder, dict[Tile, bytes]]:
    """Tiles of a log that was appended in these bulks, the rest at once."""
    kept: dict[Tile, bytes] = {}
    builder = TileBuilder(kept.__setitem__)
    leaves = b"".join(leaf(one) for one in log(size))
    at = 0
    for bulk in [*bulks, size]:
        end = min(at + bulk, size)
        builder.add(leaves[at * HASH : end * HASH])
        at = end
    kept.update(builder.partials())
    return builder, kept


@given(st.integers(1, 1500), st.lists(st.integers(0, 700), max_size=4))
def test_tiles_hold_the_tree_however_the_lines_came(size: int, bulks: list[int]) -> None:
    builder, kept = built(size, bulks)
    due = root_of([leaf(one) for one in log(size)])
    assert builder.size == size
    assert builder.root() == due
    nodes = TileNodes(size, kept.__getitem__)
    assert root(nodes, size) == due
    for level, full, width in tiles_of(size):
        assert sorted(tile.width for tile in kept if tile.level == level) == [width][: bool(width)] + [256] * full


@pytest.mark.parametrize("size", [16_383, 16_384, 16_385, 40_000])
@pytest.mark.parametrize("bulk", [255, 256, 5_000, 40_000])
def test_tiles_that_are_made_many_at_once_are_those_of_the_definition(size: int, bulk: int) -> None:
    _, kept = built(size, [bulk] * (size // bulk))
    due, row = {}, [leaf(one) for one in log(size)]
    for level, full, width in tiles_of(size):
        for place in range(full + bool(width)):
            tile = row[place * 256 : place * 256 + 256]
            due[Tile(level, place, len(tile))] = b"".join(tile)
        row = [root_of(row[place * 256 : place * 256 + 256]) for place in range(full)]
    assert kept == due


def test_what_was_asked_in_between_changes_no_tile() -> None:
    kept: dict[Tile, bytes] = {}
    builder, leaves = TileBuilder(kept.__setitem__), [leaf(one) for one in log(20_000)]
    for at in range(0, 20_000, 1_000):
        builder.add(b"".join(leaves[at : at + 1_000]))
        assert builder.root() == root_of(leaves[: at + 1_000])
    kept.update(builder.partials())
    assert kept == built(20_000, [])[1]


@pytest.mark.parametrize("size", [1, 255, 256, 257, 513, 70_000])
def test_proofs_from_tiles_are_those_from_memory(size: int) -> None:
    _, kept = built(size, [])
    nodes, memory = TileNodes(size, kept.__getitem__), Leaves([leaf(one) for one in log(size)])
    for index in {0, size // 2, size - 1}:
        assert inclusion(nodes, index, size) == inclusion(memory, index, size)
        assert consistency(nodes, index, size) == consistency(memory, index, size)
    assert subtree(nodes, 0, size) == subtree(memory, 0, size)


def test_a_proof_reads_a_few_tiles_whatever_the_size() -> None:
    size = 70_000
    _, kept = built(size, [])
    read: list[Tile] = []
    nodes: Nodes = TileNodes(size, lambda tile: (read.append(tile), kept[tile])[1])
    inclusion(nodes, 12_345, size)
    assert len(read) == len(set(read)) <= 2 * len(list(tiles_of(size)))


def test_a_builder_goes_on_from_the_partial_tiles_of_an_earlier_size() -> None:
    for old, new in [(1, 2), (255, 256), (256, 257), (300, 700), (600, 70_000)]:
        _, before = built(old, [])
        kept = {tile: data for tile, data in before.items() if tile.width == 256}
        partial = {tile.level: data for tile, data in before.items() if tile.width < 256}
        builder = TileBuilder(kept.__setitem__, old, partial)
        builder.add(b"".join(leaf(one) for one in log(new)[old:]))
        kept.update(builder.partials())
        assert kept == built(new, [])[1]


@pytest.mark.parametrize("wrong", [b"", b"\0" * 31, b"\0" * (HASH * 300)])
def test_a_cut_or_grown_tile_is_the_fault_of_the_log(wrong: bytes) -> None:
    nodes = TileNodes(300, lambda tile: wrong)
    with pytest.raises(LogFault, match="damaged"):
        nodes.node(0, 5)


def test_what_a_log_does_not_hold_is_its_fault() -> None:
    _, kept = built(300, [])
    nodes = TileNodes(300, kept.__getitem__)
    for height, place in [(0, 300), (0, 512), (8, 1), (16, 0), (3, 38)]:
        with pytest.raises(LogFault):
            nodes.node(height, place)
