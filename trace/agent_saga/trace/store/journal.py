"""A file of lines that only grows: written at its end, synced, and cut back where a crash left half a line.

Source: docs/spec/store-v1.md, "The file store".
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from agent_saga.trace.store.errors import Busy, Damaged, DiskFault, DiskFull, NotAStore, ReadOnly, StoreError
from agent_saga.trace.store.standing import Standing

_CHUNK: Final = 1 << 20
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED: Final = (errno.EROFS, errno.EACCES, errno.EPERM)


def sync(handle: int) -> None:
    """Return when the file's bytes are on the disk itself: macOS needs its own word for that (fcntl F_FULLFSYNC)."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)


def sync_folder(path: str) -> None:
    """Make the name of a new file durable. Raises OSError."""
    handle = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def told(path: str, fault: OSError) -> StoreError:
    """The store's error for an error of the operating system."""
    why = fault.strerror or str(fault)
    if fault.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotAStore(f"{path}: {why}; a store is made in a folder that is there")
    if fault.errno in _FULL:
        return DiskFull(f"{path}: {why}; nothing was written: make room and append again")
    if fault.errno in _DENIED:
        return ReadOnly(f"{path}: {why}; nothing was written: make the file and its folder writable for this user")
    return DiskFault(f"{path}: {why}; nothing was acknowledged: look at the disk, then open the store again")


class Journal:
    """One file, opened for this process; made when the first line comes. size: its bytes, those that are synced."""

    def __init__(self, path: str, *, private: bool = False, alone: bool = False) -> None:
        """private: a new file is readable by its owner only. alone: made now, and no other process may have it so."""
        self.path, self.size, self._broken = path, 0, ""
        self._mode = 0o600 if private else 0o666
        self._handle = -1
        self._stands: Standing | None = None
        if alone or os.path.exists(path):
            self._open()
        if alone:
            self._lock()

    def _open(self) -> None:
        try:
            new = not os.path.exists(self.path)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, self._mode)
            if new:
                sync_folder(self.path)
            self.size = os.fstat(self._handle).st_size
            self._stands = Standing(self.path)
        except OSError as fault:
            raise told(self.path, fault) from fault

    def _lock(self) -> None:
        import fcntl

        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            self.close()
            raise Busy(f"{self.path}: another process has it open; a file store has one writer, use SQLite") from fault

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each whole line and where it starts; what follows the last LF is left out."""
        start, rest = 0, b""
        for place in range(0, self.size, _CHUNK):
            *lines, rest = (rest + self.at(place, min(_CHUNK, self.size - place))).split(b"\n")
            for line in lines:
                yield start, line
                start += len(line) + 1

    def at(self, place: int, length: int) -> bytes:
        """Bytes that are there. Raises Damaged when they are not."""
        found = os.pread(self._handle, length, place)
        if len(found) != length:
            raise Damaged(f"{self.path}: {length} bytes expected at {place}, found {len(found)}: somebody cut the file")
        return found

    def append(self, lines: Sequence[bytes]) -> None:
        """Write lines at the end and sync. Raises DiskFull, ReadOnly or DiskFault, and then nothing was written.

        Damaged: the file was moved, removed or replaced meanwhile.
        """
        if self._broken:
            raise DiskFault(f"{self.path}: {self._broken}; open the store again")
        if self._handle < 0:
            self._open()
        data = b"".join(line + b"\n" for line in lines)
        try:
            self._write(data)
            sync(self._handle)
        except OSError as fault:
            self._undo(fault)
            raise told(self.path, fault) from fault
        self.size += len(data)
        if self._stands is not None:
            self._stands.check()

    def _write(self, data: bytes) -> None:
        done = 0
        while done < len(data):
            done += os.pwrite(self._handle, data[done : done + _CHUNK], self.size + done)

    def _undo(self, fault: OSError) -> None:
        """Cut off what may stand half written. After a failed sync nobody knows what the disk holds: write no more."""
        if fault.errno not in (*_FULL, *_DENIED):
            self._broken = f"an earlier write failed ({fault.strerror})"
        try:
            self.cut(self.size)
        except OSError as again:
            self._broken = f"an earlier write failed, and its rest could not be cut off ({again.strerror})"

    def replace(self, line: bytes) -> None:
        """Hold this one line and nothing else. Raises as :meth:`append`."""
        if self._handle >= 0:
            with contextlib.suppress(OSError):  # a failure to write shows below
                os.ftruncate(self._handle, 0)
        self.size = 0
        self.append([line])

    def cut(self, size: int) -> None:
        """Keep only the first ``size`` bytes. Raises OSError."""
        os.ftruncate(self._handle, size)
        sync(self._handle)
        self.size = size

    def settle(self) -> int:
        """Cut off what follows the last LF and sync the rest; returns the bytes cut off.

        The sync is for a process that died after it wrote and before it synced: what is read is durable again.
        """
        if self._handle < 0:
            return 0
        whole = 0
        for start, line in self.lines():
            whole = start + len(line) + 1
        torn = self.size - whole
        try:
            self.cut(whole)
        except OSError as fault:
            raise told(self.path, fault) from fault
        return torn

    def close(self) -> None:
        """Let go of the file, and of its lock."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
