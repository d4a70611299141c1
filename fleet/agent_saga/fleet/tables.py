"""The tables of a memory: made where the file is empty, and never in a database that is something else.

Source: docs/guide/nightly.md.
"""

import re
import sqlite3
from typing import Final

_SCHEMA: Final = """
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL);
CREATE TABLE salts (salt BLOB PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE digests (digest BLOB PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gone (saga TEXT, effect TEXT, line INTEGER NOT NULL, PRIMARY KEY (saga, effect))
  WITHOUT ROWID;
CREATE TABLE reads (saga TEXT, effect TEXT, reader TEXT, by TEXT, line INTEGER NOT NULL,
  PRIMARY KEY (saga, effect, reader, by)) WITHOUT ROWID;
CREATE TABLE children (parent TEXT, effect TEXT, child TEXT, value BLOB NOT NULL,
  PRIMARY KEY (parent, effect, child)) WITHOUT ROWID;
CREATE TABLE burnt (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE signatures (key TEXT, line INTEGER, value BLOB NOT NULL, PRIMARY KEY (key, line))
  WITHOUT ROWID;
CREATE TABLE spends (bound TEXT, key TEXT, at INTEGER, line INTEGER, seconds INTEGER, max INTEGER,
  amount INTEGER, PRIMARY KEY (bound, key, at, line)) WITHOUT ROWID;
CREATE TABLE ended (saga TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE open (line INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
"""
_NAMES: Final = frozenset(re.findall(r"CREATE TABLE (\w+)", _SCHEMA))
_SHOWN: Final = 3
"""Names of tables in a message."""


def prepare(db: sqlite3.Connection) -> None:
    """Make the tables of a new memory. Raises ValueError, and writes nothing, when the file holds anything else."""
    if _found(db) != _NAMES:
        db.execute("BEGIN IMMEDIATE")  # or two that begin at once would each find the other's first tables
        try:
            _make(db, _found(db))
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _make(db: sqlite3.Connection, found: frozenset[str]) -> None:
    if found and found != _NAMES:
        wrong = ", ".join(sorted(found ^ _NAMES)[:_SHOWN])
        raise ValueError(f"it is another database, or damaged: see the tables {wrong}")
    for statement in _SCHEMA.split(";") if not found else ():
        db.execute(statement)


def _found(db: sqlite3.Connection) -> frozenset[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    return frozenset(name for (name,) in rows if not name.startswith("sqlite_"))
