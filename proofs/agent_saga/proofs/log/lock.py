"""One writer of a log at a time, told apart by a lock that dies with its process.

Source: flock(2); docs/spec/log-v1.md, "On disk".
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Final

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.log.folder import LogFolder, faults_told

_MOST: Final = 200


class Locked(LogFault):
    """Another process is writing this log."""


@contextlib.contextmanager
def locked(folder: LogFolder, name: str = "lock") -> Iterator[None]:
    """Be the only writer while the block runs. Raises Locked at once, saying who it is; LogFault."""
    import fcntl  # only here: judging works on systems without it

    with faults_told():
        handle = os.open(folder.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            holder = os.pread(handle, _MOST, 0).decode("utf-8", "replace").strip() or "another process"
            raise Locked(f"{folder.path}: {holder} is writing there; wait until it is done") from fault
        with faults_told():
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
