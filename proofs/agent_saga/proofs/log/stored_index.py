"""A saga index on disk, from which one entry is proven without reading the others.

    index/700           the entries, one a line, ascending
    index/700.tree      where each entry begins (8 bytes, little-endian), then the levels of its hash tree from below

Both are made from the lines, and nothing in them is believed: the root must be that of the ``log.indexed`` line, and
every entry that comes out was checked against it.

Source: docs/spec/log-v1.md, "On disk".
"""

import mmap
import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import overload

from agent_saga.proofs import tree
from agent_saga.proofs.entries import HIGHEST, LOWEST, Entry, Placed, check_absent, check_placed, parse_entry, sentinel
from agent_saga.proofs.errors import LogFault, Refuted, Unprovable
from agent_saga.proofs.hashing import HASH, leaf_hashes, level_up
from agent_saga.proofs.index import Index
from agent_saga.proofs.log.folder import REBUILD, LogFolder

_OFFSET = 8
_KEY = slice(len("agent-saga-index-v1 "), len("agent-saga-index-v1 ") + 64)
_LONGEST = 256


class Levels:
    """The nodes of a tree whose levels stand end to end. See :class:`~agent_saga.proofs.tree.Nodes`."""

    def __init__(self, data: "bytes | mmap.mmap", size: int, start: int = 0) -> None:
        """size: leaves of the tree. start: where the leaf hashes begin in the data."""
        widths = [size]
        while widths[-1] > 1:
            widths.append(widths[-1] // 2)
        self._data, self._starts = data, [start, *(start + HASH * end for end in accumulate(widths))]

    @property
    def end(self) -> int:
        """Bytes of the data with all levels."""
        return self._starts[-1]

    def node(self, height: int, place: int) -> bytes:
        """See :class:`~agent_saga.proofs.tree.Nodes`."""
        at = self._starts[height] + place * HASH
        return self._data[at : at + HASH]


def hashed(texts: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The root over the entries of an index, and the text of its tree file."""
    level = leaf_hashes(texts)
    levels = [level]
    while len(level) > HASH:
        level = level_up(level)
        levels.append(level)
    joined = b"".join(levels)
    offsets = struct.pack(f"<{len(texts)}Q", *accumulate(map(len, texts[:-1]), initial=0))
    return tree.root(Levels(joined, len(texts)), len(texts)), offsets + joined


class _Texts(Sequence[Entry]):
    """The entries, each read when it is asked for."""

    def __init__(self, place: str, texts: mmap.mmap, offsets: mmap.mmap, size: int) -> None:
        self._place, self._texts, self._offsets, self._size = place, texts, offsets, size

    def __len__(self) -> int:
        return self._size

    def text(self, place: int) -> str:
        """The line of an entry."""
        at = int.from_bytes(self._offsets[place * _OFFSET : (place + 1) * _OFFSET], "little")
        return self._texts[at : at + _LONGEST].split(b"\n", 1)[0].decode("ascii", "replace") + "\n"

    def whole(self) -> bool:
        """Whether the text begins and ends with the sentinels, which a cut file does not."""
        lowest, highest = (sentinel(key).text().encode() for key in (LOWEST, HIGHEST))
        last = int.from_bytes(self._offsets[(self._size - 1) * _OFFSET : self._size * _OFFSET], "little")
        return self._texts[: len(lowest)] == lowest and self._texts[last : last + len(highest) + 1] == highest

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> list[Entry]: ...
    def __getitem__(self, place: int | slice) -> Entry | list[Entry]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(self._size))]
        if not 0 <= place < self._size:
            raise IndexError(place)
        try:
            return parse_entry(self.text(place))
        except Refuted as fault:
            raise LogFault(f"{self._place}: entry {place}: {fault}; {REBUILD}") from fault


class _Keys(Sequence[str]):
    """The keys of the entries, for bisection."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return self._texts.text(place)[_KEY]

    def __iter__(self) -> Iterator[str]:
        return (self[at] for at in range(len(self)))


class StoredIndex(Index):
    """An index in two files. What it gives out was checked against its root; a damaged file is a LogFault."""

    def __init__(self, folder: LogFolder, log_size: int, size: int, root: bytes) -> None:
        """size and root: as the ``log.indexed`` line of the checkpoint of ``log_size`` lines says."""
        name = f"index/{log_size}"
        self._file = str(folder.path / name)
        texts, data = _mapped(folder, name), _mapped(folder, f"{name}.tree")
        levels = Levels(data, size, size * _OFFSET)
        if levels.end != len(data) or tree.root(levels, size) != root:
            raise LogFault(f"{self._file}: is not the saga index of its checkpoint; {REBUILD}")
        entries = _Texts(self._file, texts, data, size)
        if not entries.whole():
            raise LogFault(f"{self._file}: does not begin and end as a saga index does; {REBUILD}")
        self.entries, self._keys, self._tree, self.root = entries, _Keys(entries), levels, root

    def placed(self, place: int) -> Placed:
        """See :meth:`Index.placed`."""
        found = super().placed(place)
        try:
            check_placed(found, self.size, self.root)
        except Refuted as fault:
            raise LogFault(f"{self._file}: entry {place} is damaged ({fault}); {REBUILD}") from fault
        return found

    def present(self, saga: str) -> Placed:
        """See :meth:`Index.present`. That a saga is missing is checked too."""
        try:
            return super().present(saga)
        except (Unprovable, IndexError):
            self.absent(saga)
            raise

    def absent(self, saga: str) -> tuple[Placed, Placed]:
        """See :meth:`Index.absent`."""
        try:
            before, after = super().absent(saga)
            check_absent(saga, before, after, self.size, self.root)
        except (Refuted, IndexError) as fault:
            raise LogFault(f"{self._file}: its entries are not in order ({fault}); {REBUILD}") from fault
        return before, after


def _mapped(folder: LogFolder, name: str) -> mmap.mmap:
    try:
        with folder.opened(name) as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as fault:  # an empty file cannot be mapped
        raise LogFault(f"{folder.path / name}: is empty; {REBUILD}") from fault
