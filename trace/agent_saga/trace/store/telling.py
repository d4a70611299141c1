"""Telling a SQLite database from other files, without loading SQLite for those others.

A database with a write-ahead log beside it may be open in this process, and then must not be opened and closed by
anything but SQLite: closing any handle of a file drops all of the process's locks on it.

Source: sqlite.org/fileformat2.html, section 1.3; sqlite.org/howtocorrupt.html, section 2.2.
"""

import os

from agent_saga.trace.store.marks import ID, MAGIC, STORE


def is_sqlite(path: str) -> bool:
    """Whether a SQLite database stands there, told by its first bytes. Raises OSError when it cannot be read."""
    if not os.path.isfile(path):
        return False
    if has_log(path):
        from agent_saga.trace.store.connecting import is_database

        if is_database(path):
            return True
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def is_store(path: str) -> bool:
    """Whether a store of traces stands there, told by the application id in its header; False for what is unreadable.

    One that is written, or that this process may have open, is asked through SQLite.
    """
    try:
        if has_log(path):
            from agent_saga.trace.store.connecting import is_of_kind

            return is_of_kind(path, STORE)
        with open(path, "rb") as stream:
            head = stream.read(ID.stop)
    except OSError:
        return False
    return head.startswith(MAGIC) and int.from_bytes(head[ID]) == STORE


def has_log(path: str) -> bool:
    """Whether a write-ahead log, its index or a journal stands beside the database: it is, or was, being written."""
    real = os.path.realpath(path)
    return any(os.path.exists(real + end) for end in ("-wal", "-shm", "-journal"))
