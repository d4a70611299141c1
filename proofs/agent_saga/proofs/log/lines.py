"""The lines of a store as leaves of its log: from an index on in bulk, one by its index, those of one saga.

Read-only, of a SQLite store or of a trace file. Nothing here believes what it reads: whoever hands a line out checks
its hash against the log's tiles.
"""

import os
from array import array
from collections.abc import Iterator
from typing import Final, Protocol

from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.trace.errors import SourceError
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.telling import has_log, is_sqlite

EVERY: Final = 256
"""Lines from one remembered offset of a trace file to the next."""

_CHUNK: Final = 1 << 20


class Lines(Protocol):
    """Where a log's lines are read. Every method may raise LogFault."""

    def batches(self, since: int) -> Iterator[list[bytes]]:
        """The lines from this index on to the end of the store, in order."""
        ...

    def at(self, index: int) -> bytes:
        """The line at this index. Raises Unprovable when the store has none."""
        ...

    def of(self, saga: str, first: int, below: int) -> Iterator[tuple[int, bytes]]:
        """The saga's lines among the indices ``first`` up to ``below``, each with its index."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


def open_lines(store: str, offsets: "array[int] | None" = None) -> Lines:
    """Open the lines of what stands at this path. Raises SourceError.

    offsets: of a trace file, each 256th line's, as far as they are known; those that are passed by are added.
    """
    if is_address(store):
        from agent_saga.proofs.log.postgres_lines import PostgresLines

        return PostgresLines(store)
    try:
        if is_sqlite(store):
            from agent_saga.proofs.log.sqlite_lines import SqliteLines

            return SqliteLines(store, immutable=not has_log(store))
        return FileLines(store, offsets if offsets is not None else array("Q", [0]))
    except OSError as fault:
        raise SourceError(f"{store}: {fault.strerror}") from fault


class FileLines:
    """Lines of a plain trace. offsets: where lines 0, 256, 512 ... begin; as far as they are known."""

    def __init__(self, path: str, offsets: "array[int]") -> None:
        """Raises OSError, and SourceError for what is no plain trace."""
        self.path, self.offsets = path, offsets
        self._handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # or a pipe would be waited for
        head = os.pread(self._handle, 8, 0)
        if head and not head.startswith(b'{"v":1,'):
            os.close(self._handle)
            raise SourceError(f"{path}: neither a store nor a plain trace: a log is kept beside one of these")

    def batches(self, since: int) -> Iterator[list[bytes]]:
        """See :class:`Lines`. What follows the last LF is no line yet."""
        block = min(since // EVERY, len(self.offsets) - 1)
        index, begin = block * EVERY, self.offsets[block]
        for lines in self._pieces(begin):
            begin = self._note(index, begin, lines)
            if index + len(lines) > since:
                yield lines[max(0, since - index) :]
            index += len(lines)

    def _pieces(self, place: int) -> Iterator[list[bytes]]:
        rest = b""
        while data := os.pread(self._handle, _CHUNK, place):
            place += len(data)
            *lines, rest = (rest + data).split(b"\n")
            if len(rest) > MAX_LINE:
                raise LogFault(f"{self.path}: a line of more than {MAX_LINE} bytes; certify says more about it")
            if lines:
                yield lines

    def _note(self, index: int, begin: int, lines: list[bytes]) -> int:
        """Remember where each 256th of these lines begins; returns where the lines after them do."""
        done = 0
        for start in range(-index % EVERY, len(lines), EVERY):
            begin += sum(map(len, lines[done:start])) + start - done
            done = start
            if index + start == len(self.offsets) * EVERY:
                self.offsets.append(begin)
        return begin + sum(map(len, lines[done:])) + len(lines) - done

    def at(self, index: int) -> bytes:
        """See :class:`Lines`."""
        for batch in self.batches(index):
            return batch[0]
        raise Unprovable(f"{self.path}: has no line {index}")

    def of(self, saga: str, first: int, below: int) -> Iterator[tuple[int, bytes]]:
        """See :class:`Lines`."""
        head, index = b'{"v":1,"saga":"%b",' % saga.encode(), first
        for batch in self.batches(first):
            for line in batch:
                if index >= below:
                    return
                if line.startswith(head):
                    yield index, line
                index += 1

    def close(self) -> None:
        """See :class:`Lines`."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
