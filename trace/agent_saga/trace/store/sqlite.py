"""The SQLite store: lines in one database, what opens their concealed values, encrypted, in another beside it.

Many processes may have one store open. Each has one writing connection and one that reads; a commit is one sync, two
when disclosures come with it: theirs first, so that no line with a DIGEST is durable before what opens it.

Source: docs/spec/store-v1.md, "The SQLite store".
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Sequence
from typing import Any

from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import Lease, SagaRow, Window
from agent_saga.trace.store.connecting import connect, create, faults_told, sync_log
from agent_saga.trace.store.draft import Draft, Head, Parsed
from agent_saga.trace.store.engine import ALONE, Wanted
from agent_saga.trace.store.errors import Damaged
from agent_saga.trace.store.keyring import Random
from agent_saga.trace.store.known import MANY, Known
from agent_saga.trace.store.lengthening import Lengthening
from agent_saga.trace.store.locking import Lock
from agent_saga.trace.store.schema import LINES, PRIVATE
from agent_saga.trace.store.standing import Standing
from agent_saga.trace.store.statements import (
    HEAD,
    INSERTS,
    LEASE,
    OPEN,
    REMEMBER,
    ROWS,
    SAGAS,
    SPEND,
    SPENT,
    bound,
    text,
)
from agent_saga.trace.store.vault import DISCLOSURES, Vault, open_vault


class SqliteEngine:
    """One store, opened for reading and writing by this process."""

    def __init__(self, path: str, *, make: bool = True, random: Random = os.urandom) -> None:
        """make: create the store when nothing stands there. random: for keys and nonces of what it keeps encrypted.

        Raises NotAStore, WrongVersion, ReadOnly, Damaged, Busy.
        """
        self.place = path
        self.notices: tuple[str, ...] = ()
        self._lock = threading.Lock()
        self._known = Known()
        self._beside = os.path.realpath(path) + DISCLOSURES
        if make:
            create(path, LINES)
        with contextlib.ExitStack() as stack:
            self._write = _opened(stack, path, LINES)
            self._turn = Lock(self._write)
            self._vault = open_vault(os.path.realpath(path), random)
            stack.callback(self._vault.close)
            self._private = self._vault.write
            self.notices = self._vault.notices()
            self._read = _opened(stack, path, LINES, writable=False)
            self._texts = _opened(stack, self._beside, PRIVATE, writable=False)
            sync_log(path)
            self._stands, self._stands_beside = Standing(path), Standing(self._beside)
            self._lengthening = Lengthening(path)
            self._connections = stack.pop_all()

    # What a draft sees (Committed), inside the write transaction.

    def count(self) -> int:
        """Lines that there are."""
        if self._known.count < 0:
            self._known.count = _number(self._write.execute("SELECT coalesce(max(idx) + 1, 0) FROM lines"))
        return self._known.count

    def head(self, saga: str) -> Head | None:
        """The saga's head."""
        known = self._known.heads.get(saga)
        if known is not None:
            return known
        row = self._write.execute(HEAD, (saga,)).fetchone()
        return Head(row[0] + 1, leaf_hash(row[1]), bool(row[2])) if row else None

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Index and bytes of a line."""
        found = self._write.execute("SELECT idx, line FROM lines WHERE saga = ? AND seq = ?", (saga, seq)).fetchone()
        if found is None:
            raise Damaged(f"{self.place}: saga {saga} seq {seq} is missing below the saga's head; restore the store")
        return found[0], found[1]

    def lease(self, saga: str) -> Lease | None:
        """The saga's latest lease."""
        known = self._known.leases.get(saga)
        if known is not None:
            return known
        row = self._write.execute("SELECT saga, holder, token, until FROM leases WHERE saga = ?", (saga,)).fetchone()
        return Lease(*row) if row else None

    def spent(self, window: Window) -> int:
        """What a window holds, of all processes; nobody else writes meanwhile."""
        return _sum(self._write.execute(SPENT, bound(window)).fetchone())

    guessed = False

    def begin(self, wanted: Wanted = ALONE) -> "SqliteEngine":
        """Lock out other writers, of this and of other processes."""
        with faults_told(self.place):
            self._turn.wait()
            return self._begun()

    def at_once(self) -> "SqliteEngine | None":
        """As :meth:`begin`, if that takes no wait."""
        with faults_told(self.place):
            return self._begun() if self._turn.at_once() else None

    def _begun(self) -> "SqliteEngine":
        version = _number(self._write.execute("PRAGMA data_version"))
        if version != self._known.version or len(self._known.heads) > MANY:
            self._known = Known(version)
        self._lengthening.begun()
        return self

    def commit(self, draft: Draft) -> None:
        """Write everything, then make the disclosures durable, then the lines."""
        with faults_told(self.place):
            self._write_lines(draft)
            if draft.disclosures or draft.memory:
                self._write_private(draft)
            self._write.execute("COMMIT")
        self._stands.check()
        self._known.learn(draft)

    def _write_lines(self, draft: Draft) -> None:
        if draft.lines:
            self._insert(draft.first, draft.lines)
            begun = [(index, x.saga) for index, x in enumerate(draft.lines, draft.first) if x.seq == 0]
            if begun:
                self._write.executemany("INSERT INTO sagas (first, saga) VALUES (?, ?)", begun)
            ended = [(saga,) for saga, head in draft.heads.items() if head.ended]
            if ended:
                self._write.executemany("UPDATE sagas SET ended = 1 WHERE saga = ?", ended)
        if draft.spends:
            spends = [(x.limit, text(x.key), x.at, x.saga, x.seq, x.amount) for x in draft.spends]
            self._write.executemany(SPEND, spends)
        if draft.leases:
            rows_of_leases = [(x.saga, x.holder, x.token, x.until) for x in draft.leases.values()]
            self._write.executemany(LEASE, rows_of_leases)

    def _insert(self, first: int, lines: Sequence[Parsed]) -> None:
        """Many rows in one statement: between two statements another thread may keep this one from going on."""
        values: list[Any] = []
        for index, one in enumerate(lines, first):
            values += (index, one.saga, one.seq, one.line)
        while values:
            size = next(size for size in ROWS if 4 * size <= len(values))
            self._write.execute(INSERTS[size], values[: 4 * size])
            values = values[4 * size :]

    def _write_private(self, draft: Draft) -> None:
        with faults_told(self._beside):
            self._private.execute("BEGIN IMMEDIATE")
            self._vault.put(draft.disclosures)
            self._private.executemany(REMEMBER, list(draft.memory.items()))
            self._private.execute("COMMIT")
        self._stands_beside.check()

    def rollback(self) -> None:
        """Take everything back; SQLite itself may have done so already."""
        self._known = Known()
        for connection in (self._write, self._private):
            with contextlib.suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    # Reads (Engine).

    def read(self, saga: str, since: int) -> list[bytes]:
        """The saga's lines."""
        query = "SELECT line FROM lines WHERE saga = ? AND seq >= ? ORDER BY seq"
        return [line for (line,) in self._rows(self._read, query, saga, since)]

    def sagas(self, open_only: bool) -> list[SagaRow]:
        """Every saga."""
        rows = self._rows(self._read, SAGAS.format("WHERE ended = 0" if open_only else ""))
        return [SagaRow(saga, seq + 1, leaf_hash(line), bool(ended)) for saga, seq, line, ended in rows]

    def lines(self, since: int, limit: int) -> list[tuple[int, bytes]]:
        """Lines by index."""
        return self._rows(self._read, "SELECT idx, line FROM lines WHERE idx >= ? ORDER BY idx LIMIT ?", since, limit)

    def expired(self, now: float) -> list[str]:
        """Open sagas that nobody holds."""
        return [saga for (saga,) in self._rows(self._read, OPEN, LOG_SAGA, now)]

    def disclosures(self, saga: str) -> list[str]:
        """The saga's Ds."""
        return self._vault.texts(saga)

    def vault(self) -> Vault:
        """Where the disclosures are."""
        return self._vault

    def remembered(self) -> list[tuple[str, bytes]]:
        """All that is remembered."""
        return self._rows(self._texts, "SELECT key, value FROM memory ORDER BY key")

    def spent_now(self, window: Window) -> int:
        """What a window holds."""
        return _sum(self._rows(self._read, SPENT, *bound(window))[0])

    def recall(self, key: str) -> bytes | None:
        """A remembered value."""
        rows = self._rows(self._texts, "SELECT value FROM memory WHERE key = ?", key)
        return rows[0][0] if rows else None

    def _rows(self, connection: sqlite3.Connection, query: str, *values: Any) -> list[Any]:
        with self._lock, faults_told(self.place):
            return connection.execute(query, values).fetchall()

    def close(self) -> None:
        """Let go of the files. The last process that closes a store leaves no -wal and -shm behind."""
        with self._lock:
            self._connections.close()


def _opened(stack: contextlib.ExitStack, path: str, kind: Any, *, writable: bool = True) -> sqlite3.Connection:
    connection = connect(path, kind, writable=writable)
    stack.callback(connection.close)
    return connection


def _sum(halves: tuple[int, int]) -> int:
    return (halves[0] << 32) + halves[1]


def _number(rows: sqlite3.Cursor) -> int:
    value: int = rows.fetchone()[0]
    return value


__all__: Sequence[str] = ["DISCLOSURES", "SqliteEngine"]
