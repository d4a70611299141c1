"""The tables of a SQLite store, and the way from one version to the next.

A database is ours when its application id, its schema version and the text of every table, index and trigger are those
of this module: a store whose triggers were dropped is none.

Source: docs/spec/store-v1.md, "The SQLite store".
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.trace.store.errors import Damaged, NotAStore, WrongVersion
from agent_saga.trace.store.marks import STORE

_LINES: Final = (
    """CREATE TABLE lines (
  idx INTEGER PRIMARY KEY CHECK (idx >= 0),
  saga TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  line BLOB NOT NULL CHECK (typeof(line) = 'blob'),
  UNIQUE (saga, seq)
)""",
    """CREATE TABLE sagas (
  first INTEGER PRIMARY KEY,
  saga TEXT NOT NULL UNIQUE,
  ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1))
)""",
    "CREATE INDEX sagas_open ON sagas (first) WHERE ended = 0",
    """CREATE TABLE leases (
  saga TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  until REAL NOT NULL
) WITHOUT ROWID""",
    """CREATE TRIGGER lines_no_update BEFORE UPDATE ON lines
BEGIN SELECT RAISE(ABORT, 'lines are append-only'); END""",
    """CREATE TRIGGER lines_no_delete BEFORE DELETE ON lines
BEGIN SELECT RAISE(ABORT, 'lines are append-only'); END""",
    """CREATE TRIGGER lines_no_gap BEFORE INSERT ON lines
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM lines)
  OR EXISTS (SELECT 1 FROM lines WHERE saga = NEW.saga AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'lines are append-only and without gaps'); END""",
    """CREATE TRIGGER sagas_end BEFORE UPDATE ON sagas
WHEN NEW.first IS NOT OLD.first OR NEW.saga IS NOT OLD.saga OR NEW.ended < OLD.ended
BEGIN SELECT RAISE(ABORT, 'a saga only ends'); END""",
    """CREATE TRIGGER sagas_no_delete BEFORE DELETE ON sagas
BEGIN SELECT RAISE(ABORT, 'a saga only ends'); END""",
    """CREATE TRIGGER leases_forward BEFORE UPDATE ON leases WHEN NEW.token < OLD.token
BEGIN SELECT RAISE(ABORT, 'tokens only grow'); END""",
    """CREATE TRIGGER leases_no_delete BEFORE DELETE ON leases
BEGIN SELECT RAISE(ABORT, 'tokens only grow'); END""",
)
_SPENDS: Final = (
    """CREATE TABLE spends (
  lim TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  saga TEXT NOT NULL,
  seq INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (lim, key, at, saga, seq)
) WITHOUT ROWID""",
    """CREATE TRIGGER spends_of_lines BEFORE INSERT ON spends
