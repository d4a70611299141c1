"""The vault in PostgreSQL: the same rows, seals and erasures, over connections of its own.

What deletes and seals stands in :mod:`agent_saga.trace.store.vault` and ``erasing``; here are the connections, with the
few words that PostgreSQL spells otherwise. Rows and keys lie in the schema ``agent_saga_vault``, which only the role of
that name reads: a worker that conceals nothing never connects to it.

Source: docs/spec/store-v1.md, "Disclosures" and "The PostgreSQL store".
"""

from collections.abc import Sequence
from typing import Any, Final

from agent_saga.trace.store.errors import ReadOnly, Unreachable
from agent_saga.trace.store.keyring import Keyring, Random
from agent_saga.trace.store.postgres import connecting
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, connect, driver, faults_told
from agent_saga.trace.store.postgres.schema import verify
from agent_saga.trace.store.postgres.writing import durable
from agent_saga.trace.store.sealed import Database, Kept, Values
from agent_saga.trace.store.vault import Vault, opened_rows

_SPELLED: Final = {
    "BEGIN IMMEDIATE": "BEGIN",
    "VACUUM": "VACUUM (FULL) agent_saga_vault.disclosures, agent_saga_vault.keys",
    "PRAGMA wal_checkpoint(TRUNCATE)": "SELECT 0, 0, 0",
}
"""A rewrite leaves no deleted row in the tables; the server's own log and its archive are its administrator's."""
_BEGINS: Final = ("BEGIN IMMEDIATE",)
_ENDS: Final = ("COMMIT", "ROLLBACK")
_SCHEMA: Final = "SET search_path = agent_saga_vault, pg_catalog"


class VaultConnection:
    """A :class:`~agent_saga.trace.store.sealed.Database` over PostgreSQL. Connected again where the server was away."""

    def __init__(self, address: str) -> None:
        """Raises Unreachable, NotAStore, WrongVersion, Damaged."""
        self.place, self._address = masked(address), address
        self._begun = False
        self._connection = self._opened()

    def _opened(self, patience: float = 0.0) -> Connection:
        connection = connect(self._address, patience=patience)
        try:
            verify(connection, self.place)
            durable(connection)
            self._require_right(connection)
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_right(self, connection: Connection) -> None:
        row = connection.execute("SELECT has_schema_privilege('agent_saga_vault', 'USAGE')").fetchone()
        if row is None or not row[0]:
            raise ReadOnly(
                f"{self.place}: this user may neither keep nor read what opens concealed values: grant it "
                "agent_saga_vault, see docs/guide/postgres.md"
            )

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was begun, and the connection still stands."""
        return self._begun and not self._connection.closed

    def execute(self, statement: str, values: Values = ()) -> Any:
        """Run a statement; outside of a transaction once more, where the connection broke. Raises StoreError."""
        whole = not self._begun
        if statement in _ENDS:
            self._begun = False
        try:
            done = self._run(statement, values)
        except Unreachable:
            if not whole:
                raise
            self._connection.close()
            self._connection = self._opened(connecting.PATIENCE)
            done = self._run(statement, values)
        self._begun = self._begun or statement in _BEGINS
        return done

    def _run(self, statement: str, values: Values) -> Any:
        with faults_told(self.place):
            return self._connection.execute(_spelled(statement), values, binary=True)

    def executemany(self, statement: str, rows: Sequence[Values]) -> Any:
        """Run a statement for each row. Raises StoreError."""
        with faults_told(self.place):
            cursor = self._connection.cursor()
            cursor.executemany(_spelled(statement), rows)
            return cursor

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


def _spelled(statement: str) -> Any:
    return _SPELLED.get(statement, statement.replace("?", "%s"))


class PostgresKeyring(Keyring):
    """Keys in the same schema; a new one is durable with what it seals, in one transaction."""

    def __init__(self, connection: Database, place: str, random: Random) -> None:
        self.place, self.connection, self._random = place, connection, random


class PostgresVault(Vault):
    """The disclosures of one store in PostgreSQL, opened for writing."""

    def __init__(self, address: str, random: Random) -> None:
        """Raises as :class:`VaultConnection`."""
        write = VaultConnection(address)
        try:
            read = VaultConnection(address)
        except BaseException:
            write.close()
            raise
        super().__init__(write.place, "", random, write, read)
        self._keys = PostgresKeyring(write, write.place, random)
        self._ring = read

    def _there(self) -> Database:
        return self._ring

    def close_keys(self) -> None:
        """They go with the connections."""


def open_vault(address: str, random: Random) -> PostgresVault:
    """The vault of a store. Raises Unreachable, NotAStore, ReadOnly."""
    driver()
    return PostgresVault(address, random)


def read_kept(address: str, saga: str = "") -> Kept:
    """What is kept of a store's disclosures, of one saga or all. Raises StoreError."""
    which, values = ("WHERE saga = ?", (saga,)) if saga else ("", ())
    connection = VaultConnection(address)
    try:
        return opened_rows(connection, lambda: connection, connection.place, which, values)
    finally:
        connection.close()
