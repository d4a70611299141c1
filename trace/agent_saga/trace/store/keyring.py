"""The keys to the disclosures of one store, in a database of their own: who destroys one erases all that it sealed.

Source: docs/spec/store-v1.md, "Disclosures".
"""

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator

from agent_saga.trace.store.connecting import connect, create, faults_told, overwriting, sync_log
from agent_saga.trace.store.schema import KEYS, Kind, establish
from agent_saga.trace.store.sealed import Database

Random = Callable[[int], bytes]
"""Returns that many random bytes, such as ``os.urandom``."""


class Keyring:
    """The keys of one store. They are made when they are needed, durable before anything is sealed under them."""

    def __init__(self, path: str, random: Random) -> None:
        """path: the database, made now when nothing stands there; "" keeps it in memory. Raises StoreError."""
        self.place = path or "the keys in memory"
        self._random = random
        if path:
            create(path, KEYS)
        self.connection: Database = connect(path, KEYS) if path else in_memory(KEYS)
        if path:
            sync_log(path)

    def current(self, subject: str) -> tuple[str, bytes]:
        """Id and key under which values of this subject are sealed now."""
        query = "SELECT id, key FROM keys WHERE subject = ? ORDER BY n DESC LIMIT 1"
        with faults_told(self.place):
            found = self.connection.execute(query, (subject,)).fetchone()
        return found or self.fresh(subject)

    def fresh(self, subject: str) -> tuple[str, bytes]:
        """Make a new key for the subject; what is sealed from now on is sealed under it."""
        made = self._random(16).hex(), self._random(32)
        with faults_told(self.place):
            self.connection.execute("INSERT INTO keys (id, subject, key) VALUES (?, ?, ?)", (made[0], subject, made[1]))
        return made

    def of(self, subjects: Collection[str]) -> dict[str, str]:
        """The ids of all keys of these subjects, each with its subject."""
        with faults_told(self.place):
            rows = self.connection.execute("SELECT id, subject FROM keys").fetchall()
        return {id: subject for id, subject in rows if subject in subjects}

    def destroy(self, ids: Iterable[str]) -> list[bytes]:
        """Delete and overwrite keys; returns them, so that it can be verified that they are gone."""
        with faults_told(self.place):
            found = [key for id in ids if (key := key_of(self.connection, id)) is not None]
            with transaction(self.connection):
                self.connection.executemany("DELETE FROM keys WHERE id = ?", [(id,) for id in ids])
        return found


def key_of(connection: Database | None, id: str) -> bytes | None:
    """The key of this id; None when it is not here."""
    row = connection.execute("SELECT key FROM keys WHERE id = ?", (id,)).fetchone() if connection else None
    return row[0] if row else None


@contextlib.contextmanager
def transaction(connection: Database) -> Iterator[None]:
    """One transaction, taken back when the block fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def in_memory(kind: Kind) -> sqlite3.Connection:
    """A new database that is gone with its connection."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    overwriting(connection)
    establish(connection, kind)
    return connection
