"""A SQLite store as the bytes of a trace: its lines in the order of their global index, each with its LF.

Read-only, in one transaction, so that what is read is the store at one moment, also while others write. These bytes are
what ``agent-saga store export`` writes, so a store and its export are judged alike.

Source: docs/spec/store-v1.md, "Reading while it is written".
"""

import contextlib
import io
import os
import sqlite3
from abc import abstractmethod
from typing import Final

from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.connecting import faults_told, opened
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.schema import LINES, Kind, verify
from agent_saga.trace.store.telling import has_log
from agent_saga.trace.streams import Broken

_ROWS: Final = 256
"""Lines fetched at a time: a few hundred kilobytes at the usual size, 64 MB at the worst."""


ALL: Final = (1 << 63) - 1
"""Stands for the index behind the last line, whatever that is."""


class Lines(io.RawIOBase):
    """The lines of a store as a stream that can be read once from front to back; each kind of store fetches its own."""

    def __init__(self) -> None:
        super().__init__()
        self._broken = ""
        self._held = contextlib.ExitStack()
        """What the stream reads from; empty where the store could not be opened."""

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Some whole lines; b"" at the end. Raises Broken when the store gives out no more, though there is more."""
        lines: list[bytes] = []
        if not self._broken:
            self._broken = self._fetch(lines)
        if self._broken and not lines:
            raise Broken(self._broken)
        return b"".join(lines)

    @abstractmethod
    def _fetch(self, lines: list[bytes]) -> str:
        """Add the next lines; why there are no more although there should be, else ""."""

    def close(self) -> None:
        """End the transaction."""
        if not self.closed:
            self._held.close()
        super().close()


class Snapshot(Lines):
    """The bytes of a SQLite store."""

    def __init__(self, path: str, since: int = 0, until: int = ALL) -> None:
        """since: the first global index; until: the one to stop before.

        Raises SourceError when the path is no store of ours, or cannot be read.
        """
        super().__init__()
        self.path = path
        self._next = since
        self._settled = None if has_log(path) else _stamp(path)
        try:
            with faults_told(path):
                connection = connected(path, LINES, immutable=self._settled is not None)
                self._held.enter_context(contextlib.suppress(sqlite3.Error))
                self._held.callback(connection.close)
                self._rows = connection.execute(
                    "SELECT idx, line FROM lines WHERE idx >= ? AND idx < ? ORDER BY idx", (since, until)
                )
        except StoreError as fault:
            raise SourceError(str(fault)) from fault

    def _fetch(self, lines: list[bytes]) -> str:
        """Add the next lines; why there are no more although there should be, else ""."""
        try:
            with faults_told(self.path):
                rows = self._rows.fetchmany(_ROWS)
        except StoreError as fault:
            return str(fault)
        for index, line in rows:
            if index != self._next or not isinstance(line, bytes):
                return f"index {self._next} is missing, though a log has no gaps; found index {index}"
            self._next += 1
            lines.append(line + b"\n")
        if not rows and self._settled is not None and self._settled != _stamp(self.path):
            return "the store changed while it was read; read it again"
        return ""


def connected(path: str, kind: Kind, *, immutable: bool) -> sqlite3.Connection:
    """A connection inside a read transaction. immutable: nobody has it open, so that nothing is made beside it.

    Raises StoreError, and sqlite3.Error for :func:`faults_told`.
    """
    connection = opened(path, "mode=ro&immutable=1" if immutable else "mode=ro")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        verify(connection, kind, path, reading=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _stamp(path: str) -> tuple[int, int, int] | None:
    with contextlib.suppress(OSError):
        found = os.stat(path)
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None