WHEN NOT EXISTS (SELECT 1 FROM lines WHERE saga = NEW.saga AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'only a line that is there has spent'); END""",
    """CREATE TRIGGER spends_no_update BEFORE UPDATE ON spends
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END""",
    """CREATE TRIGGER spends_no_delete BEFORE DELETE ON spends
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END""",
)
_SEALED: Final = (
    """CREATE TABLE disclosures (
  n INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  saga TEXT NOT NULL,
  subject TEXT NOT NULL,
  key TEXT NOT NULL,
  sealed BLOB NOT NULL CHECK (typeof(sealed) = 'blob')
)""",
    "CREATE INDEX disclosures_saga ON disclosures (saga)",
    "CREATE INDEX disclosures_subject ON disclosures (subject)",
    """CREATE TABLE erased (
  digest TEXT PRIMARY KEY,
  saga TEXT NOT NULL,
  subject TEXT NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE holds (
  saga TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  since REAL NOT NULL
) WITHOUT ROWID""",
    """CREATE TRIGGER erased_no_update BEFORE UPDATE ON erased
BEGIN SELECT RAISE(ABORT, 'what was erased stays told'); END""",
    """CREATE TRIGGER erased_no_delete BEFORE DELETE ON erased
BEGIN SELECT RAISE(ABORT, 'what was erased stays told'); END""",
    """CREATE TRIGGER disclosures_stay_erased BEFORE INSERT ON disclosures
WHEN EXISTS (SELECT 1 FROM erased WHERE digest = NEW.digest)
BEGIN SELECT RAISE(IGNORE); END""",
    """CREATE TRIGGER disclosures_held BEFORE DELETE ON disclosures
WHEN EXISTS (SELECT 1 FROM holds WHERE saga = OLD.saga)
BEGIN SELECT RAISE(ABORT, 'the saga is under legal hold'); END""",
)
_MEMORY: Final = """CREATE TABLE memory (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
)"""
_KEYS: Final = (
    """CREATE TABLE keys (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL,
  key BLOB NOT NULL CHECK (typeof(key) = 'blob' AND length(key) = 32)
)""",
    "CREATE INDEX keys_subject ON keys (subject)",
    """CREATE TRIGGER keys_no_update BEFORE UPDATE ON keys
BEGIN SELECT RAISE(ABORT, 'a key is made and destroyed, never changed'); END""",
)
CLEAR: Final = "disclosures_1"
"""During a migration from version 1: the disclosures as that version had them, in clear."""

_SEAL: Final = (f"ALTER TABLE disclosures RENAME TO {CLEAR}", "DROP INDEX disclosures_saga", *_SEALED)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of database. id: ``PRAGMA application_id``. statements: what makes it, in order."""

    name: str
    id: int
    statements: tuple[str, ...]
    migrations: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For each version from 1 on, what the step to the next one does, in words and in SQL."""
    readable: tuple[tuple[str, ...], ...] = ()
    """For each version from 1 on that can still be read as it is, its statements."""
    private: bool = False
    """Readable by its owner only; what is deleted in it is overwritten."""

    @property
    def version(self) -> int:
        """``PRAGMA user_version`` of those that this release reads and writes."""
        return 1 + len(self.migrations)


LINES: Final = Kind(
    "an agent-saga store",
    STORE,
    (*_LINES, *_SPENDS),
    (("what lines take from limits is kept with them", _SPENDS),),
    readable=(_LINES,),
)
PRIVATE: Final = Kind(
    "the disclosures of an agent-saga store",
    int.from_bytes(b"ASgp"),
    (*_SEALED, _MEMORY),
    (("each disclosure is encrypted under a key of its subject, kept apart", _SEAL),),
    private=True,
)
KEYS: Final = Kind("the keys to the disclosures of an agent-saga store", int.from_bytes(b"ASgk"), _KEYS, private=True)


def verify(connection: sqlite3.Connection, kind: Kind, place: str, *, reading: bool = False) -> None:
    """Raise NotAStore, WrongVersion or Damaged unless the database is of this kind and version.

    reading: an older version will do as well, where all that is read stands there alike.
    """
    version = version_of(connection, kind, place)
    if reading and 0 < version <= len(kind.readable):
        _same(connection, kind.readable[version - 1], version, place)
        return
    if version > kind.version:
        raise WrongVersion(f"{place}: schema {version}, this release knows {kind.version}: install a newer agent-saga")
    if version < kind.version:
        store = place.removesuffix(".disclosures")
        raise WrongVersion(
            f"{place}: schema {version}, this release needs {kind.version}: run `agent-saga store migrate {store}`, "
            "with --dry-run first"
        )
    _same(connection, kind.statements, version, place)


def _same(connection: sqlite3.Connection, statements: Sequence[str], version: int, place: str) -> None:
    differing = sorted(set(statements) ^ set(_objects(connection)))
    if differing:
        names = ", ".join(" ".join(text.split()[1:3]) for text in differing)
        raise Damaged(f"{place}: not the tables of schema {version} (see {names}): somebody changed them; restore it")


def version_of(connection: sqlite3.Connection, kind: Kind, place: str) -> int:
    """The schema version of a database of this kind. Raises NotAStore for any other."""
    found = _pragma(connection, "application_id")
    if found != kind.id:
        raise NotAStore(f"{place}: a SQLite database, but not {kind.name}: application id {found}, expected {kind.id}")
    return _pragma(connection, "user_version")


def establish(connection: sqlite3.Connection, kind: Kind) -> None:
    """Make the tables in an empty database, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in kind.statements:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {kind.id}")
    connection.execute(f"PRAGMA user_version = {kind.version}")
    connection.execute("COMMIT")


def migrate(
    connection: sqlite3.Connection,
    kind: Kind,
    place: str,
    *,
    dry_run: bool,
    fill: Callable[[sqlite3.Connection], None] | None = None,
) -> Sequence[str]:
    """Bring a database to this release's version; returns each step in words. dry_run: try all of it, keep nothing.

    fill: does what SQL alone cannot, after the steps and in their transaction; not called when there are none.
    Raises NotAStore, WrongVersion (it is newer) and Damaged (the steps do not lead to this release's tables).
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_of(connection, kind, place)
        steps = kind.migrations[version - 1 :] if version < kind.version else ()
        for _, statements in steps:
            for statement in statements:
                connection.execute(statement)
        if steps:
            if fill is not None:
                fill(connection)
            connection.execute(f"PRAGMA user_version = {kind.version}")
        verify(connection, kind, place)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("ROLLBACK" if dry_run else "COMMIT")
    return [f"schema {number}: {words}" for number, (words, _) in enumerate(steps, version + 1)]


def _objects(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return [sql for (sql,) in rows]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
