"""Opening a store by its place: which engine it takes is told by what stands there, or by the name of a new one."""

import os
import sys
from collections.abc import Callable
from typing import Final

from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.errors import NotAStore, StoreError
from agent_saga.trace.store.file import FileEngine, is_file_store
from agent_saga.trace.store.journal import told
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.memory import MemoryEngine
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.sqlite import SqliteEngine
from agent_saga.trace.store.telling import is_sqlite

MEMORY: Final = ":memory:"
FILE_SUFFIX: Final = ".jsonl"


def open_store(
    place: str | os.PathLike[str], *, create: bool = True, random: Callable[[int], bytes] = os.urandom
) -> LocalStore:
    """Open the store at a path or an address, or ``:memory:``; it takes milliseconds, longer for a long file.

    place: a path, or ``postgresql://...`` for a database that `agent-saga store migrate` was run on.
    create: make one when nothing stands there: a file store for a name that ends in .jsonl, else SQLite.
    random: for the keys and nonces of what it keeps encrypted.
    Raises NotAStore, WrongVersion, ReadOnly, Damaged, Busy, Unreachable, and StoreError on a system without stores.
    """
    return LocalStore(open_engine(os.fspath(place), create=create, random=random))


def open_engine(place: str, *, create: bool = True, random: Callable[[int], bytes] = os.urandom) -> Engine:
    """What :func:`open_store` works with, for callers without an event loop. Raises the same."""
    if place == MEMORY:
        return MemoryEngine(random=random)
    if is_address(place):
        from agent_saga.trace.store.postgres.engine import PostgresEngine

        return PostgresEngine(place, random=random)
    require_locks(sys.platform)
    if not os.path.lexists(place):
        if not create:
            raise NotAStore(f"{place}: no such store")
        return FileEngine(place, random) if place.endswith(FILE_SUFFIX) else SqliteEngine(place, random=random)
    return _existing(place, random)


def require_locks(platform: str) -> None:
    """Raise StoreError on a system whose files have no locks and syncs as stores need them."""
    if platform == "win32":
        raise StoreError("stores need the file locks and syncs of Linux or macOS; on Windows use WSL, or judge exports")


def _existing(place: str, random: Callable[[int], bytes]) -> Engine:
    if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):
        raise NotAStore(f"{place}: a pipe or a device; name a store, or a path where nothing stands")
    try:
        if is_sqlite(place):
            return SqliteEngine(place, make=False, random=random)
        with open(place, "rb") as stream:
            head = stream.read(64)
    except OSError as fault:
        raise told(place, fault) if os.path.isfile(place) else NotAStore(f"{place}: {fault.strerror}") from fault
    if not is_file_store(head) or (not head and not place.endswith(FILE_SUFFIX)):
        found = "an empty file" if not head else "neither a SQLite database nor lines of a trace"
        raise NotAStore(f"{place}: {found}; name a store, or a path where nothing stands")
    return FileEngine(place, random)
