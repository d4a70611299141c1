"""The engine over PostgreSQL: one connection that writes, one that reads, one for the vault when it is needed.

Other processes write at the same time. What this one remembers of heads is good as long as nobody else has written the
saga: then the key (saga, seq) is taken, the commit says so, and the group is drafted anew from what stands there.
Leases and budgets are locked when a group begins, always in the same order, so that no two wait for each other.

Source: docs/spec/store-v1.md, "The PostgreSQL store".
"""

import contextlib
import os
import threading
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.store.base import Lease, SagaRow, Window
from agent_saga.trace.store.draft import UNKNOWN, Draft, Head
from agent_saga.trace.store.engine import ALONE, Raced, Wanted
from agent_saga.trace.store.errors import Damaged, Unreachable
from agent_saga.trace.store.known import MANY
from agent_saga.trace.store.postgres import connecting, reading, writing
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, connect, faults_told
from agent_saga.trace.store.postgres.schema import verify

if TYPE_CHECKING:
    from agent_saga.trace.store.keyring import Random
    from agent_saga.trace.store.vault import Vault


class PostgresEngine:
    """One store, opened for reading and writing by this process."""

    def __init__(self, address: str, *, random: "Random" = os.urandom) -> None:
        """random: for keys and nonces of what is kept encrypted.

        Raises NotAStore, WrongVersion, Damaged, Unreachable, ReadOnly, and StoreError without psycopg.
        """
        self.place = masked(address)
        self._address, self._random = address, random
        self._lock = threading.Lock()
        self._vault: Vault | None = None
        self._heads: dict[str, Head] = {}
        self._looked_up: set[str] = set()
        self._leases: dict[str, Lease | None] = {}
        self._alone, self._locked, self.guessed, self._next = False, False, False, UNKNOWN
        self._batch: int | None = None
        self._write: Connection = self._opened()
        self._read: Connection = self._opened()
        with contextlib.closing(connect(address)) as other, faults_told(self.place):
            self.notices = writing.settle(other, self.place)

    def _opened(self, patience: float = 0.0) -> Connection:
        connection = connect(self._address, patience=patience)
        try:
            verify(connection, self.place)
            with faults_told(self.place):
                writing.durable(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    # What a draft sees (Committed), inside the write transaction.

    def count(self) -> int:
        """The next index, where it is known before the commit."""
        return self._next

    def head(self, saga: str) -> Head | None:
        """The saga's head."""
        known = self._heads.get(saga)
        if known is not None:
            self.guessed = self.guessed or saga not in self._looked_up
            return known
        if saga not in self._looked_up:
            self._look_up([saga])
        return self._heads.get(saga)

    def _look_up(self, sagas: Collection[str]) -> None:
        if sagas:
            self._batch = None  # its number is to be taken after this
            with self._told():
                self._heads |= reading.heads(self._write, sagas)
            self._looked_up.update(sagas)

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Index and bytes of a line."""
        with self._told():
            found = reading.placed(self._write, saga, seq)
            if found is not None and found[0] is None:  # durable, and its writer died before it was in the log
                writing.sequence(self._write)
                found = reading.placed(self._write, saga, seq)
        if found is None or found[0] is None:
            raise Damaged(f"{self.place}: saga {saga} seq {seq} is missing below the saga's head; restore the store")
        return found[0], found[1]

    def lease(self, saga: str) -> Lease | None:
        """The saga's latest lease; nobody else changes it until the transaction ends."""
        if saga not in self._leases:
            with self._told():
                self._leases |= writing.lock_leases(self._write, [saga])
        return self._leases[saga]

    def spent(self, window: Window) -> int:
        """What a window holds; nobody else takes from it until the transaction ends."""
        with self._told():
            return reading.spent(self._write, window)

    def begin(self, wanted: Wanted = ALONE) -> "PostgresEngine":
        """Begin a transaction: alone, or beside those of others."""
        if self._write.closed:
            self._heads.clear()
            self._write = self._opened(connecting.PATIENCE)
        if len(self._heads) > MANY:
            self._heads.clear()
        self._alone, self.guessed, self._next = wanted.alone, False, UNKNOWN
        with self._told():
            if wanted.alone:
                self._heads.clear()  # what stands there is what is told
                self._locked = True
                self._batch, self._next = None, writing.begin_alone(self._write)
            else:
                self._batch = writing.begin(self._write)
            self._leases = writing.lock_leases(self._write, wanted.leases)
            writing.lock_budgets(self._write, wanted.budgets)
        self._looked_up = set()
        self._look_up(wanted.heads - self._heads.keys())
        return self

    def commit(self, draft: Draft) -> None:
        """Disclosures first, durable; then all the rest, in one transaction."""
        with self._told():
            if draft.disclosures:
                self.vault().add(draft.disclosures)
            writing.write_leases(self._write, draft, self._leases)
            batch = self._copied(draft)
            writing.write_memory(self._write, draft)
            if batch is None:
                self._write.execute("COMMIT")
            else:
                draft.place(self._placed(batch, len(draft.lines)))
            self._unlock()
        self._heads |= draft.heads

    def _copied(self, draft: Draft) -> int | None:
        """Copy the lines in; the number of their batch, None when there are none."""
        if not draft.lines:
            return None
        batch = writing.next_batch(self._write) if self._batch is None else self._batch
        writing.write_lines(self._write, draft, batch)
        return batch

    def _placed(self, batch: int, lines: int) -> int:
        """Commit; the index of the batch's first line, once it stands in the log."""
        first = writing.place_and_commit(self._write, batch, lines)
        return writing.sequenced(self._write, batch) if first is None else first

    def rollback(self) -> None:
        """Take everything back, and believe nothing that was remembered."""
        self._heads.clear()
        if not self._write.closed:
            with contextlib.suppress(connecting.driver().Error):
                self._write.execute("ROLLBACK")
                self._unlock()
        self._locked = False

    def _unlock(self) -> None:
        if self._locked:
            self._locked = False
            writing.end_alone(self._write)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Faults in the store's words; where the connection broke, the group is drafted anew over another one."""
        try:
            with faults_told(self.place):
                yield
        except Unreachable as fault:
            self._write.close()
            raise fault if self._alone else Raced(str(fault)) from None

    # Reads (Engine).

    def read(self, saga: str, since: int) -> list[bytes]:
        """The saga's lines: all that are durable."""
        rows = self._rows("SELECT line FROM agent_saga.events WHERE saga = %s AND seq >= %s ORDER BY seq", saga, since)
        return [line for (line,) in rows]

    def sagas(self, open_only: bool) -> list[SagaRow]:
        """Every saga whose first line is in the log."""
        rows = self._rows(reading.SAGAS.format("WHERE NOT s.ended" if open_only else ""))
        return [SagaRow(saga, seq + 1, leaf_hash(line), ended) for saga, seq, line, ended in rows]

    def lines(self, since: int, limit: int) -> list[tuple[int, bytes]]:
        """Lines by index."""
        return self._rows(reading.LINES, {"since": since, "limit": limit})

    def expired(self, now: float) -> list[str]:
        """Open sagas that nobody holds."""
        return [saga for (saga,) in self._rows(reading.EXPIRED, now)]

    def disclosures(self, saga: str) -> list[str]:
        """The saga's Ds."""
        return self.vault().texts(saga)

    def vault(self) -> "Vault":
        """Where the disclosures are; connected when it is first asked for."""
        if self._vault is None:
            from agent_saga.trace.store.postgres.vault import open_vault

            self._vault = open_vault(self._address, self._random)
        return self._vault

    def remembered(self) -> list[tuple[str, bytes]]:
        """All that is remembered."""
        return self._rows("SELECT key, value FROM agent_saga.memory ORDER BY key")

    def spent_now(self, window: Window) -> int:
        """What a window holds."""
        return int(self._rows(reading.SPENT, reading.budget(window.limit, window.key), window.since)[0][0])

    def recall(self, key: str) -> bytes | None:
        """A remembered value."""
        rows = self._rows("SELECT value FROM agent_saga.memory WHERE key = %s", key)
        return rows[0][0] if rows else None

    def _rows(self, query: str, *values: Any) -> list[Any]:
        """Reading twice harms nobody: where the connection broke, once more over another one."""
        given: Any = values[0] if values and isinstance(values[0], dict) else values
        with self._lock:
            if not self._read.closed:
                with contextlib.suppress(Unreachable):
                    return self._asked(query, given)
            self._read.close()
            self._read = self._opened(connecting.PATIENCE)
            return self._asked(query, given)

    def _asked(self, query: str, given: Any) -> list[Any]:
        with faults_told(self.place):
            return self._read.execute(query, given, binary=True).fetchall()

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._vault is not None:
                self._vault.close()
            self._read.close()
            self._write.close()
