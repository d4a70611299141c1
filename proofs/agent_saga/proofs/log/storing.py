"""A log's tiles in its folder.

A tile only grows, so a shorter one is the beginning of a longer one: the tiles of the latest checkpoint serve every
earlier size too, and older partial tiles need not be kept.

Source: C2SP tlog-tiles, "Partial tiles"; docs/spec/log-v1.md, "On disk".
"""

import os
from collections.abc import Iterator

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.hashing import HASH
from agent_saga.proofs.limits import TILE_WIDTH
from agent_saga.proofs.log.folder import REBUILD, LogFolder
from agent_saga.proofs.tiles import Tile, TileNodes, tiles_of


class StoredTiles:
    """Reads and writes the tiles of one log."""

    def __init__(self, folder: LogFolder) -> None:
        self._folder = folder

    def write(self, tile: Tile, data: bytes) -> None:
        """Put a tile in its place: a partial one of no checkpoint yet, or one just like it. Raises LogFault."""
        self._folder.replace(tile.path, data)

    def write_full(self, tile: Tile, data: bytes) -> None:
        """Put a full tile in its place; one that no checkpoint reaches yet. Raises LogFault."""
        self._folder.put_new(tile.path, data)

    def read(self, tile: Tile) -> bytes:
        """A tile's bytes, from its own file or from a wider one. Raises LogFault when there is none."""
        wanted = tile.width * HASH
        for name in self._candidates(tile):
            try:
                data = self._folder.read(name, TILE_WIDTH * HASH + 1)
            except LogFault:
                continue  # a writer replaced it by a wider one, which is among those that follow
            return data[:wanted] if len(data) % HASH == 0 and len(data) <= TILE_WIDTH * HASH else data
        raise LogFault(f"{self._folder.path / tile.path}: the tile is missing; {REBUILD}")

    def _candidates(self, tile: Tile) -> Iterator[str]:
        yield tile.path
        if tile.width < TILE_WIDTH:
            for width in sorted(self._widths(tile)):
                if width > tile.width:
                    yield tile._replace(width=width).path
            yield tile._replace(width=TILE_WIDTH).path

    def _widths(self, tile: Tile) -> list[int]:
        folder = os.path.dirname(self._folder.path / tile._replace(width=1).path)
        if not os.path.isdir(folder):
            return []
        return [int(name) for name in os.listdir(folder) if name.isdecimal()]

    def nodes(self, size: int) -> TileNodes:
        """The hashes of the log's first ``size`` lines. Reading one may raise LogFault."""
        return TileNodes(size, self.read)

    def partials(self, size: int) -> dict[int, bytes]:
        """The right edge of the tree of this size: each level's partial tile. Raises LogFault."""
        return {level: self._edge(Tile(level, full, width)) for level, full, width in tiles_of(size) if width}

    def _edge(self, tile: Tile) -> bytes:
        data = self.read(tile)
        if len(data) != tile.width * HASH:
            raise LogFault(f"{self._folder.path / tile.path}: {len(data)} bytes; the tile is damaged; {REBUILD}")
        return data

    def forget(self, old: int, new: int) -> None:
        """Remove the partial tiles of size ``old`` that are none of size ``new``."""
        kept = {Tile(level, full, width).path for level, full, width in tiles_of(new) if width}
        for level, full, width in tiles_of(old):
            path = Tile(level, full, width).path if width else ""
            if path and path not in kept:
                self._folder.remove(path)
