"""Tiles: the hashes of a log in files of 256, each level the roots of the full tiles below.

    tile/0/000  tile/0/x001/234  tile/1/000.p/17

A proof reads one tile a level at most twice, so it costs O(log n) reads whatever the size of the log.

Source: C2SP tlog-tiles, "Merkle Tree"; docs/spec/log-v1.md, "Tiles".
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.hashing import HASH, join, level_up, perfect_root
from agent_saga.proofs.limits import TILE_HEIGHT, TILE_WIDTH

_CACHED: Final = 512
"""Tiles that one reader keeps: 4 MB, far more than the few that proofs of one log share."""

_TILE: Final = TILE_WIDTH * HASH
"""Bytes of a full tile."""

_AT_ONCE: Final = 64 * _TILE
"""Bytes of leaf hashes that are turned into tiles together: hashing a level of many tiles, and making many files one
after another, costs less than a tile at a time between other work."""


class Tile(NamedTuple):
    """One tile. level: 0 over leaves. width: 1 to 256 hashes; a tile of fewer than 256 is partial."""

    level: int
    place: int
    width: int = TILE_WIDTH

    @property
    def path(self) -> str:
        """Where it lies under the log's folder, with ``/``."""
        groups = [f"{self.place % 1000:03}"]
        rest = self.place // 1000
        while rest:
            groups.append(f"x{rest % 1000:03}")
            rest //= 1000
        end = f".p/{self.width}" if self.width < TILE_WIDTH else ""
        return f"tile/{self.level}/{'/'.join(reversed(groups))}{end}"


def tiles_of(size: int) -> Iterator[tuple[int, int, int]]:
    """For each level of a log of ``size`` lines: (level, number of full tiles, width of the partial one or 0)."""
    level = 0
    while size:
        yield level, size // TILE_WIDTH, size % TILE_WIDTH
        size, level = size // TILE_WIDTH, level + 1


class TileNodes:
    """The nodes of a log of a given size, read from its tiles.

    read: gives the bytes of a tile; raises LogFault when it is missing. A tile of another length than its width is a
    LogFault here, so a cut file is never taken for hashes.
    """

    def __init__(self, size: int, read: Callable[[Tile], bytes]) -> None:
        self.size, self._read = size, read
        self._widths = {level: (full, width) for level, full, width in tiles_of(size)}
        self._tile = lru_cache(_CACHED)(self._load)

    def node(self, height: int, place: int) -> bytes:
        """See :class:`~agent_saga.proofs.tree.Nodes`."""
        level, rest = divmod(height, TILE_HEIGHT)
        start = place << rest
        tile = self._tile(level, start // TILE_WIDTH)
        at = start % TILE_WIDTH * HASH
        wanted = tile[at : at + (HASH << rest)]
        if len(wanted) != HASH << rest:
            raise LogFault(f"the log of {self.size} lines has no subtree of height {height} at {place}")
        return perfect_root(wanted)

    def _load(self, level: int, place: int) -> bytes:
        full, partial = self._widths.get(level, (0, 0))
        if place > full or (place == full and not partial):
            raise LogFault(f"the log of {self.size} lines has no tile {place} at level {level}")
        tile = Tile(level, place, TILE_WIDTH if place < full else partial)
        data = self._read(tile)
        if len(data) != tile.width * HASH:
            raise LogFault(
                f"{tile.path}: {len(data)} bytes, expected {tile.width * HASH}: the tile is damaged; "
                "rebuild the tiles with `agent-saga log checkpoint --rebuild`"
            )
        return data


class TileBuilder:
    """Turns leaf hashes, in bulk, into tiles. Held are the last tile of each level, and leaves that wait for others.

    write: takes each full tile once, at the latest when the tree is asked about. Start from the partial tiles of the
    present size.
    """

    def __init__(self, write: Callable[[Tile, bytes], None], size: int = 0, partial: dict[int, bytes] | None = None):
        self.size, self._write = size, write
        self._open = {level: bytearray(data) for level, data in (partial or {}).items()}
        self._full = {level: full for level, full, _ in tiles_of(size)}

    def add(self, hashes: bytes) -> None:
        """Append leaf hashes that stand end to end."""
        self.size += len(hashes) // HASH
        leaves = self._open.setdefault(0, bytearray())
        leaves += hashes
        if len(leaves) >= _AT_ONCE:
            self._fill(0)

    def _fill(self, level: int) -> None:
        """Write the full tiles of this level and of those above; hash them up."""
        tile = self._open.get(level, bytearray())
        whole = bytes(tile[: len(tile) // _TILE * _TILE])
        if not whole:
            return
        place = self._full.get(level, 0)
        for at in range(0, len(whole), _TILE):
            self._write(Tile(level, place + at // _TILE), whole[at : at + _TILE])
        self._full[level] = place + len(whole) // _TILE
        del tile[: len(whole)]
        for _ in range(TILE_HEIGHT):
            whole = level_up(whole)
        above = self._open.setdefault(level + 1, bytearray())
        above += whole
        self._fill(level + 1)

    def partials(self) -> Iterator[tuple[Tile, bytes]]:
        """The partial tiles of the present size, from below."""
        self._fill(0)
        for level, full, width in tiles_of(self.size):
            if width:
                yield Tile(level, full, width), bytes(self._open[level])

    def root(self) -> bytes:
        """Root of the present size, from what is held: no tile is read."""
        self._fill(0)
        return join(list(self._edge()))

    def _edge(self) -> Iterator[bytes]:
        """The perfect subtrees of the right edge, largest first: each lies within one open tile."""
        for level in sorted(self._open, reverse=True):
            tile, at = bytes(self._open[level]), 0
            width = len(tile) // HASH
            for height in reversed(range(TILE_HEIGHT)):
                if width >> height & 1:
                    yield perfect_root(tile[at : at + (HASH << height)])
                    at += HASH << height
