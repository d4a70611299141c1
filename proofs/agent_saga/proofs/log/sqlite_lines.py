"""The lines of a SQLite store, each by its index, read in one transaction: the store at one moment.

Source: docs/spec/store-v1.md, "Reading while it is written".
"""

import os
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.schema import LINES
from agent_saga.trace.store.snapshot import connected

_ROWS: Final = 256
"""Lines fetched at a time: a tile, and so few that they are still in the processor's cache when they are hashed."""

_PAGES: Final = 64
"""Pages that SQLite keeps: enough for the way to a line; more would push those lines out of the processor's cache."""


class SqliteLines:
    """See :class:`~agent_saga.proofs.log.lines.Lines`."""

    def __init__(self, path: str, *, immutable: bool) -> None:
        """immutable: nobody has it open, so that no file is made beside it. Raises SourceError."""
        self.path = path
        self._stamp = self._now() if immutable else None
        try:
            with faults_told(path):
                self._connection = connected(path, LINES, immutable=immutable)
                self._connection.execute(f"PRAGMA cache_size = {_PAGES}")
        except StoreError as fault:
            raise SourceError(str(fault)) from fault

    def _now(self) -> tuple[int, int, int]:
        found = os.stat(self.path)
        return found.st_ino, found.st_size, found.st_mtime_ns

    def batches(self, since: int) -> Iterator[list[bytes]]:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        query = "SELECT line FROM lines WHERE idx >= ? AND idx < ? ORDER BY idx"
        while rows := self._rows(query, since, since + _ROWS):
            if len(rows) < _ROWS:
                self._check_end(since, len(rows))
            since += len(rows)
            yield list(chain.from_iterable(rows))
        self._check_end(since, 0)
        if self._stamp is not None and self._stamp != self._now():
            raise LogFault(f"{self.path}: the store changed while it was read; run the command again")

    def _check_end(self, since: int, count: int) -> None:
        """From this index on there are so many lines, without a gap. Raises LogFault."""
        ((found, last),) = self._rows("SELECT count(*), max(idx) FROM lines WHERE idx >= ?", since)
        if found != count or (count and last != since + count - 1):
            raise LogFault(f"{self.path}: an index after {since} is missing, though a log has no gaps")

    def at(self, index: int) -> bytes:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        for (line,) in self._rows("SELECT line FROM lines WHERE idx = ?", index):
            return bytes(line)
        raise Unprovable(f"{self.path}: has no line {index}")

    def of(self, saga: str, first: int, below: int) -> Iterator[tuple[int, bytes]]:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        query = "SELECT idx, line FROM lines WHERE saga = ? AND idx >= ? AND idx < ? ORDER BY seq"
        yield from self._rows(query, saga, first, below)

    def _rows(self, query: str, *values: Any) -> list[Any]:
        try:
            with faults_told(self.path):
                return self._connection.execute(query, values).fetchall()
        except StoreError as fault:
            raise LogFault(str(fault)) from fault

    def close(self) -> None:
        """See :class:`~agent_saga.proofs.log.lines.Lines`."""
        self._connection.close()
