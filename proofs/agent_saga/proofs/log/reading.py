"""Reading a log: its checkpoints, the hashes for proofs, its lines, its saga index. Nothing is written.

What comes out was held against the checkpoint on disk: a line against its leaf, an index against the root that its
``log.indexed`` line names, a proof against the root. A damaged file is a LogFault and never a wrong proof. Whether the
checkpoint is the right one only a pin tells.

Source: docs/spec/log-v1.md, "On disk".
"""

from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from agent_saga.proofs import tree
from agent_saga.proofs.checking import check_consistency, check_inclusion, check_leaves
from agent_saga.proofs.checkpoints import Checkpoint, parse_checkpoint
from agent_saga.proofs.entries import parse_entry
from agent_saga.proofs.errors import LogFault, Refuted, Unprovable
from agent_saga.proofs.hashing import leaf, leaf_hashes
from agent_saga.proofs.index import Index
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.proofs.log.census import Census
from agent_saga.proofs.log.folder import REBUILD, LogFolder, NoLog, place_of
from agent_saga.proofs.log.lines import FileLines, open_lines
from agent_saga.proofs.log.offsets import read_offsets
from agent_saga.proofs.log.opened import indexed_of
from agent_saga.proofs.log.stored_index import StoredIndex
from agent_saga.proofs.log.storing import StoredTiles
from agent_saga.proofs.notes import parse_note
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tree import Nodes
from agent_saga.trace.events import LogIndexed
from agent_saga.trace.limits import LOG_SAGA


