"""Looking at a whole log: every line is hashed again, and everything that was signed or stored must come out of it.

Reads only. What is checked: each checkpoint under the pin; the root at each checkpoint's size, which proves all of them
consistent with each other; each index line; each tile; what the log says of itself; and, if given, a checkpoint that
the caller kept from earlier.

Source: docs/spec/log-v1.md, "Auditing a log".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint
from agent_saga.proofs.errors import LogFault, Refuted
from agent_saga.proofs.hashing import leaf_hashes
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.proofs.log.census import BrokenChain, Census
from agent_saga.proofs.log.folder import REBUILD, LogFolder, NoLog, place_of
from agent_saga.proofs.log.indexing import Claims, claimed_by, claims
from agent_saga.proofs.log.lines import Lines, open_lines
from agent_saga.proofs.log.opened import Standing, changes, opening_of, pin_of
from agent_saga.proofs.log.storing import StoredTiles
from agent_saga.proofs.tiles import Tile, TileBuilder
from agent_saga.trace.events import LogOpened


@dataclass(frozen=True, slots=True)
class Audited:
    """What was found to hold. uncovered: lines after the latest checkpoint. sagas: None for a log without an index."""

    checkpoint: Checkpoint
    checkpoints: int
    indexed: int
    sagas: int | None
    uncovered: int


def audit_log(store: str, pin: Pin, earlier: Checkpoint | None = None, standing: Standing | None = None) -> Audited:
    """Check a whole log against a pin. earlier: a checkpoint of it that was kept elsewhere, verified.

    standing: tells what is in force where lines of the log's own changed it; without one no index after them fits.

    Raises Refuted (lines, checkpoints or index do not fit: ``truncated``, ``inconsistent``, ``broken-chain``,
    ``bad-index-root``, ``not-indexed``, and what opening a checkpoint raises), LogFault (tiles or files are damaged),
    NoLog, SourceError.
    """
    folder = LogFolder(place_of(store))
    signed = signed_checkpoints(folder, pin)
    if not signed:
        raise NoLog(f"{store}: has no checkpoint in {folder.path}: make one with `agent-saga log checkpoint`")
    latest = signed[max(signed)]
    _same_latest(folder, latest, pin)
    walk = _Walk(folder, pin, signed | _kept(earlier, signed), standing)
    lines = open_lines(store)
    try:
        walk.run(lines)
    finally:
        lines.close()
    if walk.damaged:
        more = f" ({len(walk.damaged) - 1} more files are damaged)" if len(walk.damaged) > 1 else ""
        raise LogFault(walk.damaged[0] + more)
    return Audited(latest, len(signed), walk.indexed, walk.sagas, walk.uncovered)


def signed_checkpoints(folder: LogFolder, pin: Pin) -> dict[int, Checkpoint]:
    """Every checkpoint of a log, by size. Raises Refuted for one that is not signed as pinned."""
    found: dict[int, Checkpoint] = {}
    for size in folder.sizes("checkpoints"):
        for note in filter(None, (folder.note(size), folder.cosigned(size))):
            checkpoint, _ = open_checkpoint(note, pin)
            if checkpoint.size != size or found.setdefault(size, checkpoint) != checkpoint:
                raise LogFault(f"{folder.path}: the checkpoint of {size} lines has another text than its name says")
    return found


def _same_latest(folder: LogFolder, latest: Checkpoint, pin: Pin) -> None:
    told, _ = open_checkpoint(folder.read("checkpoint", MAX_NOTE + 1), pin)
    if told != latest:
        raise Refuted(
            "rolled-back", f"{folder.path}/checkpoint has {told.size} lines, but one of {latest.size} lines was signed"
        )


def _kept(kept: Checkpoint | None, signed: Mapping[int, Checkpoint]) -> dict[int, Checkpoint]:
    """The checkpoint that the caller kept. Raises Refuted when the log signed another one of its size."""
    if kept is None:
        return {}
    if kept.size > max(signed):
        raise Refuted("rolled-back", f"you hold a checkpoint of {kept.size} lines; the log's latest has {max(signed)}")
    if signed.get(kept.size, kept) != kept:
        raise Refuted("inconsistent", f"you hold another checkpoint of {kept.size} lines than the log: it was forked")
    return {kept.size: kept}


class _Walk:
    """All lines, from the first to the last, with a stop at each checkpoint and before each index line."""

    def __init__(
        self, folder: LogFolder, pin: Pin, expected: Mapping[int, Checkpoint], standing: Standing | None = None
    ) -> None:
        self._standing = standing
        self._folder, self._pin, self._expected = folder, pin, expected
        self._stops = sorted({stop for size in expected for stop in (size - 1, size) if stop > 0})
        self._tiles = StoredTiles(folder)
        self._largest = max(expected)
        self._builder = TileBuilder(self._compare)
        self._opened: LogOpened | None = None
        self._census: Census | None = None
        self.indexed = self.uncovered = 0
        self.sagas: int | None = None
        self.damaged: list[str] = []
        self._signed = set(folder.sizes("checkpoints"))

    def run(self, lines: Lines) -> None:
        """Walk. Raises Refuted, LogFault."""
        for batch in lines.batches(0):
            if not self._builder.size:
                self._begin(batch[0])
            for piece in self._pieces(batch):
                self._take(piece)
        if self._builder.size < self._largest:
            raise Refuted(
                "truncated", f"the store has {self._builder.size} lines; a signed checkpoint covers {self._largest}"
            )

    def _begin(self, first: bytes) -> None:
        self._opened = opening_of(first)
        if self._opened is None:
            return
        self._census = Census()
        named = pin_of(self._opened)
        if named != self._pin:
            raise Refuted("wrong-key", f"log.opened names {named.origin} and {named.vkey}, which is not what is pinned")

    def _pieces(self, batch: list[bytes]) -> Iterator[list[bytes]]:
        """The batch, cut where the walk stops; lines after the latest checkpoint are counted only."""
        while batch:
            if self._builder.size == self._largest:
                self.uncovered += len(batch)
                return
            stop = next(stop for stop in self._stops if stop > self._builder.size)
            cut = stop - self._builder.size
            piece, batch = batch[:cut], batch[cut:]
            yield piece

    def _take(self, lines: list[bytes]) -> None:
        size = self._builder.size + len(lines)
        index = self._index(size)
        self._add(lines)
        expected = self._expected.get(size)
        if expected is not None and self._builder.root() != expected.root:
            raise Refuted("inconsistent", f"the lines of the store do not lead to the signed root of {size} lines")
        if index is not None:
            self._check_index(index, lines[-1], size)
        if size == self._largest:
            for tile, data in self._builder.partials():
                self._compare(tile, data)

    def _add(self, lines: list[bytes]) -> None:
        leaves = leaf_hashes(lines)
        if self._census is not None:
            try:
                self._census.add(self._builder.size, lines, leaves)
            except BrokenChain as fault:
                raise Refuted("broken-chain", str(fault)) from fault
        self._builder.add(leaves)

    def _index(self, size: int) -> Claims | None:
        """Before the last line of a checkpoint is taken in: the index that it must claim."""
        if self._census is None or self._opened is None or size not in self._signed:
            return None
        changed = self._standing is not None and any(changes(line) for _, line in self._census.own)
        in_force = self._standing(self._census.own) if self._standing is not None and changed else None
        return claims(self._census, self._opened, in_force)

    def _check_index(self, index: Claims, line: bytes, size: int) -> None:
        claimed = claimed_by(line)
        if claimed is None:
            raise Refuted("not-indexed", f"the checkpoint of {size} lines does not end with a log.indexed line")
        if claimed != index.members:
            raise Refuted("bad-index-root", f"line {size - 1}: the saga index that it claims is not that of the lines")
        self.indexed += 1
        self.sagas = index.members["size"] - 2
        for stored, data in ((f"index/{size}", index.text), (f"index/{size}.tree", index.tree)):
            if self._folder.has(stored) and self._folder.read(stored, len(data) + 1) != data:
                self.damaged.append(f"{self._folder.path}/{stored}: is not the index of the lines; {REBUILD}")

    def _compare(self, tile: Tile, data: bytes) -> None:
        """A tile of the lines must be the one that is stored. Told at the end: changed lines make other tiles too."""
        try:
            same = self._tiles.read(tile) == data
        except LogFault as fault:
            self.damaged.append(str(fault))
            return
        if not same:
            self.damaged.append(f"{self._folder.path}/{tile.path}: is not the tile of the lines; {REBUILD}")
