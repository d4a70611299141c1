"""SQLite connections: how they are set, how their errors are told, how a database comes to be.

Source: docs/spec/store-v1.md, "Durability"; sqlite.org/pragma.html, sqlite.org/wal.html, sqlite.org/rescode.html.
"""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.store.base import MAX_VALUE
from agent_saga.trace.store.errors import Busy, Damaged, DiskFault, DiskFull, NotAStore, ReadOnly, StoreError
from agent_saga.trace.store.journal import sync, sync_folder, told
from agent_saga.trace.store.schema import Kind, establish, verify

PATIENCE: Final = 30.0
"""Seconds to wait for another process's transaction: a thousand times what one takes on a slow disk."""

_LONGEST: Final = MAX_VALUE + MAX_LINE
"""Bytes of the longest row that a connection reads or writes."""

_ERRORS: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_FULL: (DiskFull, "nothing was written: make room and append again"),
    sqlite3.SQLITE_READONLY: (ReadOnly, "nothing was written: make the file and its folder writable for this user"),
    sqlite3.SQLITE_CANTOPEN: (ReadOnly, "the file or its -wal and -shm cannot be opened or made in that folder"),
    sqlite3.SQLITE_PERM: (ReadOnly, "nothing was written: make the file and its folder writable for this user"),
    sqlite3.SQLITE_BUSY: (Busy, "another process kept it locked: look for one that hangs in a transaction"),
    sqlite3.SQLITE_LOCKED: (Busy, "another connection kept it locked"),
    sqlite3.SQLITE_IOERR: (DiskFault, "nothing was acknowledged: look at the disk and its limits"),
    sqlite3.SQLITE_CORRUPT: (Damaged, "restore it from a backup, and keep what is there as evidence"),
    sqlite3.SQLITE_NOTADB: (NotAStore, "not a SQLite database"),
    sqlite3.SQLITE_CONSTRAINT: (Damaged, "its tables contradict each other"),
}


class _Told:
    """As a class: a generator costs three times as much, and a commit needs two."""

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, fault: BaseException | None, trace: Any) -> None:
        if isinstance(fault, sqlite3.Error):
            code = getattr(fault, "sqlite_errorcode", None) or 0
            error, advice = _ERRORS.get(code & 0xFF, (StoreError, "unexpected"))
            name = getattr(fault, "sqlite_errorname", "SQLite")
            raise error(f"{self._place}: {fault} ({name}); {advice}") from fault


def faults_told(place: str) -> _Told:
    """Turn SQLite's errors into the store's."""
    return _Told(place)


def connect(path: str, kind: Kind, *, writable: bool = True) -> sqlite3.Connection:
    """Open a database that is there, and make sure that it is of this kind. Raises StoreError.

    writable: synced at each commit, on macOS down to the disk itself. It may be used from any one thread at a time.
    """
    mode = "rw" if writable else "ro"
    with faults_told(path):
        connection = opened(path, f"mode={mode}")
        try:
            verify(connection, kind, path)
            if writable:
                _set_for_writing(connection, path, kind)
        except BaseException:
            connection.close()
            raise
    return connection


def opened(path: str, how: str) -> sqlite3.Connection:
    """A connection that begins no transaction by itself and trusts no schema. how: parameters of the file URI."""
    uri = f"file:{quote(os.path.abspath(path))}?{how}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _set_for_writing(connection: sqlite3.Connection, path: str, kind: Kind) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
        raise StoreError(f"{path}: SQLite cannot keep a write-ahead log there; use a file system of this machine")
    for setting in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"):
        connection.execute(f"PRAGMA {setting}")
    if kind.private:
        overwriting(connection)


def overwriting(connection: sqlite3.Connection) -> None:
    """What is deleted is overwritten, and nothing private passes through a temporary file."""
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")


def create(path: str, kind: Kind) -> None:
    """Make a new database, whole or not at all; nothing happens when something stands there. Raises StoreError."""
    if os.path.lexists(path):
        return
    with workshop(path) as place, contextlib.suppress(FileExistsError):  # another process was quicker
        touch(place, private=kind.private)
        _fill(place, kind)
        os.link(place, path)
        sync_folder(path)


@contextlib.contextmanager
def workshop(path: str) -> Iterator[str]:
    """A place where a file is made that is then linked to the path, so that no process ever sees half of one.

    It lies in a folder beside the path that is gone when the block ends. Raises StoreError for the block's OSErrors.
    """
    folder, name = os.path.split(os.path.abspath(path))
    try:
        with tempfile.TemporaryDirectory(prefix=f".{name[:64]}.", dir=folder) as inner:
            yield os.path.join(inner, "new")
    except OSError as fault:
        raise told(path, fault) from fault


def touch(path: str, *, private: bool) -> None:
    """An empty file, with the permissions that a new one has here, or readable by its owner only. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600 if private else 0o666))


def _fill(path: str, kind: Kind) -> None:
    with faults_told(path), contextlib.closing(opened(path, "mode=rw")) as connection:
        _set_for_writing(connection, path, kind)
        establish(connection, kind)


def sync_log(path: str) -> None:
    """Sync a write-ahead log that a process left which died between writing and syncing. Raises StoreError."""
    try:
        handle = os.open(os.path.realpath(path) + "-wal", os.O_RDONLY)
    except OSError:
        return  # there is none
    try:
        sync(handle)
    except OSError as fault:
        raise told(path, fault) from fault
    finally:
        os.close(handle)


def is_database(path: str) -> bool:
    """Whether SQLite itself takes the file for a database."""
    try:
        with contextlib.closing(opened(path, "mode=ro")) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error as fault:
        code = getattr(fault, "sqlite_errorcode", None) or 0
        return code & 0xFF not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN)
    return True


def is_of_kind(path: str, number: int) -> bool:
    """Whether a database has this application id; one that does not say so now counts, so that opening it says why."""
    try:
        with contextlib.closing(opened(path, "mode=ro")) as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            return bool(connection.execute("PRAGMA application_id").fetchone() == (number,))
    except sqlite3.Error:
        return is_database(path)
