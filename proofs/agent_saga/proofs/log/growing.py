"""A log while it grows: new lines go into tree and saga index, from where the latest checkpoint ended.

The base is believed only as far as the signed checkpoint reaches: the right edge of the tree must give its root, the
saga index that of its ``log.indexed`` line, and that line its leaf. The last line that was read is held back, because
it may be the index line of a writer that was killed.
"""

from collections.abc import Sequence

from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.proofs.hashing import leaf, leaf_hashes
from agent_saga.proofs.log.census import Census
from agent_saga.proofs.log.folder import REBUILD, LogFolder
from agent_saga.proofs.log.lines import Lines
from agent_saga.proofs.log.opened import indexed_of
from agent_saga.proofs.log.stored_index import hashed
from agent_saga.proofs.log.storing import StoredTiles
from agent_saga.proofs.tiles import TileBuilder


class Growth:
    """The log up to the last line that was taken in. size: their number.

    before: the line that the checkpoint before ended with; empty before it was read, and where there is none.
    """

    def __init__(self, folder: LogFolder, known: Checkpoint | None, *, indexed: bool, rebuild: bool) -> None:
        """Go on from the latest checkpoint ``known``, or begin anew. Raises LogFault when a file is missing or damaged.

        indexed: keep a saga index.
        """
        self._folder, self._known = folder, known
        self.base = 0 if known is None or rebuild else known.size
        self._tiles = StoredTiles(folder.aside() if known and rebuild else folder)
        self._entries = folder.read(f"index/{self.base}") if indexed and self.base else b""
        self.census = Census(self._entries) if indexed else None
        self.held: bytes | None = None
        self.before = self._last = b""
        if self.base:
            self._builder = TileBuilder(self._tiles.write_full, self.base, self._tiles.partials(self.base))
            self._reached()
        else:
            self._builder = TileBuilder(self._tiles.write_full)

    @property
    def size(self) -> int:
        """Lines that were taken in."""
        return self._builder.size

    def root(self) -> bytes:
        """Root over them."""
        return self._builder.root()

    def read(self, lines: Lines) -> None:
        """Read everything that is new. Raises LogFault when what the checkpoint covers is gone or was changed."""
        if self.base and not self.before:
            self._check_base(lines)
        held = 1 if self.held is not None else 0
        for batch in lines.batches(self.size + held):
            waiting = [self.held, *batch] if self.held is not None else batch
            self.held = waiting[-1]
            self.take(waiting[:-1])
        if self._known is not None and self.size + (self.held is not None) < self._known.size:
            raise LogFault(_cut(self.size + (self.held is not None), self._known.size))

    def _check_base(self, lines: Lines) -> None:
        """The last line that the checkpoint covers must stand where it stood, and name the saga index on disk."""
        try:
            self.before = lines.at(self.base - 1)
        except Unprovable as fault:
            raise LogFault(_cut(None, self.base)) from fault
        last = leaf(self.before)
        if last != self._tiles.nodes(self.base).node(0, self.base - 1):
            raise LogFault(
                f"line {self.base - 1} of the store is not the one that the checkpoint of {self.base} lines covers: "
                "the store was changed or replaced; nothing is signed"
            )
        if self.census is not None:
            self._check_index()
            self.census.add(self.base - 1, [self.before], last)

    def _check_index(self) -> None:
        claimed = indexed_of(self.before)
        texts = self._entries.splitlines(keepends=True)
        found = (len(texts), hashed(texts)[0].hex())
        if claimed is None or found != (claimed.size, claimed.root):
            raise LogFault(f"{self._folder.path}/index/{self.base}: is not the index of its checkpoint; {REBUILD}")

    def take(self, lines: Sequence[bytes]) -> None:
        """Take lines into tree and index."""
        known = self._known.size if self._known else 0
        if self.size < known < self.size + len(lines):
            cut = known - self.size
            self.take(lines[:cut])
            lines = lines[cut:]
        leaves = leaf_hashes(lines)
        if self.census is not None:
            self.census.add(self.size, lines, leaves)
        self._builder.add(leaves)
        if lines and self.size == known:
            self._reached()

    def take_held(self) -> None:
        """Take in the line that was held back, if there is one."""
        if self.held is not None:
            self._last, self.held = self.held, None
            self.take([self._last])

    def _reached(self) -> None:
        """At the size of the known checkpoint the root must be its root."""
        if self._known is None or self.root() == self._known.root:
            return
        if self.base:
            raise LogFault(f"{self._folder.path}: the tiles do not lead to the root of the checkpoint; {REBUILD}")
        raise LogFault(
            f"the lines of the store do not lead to the root of the checkpoint of {self._known.size} lines: the store "
            "was changed or replaced; nothing is signed"
        )

    def ends(self) -> list[bytes]:
        """The line that the checkpoint before ended with, and the last one of all."""
        return [line for line in (self.before, self.held or self._last) if line]

    def keep_tiles(self) -> None:
        """Write the partial tiles of the present size; the full ones are written already.

        Tiles that were made again take the place of the old ones only now: the lines led to the checkpoint's root.
        """
        for tile, data in self._builder.partials():
            self._tiles.write(tile, data)
        self._folder.adopt()


def _cut(found: int | None, expected: int) -> str:
    has = "fewer" if found is None else str(found)
    return (
        f"the store has {has} lines, but a checkpoint covers {expected}: lines were cut off its end, or an older copy "
        "was put in its place; nothing is signed"
    )
