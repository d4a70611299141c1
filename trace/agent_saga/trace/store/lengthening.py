"""Makes SQLite's write-ahead log longer than it is, ahead of the commits that will fill it.

A sync of a file that became longer makes the file system note its new length as well, which takes half as long again,
and on slow disks twice as long. Once SQLite has copied the log into the database it overwrites it from its beginning;
but each process that opens a store alone begins with an empty one. So where commits have filled the log up to its end,
zeros are put behind it, and the next commits overwrite those.

SQLite ends a log at the first frame whose checksum does not fit, and takes one whose header is none for empty: zeros
are neither. They are written by whoever holds the store's write lock, so nobody else writes the log, shortens it or
removes it meanwhile; and SQLite locks nothing in this file, so that closing it loses no lock.

Source: sqlite.org/walformat.html, "File Format Details" and "Recovery"; sqlite.org/fileformat2.html, section 4.
"""

import contextlib
import os
from typing import Final

EVERY: Final = 8
"""Transactions from one look at the log to the next: a command that makes a few never pays for more."""

ROOM: Final = 64 * 4120
"""Bytes that are put behind it: a frame is a page of 4,096 bytes and 24; a step's commit writes three to five."""

LONGEST: Final = 1000 * 4120
"""Bytes from which on it is left alone: by then SQLite copies it into the database and begins it anew."""

FREE: Final = 64 * LONGEST
"""Bytes that the file system must have free: on a full one the log's own frames come first."""


class Lengthening:
    """Of one store's log, by one process."""

    def __init__(self, path: str) -> None:
        """path: of the database."""
        self._log = os.path.realpath(path) + "-wal"
        self._begun = self._length = 0

    def begun(self) -> None:
        """Called by whoever holds the write lock, in each transaction before it writes."""
        self._begun += 1
        if self._begun % EVERY == 0:
            with contextlib.suppress(OSError):  # it is only slower without
                self._look()

    def _look(self) -> None:
        length = os.stat(self._log).st_size
        if self._length < length < LONGEST and _free(self._log) > FREE:
            self._length = length + _lengthen(self._log, length)


def _free(path: str) -> int:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def _lengthen(path: str, length: int) -> int:
    """Put zeros behind the log; returns how many."""
    handle = os.open(path, os.O_WRONLY)
    try:
        return os.pwrite(handle, bytes(ROOM), length)
    finally:
        os.close(handle)
