"""A store in PostgreSQL as the bytes of a trace: at one moment, read only; and its lines as they come.

Lines appear in the order of the log and never before those in front of them: the sequencer's batches become visible one
after another. So whoever has seen index n may go on from n + 1 and has missed nothing.

Source: docs/spec/store-v1.md, "Reading while it is written".
"""

import contextlib
from collections.abc import Iterator
from typing import Final

from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, connect, faults_told
from agent_saga.trace.store.postgres.reading import LINES
from agent_saga.trace.store.postgres.schema import verify
from agent_saga.trace.store.snapshot import ALL, Lines

_ROWS: Final = 2000
"""Lines fetched at a time: a megabyte at the usual size."""
WAIT: Final = 5.0
"""Seconds that a follower waits for a word of the sequencer before it looks by itself."""

_MOMENT: Final = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
SIZE: Final = "SELECT coalesce((SELECT first + lines FROM agent_saga.log ORDER BY first DESC LIMIT 1), 0)"


def at_one_moment(address: str) -> Connection:
    """A connection inside a read-only transaction that sees the store as it is now. Raises StoreError."""
    place = masked(address)
    connection = connect(address)
    try:
        verify(connection, place)
        with faults_told(place):
            connection.execute(_MOMENT)
    except BaseException:
        connection.close()
        raise
    return connection


class PostgresSnapshot(Lines):
    """The bytes, of one moment."""

    def __init__(self, address: str, since: int = 0, until: int = ALL) -> None:
        """since: the first global index; until: the one to stop before.

        Raises SourceError when there is no store, or it cannot be read.
        """
        super().__init__()
        self.path = masked(address)
        self._next = since
        try:
            self._connection = at_one_moment(address)
            self._held.callback(self._connection.close)
            self._size = min(size_of(self._connection, self.path), until)
        except StoreError as fault:
            raise SourceError(str(fault)) from None

    def _fetch(self, lines: list[bytes]) -> str:
        """Add the next lines; why there are no more although there should be, else ""."""
        if self._next >= self._size:
            return ""
        try:
            rows = page(self._connection, self.path, self._next, min(_ROWS, self._size - self._next))
        except StoreError as fault:
            return str(fault)
        for index, line in rows:
            if index != self._next:
                return f"index {self._next} is missing, though a log has no gaps; found index {index}"
            self._next += 1
            lines.append(line + b"\n")
        return "" if rows else f"index {self._next} is missing, though the log has {self._size} lines"


def page(connection: Connection, place: str, since: int, limit: int = _ROWS) -> list[tuple[int, bytes]]:
    """Lines with their index, from ``since`` on. Raises StoreError."""
    with faults_told(place):
        return connection.execute(LINES, {"since": since, "limit": limit}, binary=True).fetchall()


def size_of(connection: Connection, place: str) -> int:
    """How many lines the log has. Raises StoreError."""
    with faults_told(place):
        row = connection.execute(SIZE).fetchone()
    return int(row[0]) if row else 0


def follow(address: str, seen: int) -> Iterator[bytes]:
    """Lines after the first ``seen`` ones, for ever, as soon as the sequencer tells of them. Raises SourceError."""
    place = masked(address)
    try:
        connection = connect(address)
        with contextlib.closing(connection):
            verify(connection, place)
            with faults_told(place):
                connection.execute("LISTEN agent_saga_log")
            while True:
                for _, line in _all(connection, place, seen):
                    seen += 1
                    yield line
                _wait(connection, place)
    except StoreError as fault:
        raise SourceError(str(fault)) from None


def _all(connection: Connection, place: str, since: int) -> Iterator[tuple[int, bytes]]:
    while rows := page(connection, place, since):
        for index, line in rows:
            if index != since:
                raise SourceError(f"{place}: index {since} is missing, though a log has no gaps")
            since += 1
            yield index, line


def _wait(connection: Connection, place: str) -> None:
    with faults_told(place):
        for _ in connection.notifies(timeout=WAIT, stop_after=1):
            pass