class Log:
    """One log, opened for reading, as of its latest checkpoint. Use it in a ``with`` block, or close it."""

    def __init__(self, store: str) -> None:
        """See :meth:`open`."""
        self.store = store
        self.folder = LogFolder(place_of(store))
        if not self.folder.has("checkpoint"):
            raise NoLog(f"{store}: has no checkpoint in {place_of(store)}: make one with `agent-saga log checkpoint`")
        note = self.folder.read("checkpoint", MAX_NOTE + 1)
        self.latest = parsed(note, f"{place_of(store)}/checkpoint")
        self._note = self.folder.cosigned(self.latest.size) or note
        if parsed(self._note, f"{place_of(store)}/cosigned/{self.latest.size}") != self.latest:
            raise LogFault(f"{place_of(store)}/cosigned/{self.latest.size}: is another checkpoint: remove the file")
        self._tiles = StoredTiles(self.folder)
        self._nodes = self._tiles.nodes(self.latest.size)
        self._roots = {self.latest.size: self.latest.root}
        self._lines = open_lines(store, read_offsets(self.folder))

    @classmethod
    def open(cls, store: str) -> Self:
        """Open the log beside a store. Raises NoLog (a LogFault) where there is none; LogFault; SourceError."""
        return cls(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._lines.close()

    # Checkpoints.

    def checkpoint(self) -> bytes:
        """The latest signed checkpoint, with the cosignatures that were handed in, as of when the log was opened."""
        return self._note

    def checkpoints(self) -> list[int]:
        """The sizes of all signed checkpoints, ascending."""
        return self.folder.sizes("checkpoints")

    def note(self, size: int) -> bytes:
        """The signed checkpoint of this size. Raises Unprovable when none was signed."""
        if size not in self.checkpoints():
            raise Unprovable(f"{self.store}: no checkpoint of {size} lines was signed; there are {self.checkpoints()}")
        return self.folder.cosigned(size) or self.folder.note(size)

    def root(self, size: int) -> bytes:
        """Root of the first ``size`` lines, from the tiles; for a checkpoint's size, held against it.

        Raises LogFault, Unprovable.
        """
        if not 0 < size <= self.latest.size:
            raise Unprovable(f"{self.store}: a size of {size} lines; the latest checkpoint has {self.latest.size}")
        found = tree.root(self._nodes, size)
        if size not in self._roots:
            proof = tree.consistency(self._nodes, size, self.latest.size)
            _sound(lambda: check_consistency(size, self.latest.size, proof, found, self.latest.root), self.store)
        if self._roots.setdefault(size, found) != found:
            raise LogFault(f"{self.store}: the tiles do not lead to the root of checkpoint {size}: {REBUILD}")
        return found

    # Proofs.

    def nodes(self, size: int) -> Nodes:
        """The hashes of the log's first ``size`` lines, unchecked: hold what is made of them against :meth:`root`.

        Raises Unprovable for a size beyond the latest checkpoint.
        """
        self.root(size)
        return self._tiles.nodes(size)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The inclusion path of a line, checked. Raises LogFault, Unprovable."""
        path, hashed, root = inclusion(self._nodes, index, size), self._leaf(index), self.root(size)
        _sound(lambda: check_inclusion(hashed, index, size, path, root), self.store)
        return path

    def shared(self, indices: Iterable[int], size: int) -> list[bytes]:
        """The shared paths of many lines, checked. Raises LogFault, Unprovable."""
        wanted, root = sorted(set(indices)), self.root(size)
        proof = tree.shared_paths(self._nodes, wanted, size)
        leaves = {index: self._leaf(index) for index in wanted}
        _sound(lambda: check_leaves(leaves, size, proof, root), self.store)
        return proof

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The consistency proof between two sizes, checked. Raises LogFault, Unprovable."""
        old_root, new_root = self.root(old), self.root(new)
        proof = tree.consistency(self._nodes, old, new)
        _sound(lambda: check_consistency(old, new, proof, old_root, new_root), self.store)
        return proof

    def _leaf(self, index: int) -> bytes:
        return self._nodes.node(0, index)

    # Lines.

    def line(self, index: int) -> bytes:
        """The exact bytes of a line. Raises Unprovable beyond the latest checkpoint; LogFault when it was changed."""
        if not 0 <= index < self.latest.size:
            raise Unprovable(f"{self.store}: line {index} is beyond the latest checkpoint of {self.latest.size} lines")
        line = self._lines.at(index)
        self._same(index, line)
        return line

    def saga(self, saga_id: str, size: int | None = None) -> list[tuple[int, bytes]]:
        """The saga's lines among the first ``size`` (default: of the latest checkpoint), each with its global index.

        Empty for a saga that the log does not hold. Raises LogFault when a line was changed.
        """
        below = self.latest.size if size is None else min(size, self.latest.size)
        found = list(self._lines.of(saga_id, *self._range(saga_id, below)))
        for index, line in found:
            self._same(index, line)
        return found

    def _range(self, saga: str, below: int) -> tuple[int, int]:
        """Between which indices to look: a trace file is read there only."""
        if isinstance(self._lines, FileLines) and saga != LOG_SAGA:
            with suppress(Unprovable, LogFault):
                entry = self.index(self.latest.size).present(saga).entry
                return entry.first, min(below, entry.last + 1)
        return 0, below

    def _same(self, index: int, line: bytes) -> None:
        if leaf(line) != self._leaf(index):
            raise LogFault(
                f"{self.store}: line {index} is not the one that stands in the log: the store was changed, or the "
                "tiles are damaged; `agent-saga log verify` tells which"
            )

    # The saga index.

    def indexed(self, size: int) -> LogIndexed:
        """The ``log.indexed`` line that ends the checkpoint of this size. Raises Unprovable when it has none."""
        found = indexed_of(self.line(size - 1)) if size > 1 else None
        if found is None:
            raise Unprovable(f"{self.store}: the checkpoint of {size} lines has no saga index")
        return found

    def index(self, size: int) -> Index:
        """The saga index of the checkpoint of this size, held against its ``log.indexed`` line.

        An older one is made again from the lines, which takes as long as reading them. Raises LogFault, Unprovable.
        """
        claimed = self.indexed(size)
        root = bytes.fromhex(claimed.root)
        if self.folder.has(f"index/{size}"):
            return StoredIndex(self.folder, size, claimed.size, root)
        entries = [parse_entry(text.decode()) for text in self._counted(size)]
        index = Index(entry for entry in entries if not entry.sentinel)
        if (index.size, index.root) != (claimed.size, root):
            raise LogFault(f"{self.store}: line {size - 1}: the saga index that it claims is not that of the lines")
        return index

    def _counted(self, size: int) -> list[bytes]:
        census, index = Census(), 0
        for batch in self._lines.batches(0):
            lines = batch[: size - 1 - index]
            census.add(index, lines, leaf_hashes(lines))
            index += len(lines)
            if len(lines) < len(batch):
                break
        return census.entries()


def parsed(note: bytes, name: str) -> Checkpoint:
    """The checkpoint of a note in a file of this name; its signatures are not looked at. Raises LogFault."""
    try:
        return parse_checkpoint(parse_note(note).text)
    except Refuted as fault:
        raise LogFault(f"{name}: is no checkpoint ({fault}); those in checkpoints/ are the originals") from fault


def _sound(check: object, store: str) -> None:
    try:
        check()  # type: ignore[operator]
    except Refuted as fault:
        raise LogFault(f"{store}: the tiles do not lead to the log's root ({fault}): {REBUILD}") from fault
