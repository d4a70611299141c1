"""How this process locks a SQLite store against other writers: waiting for them, or at once or not at all.

Who does not wait also leaves the write-ahead log to who does: copying it into the database takes several syncs.

Source: docs/spec/store-v1.md, "Durability"; sqlite.org/c3ref/busy_timeout.html, sqlite.org/wal.html.
"""

import sqlite3
from typing import Final

from agent_saga.trace.store.connecting import PATIENCE

LONG: Final = 1000
"""Pages of a write-ahead log from which on a commit copies them into the database: SQLite's own default."""

AHEAD: Final = 350
"""Transactions at once until one has to wait: of a step each, which is some three pages, they fill such a log."""


class Lock:
    """The lock of the store, for one connection. Both ways raise sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._patient = True
        self._ahead = 0

    def wait(self) -> None:
        """Begin a transaction once nobody else is in one; its commit copies a long log into the database."""
        self._ahead = 0
        self._begin(True)

    def at_once(self) -> bool:
        """Begin a transaction, or not: when another process is in one, or none has waited for long."""
        if self._ahead >= AHEAD:
            return False
        self._ahead += 1
        try:
            self._begin(False)
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        return True

    def _begin(self, patient: bool) -> None:
        if self._patient is not patient:
            self._connection.execute(f"PRAGMA busy_timeout = {round(PATIENCE * 1000) if patient else 0}")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {LONG if patient else 0}")
            self._patient = patient
        self._connection.execute("BEGIN IMMEDIATE")
