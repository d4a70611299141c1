"""The place of a store: can it be read, can its folder be written and synced, and does the clock agree with both.

Nothing stays behind: what is written is one file of a few thousand bytes in the store's folder, removed at once. The
store itself is only read.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent_saga.runtime.doctor.trial import Outcome, Trial, judged
from agent_saga.runtime.times import instant
from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.errors import NotAStore
from agent_saga.trace.store.file import is_file_store
from agent_saga.trace.store.following import lines_since
from agent_saga.trace.store.journal import sync, sync_folder
from agent_saga.trace.store.opening import FILE_SUFFIX
from agent_saga.trace.store.replay import Summary, summaries
from agent_saga.trace.store.telling import is_sqlite

EARLIEST: Final = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
"""Seconds since 1970: no release is older, so a clock that says so was never set."""
SKEW: Final = 5.0
"""Seconds by which two clocks may differ: a sixth of a lease, so that its end is the same for all who watch it."""
_BYTES: Final = 4096

_READ = "The store can be read, every line of it."
_WRITE = "The store and its folder can be written."
_SYNC = "What is written is synced to the disk."
_CLOCK = "The clock is set, and agrees with the disk's and with the newest line."


def examine_place(place: Path, now: Callable[[], float]) -> list[Trial]:
    """Look at the path of a store, or where one would be made. now: seconds since 1970, as :func:`time.time`.

    Raises NotAStore and SourceError when what stands there is no store, or cannot be read at all.
    """
    rows = _rows(place)
    write, synced, stamp = _written(place)
    return [_readable(place, rows), write, synced, _clock(now(), stamp, max((row.last_at for row in rows), default=""))]


def _rows(place: Path) -> list[Summary]:
    """The sagas of the store, [] when there is none yet."""
    name = str(place)
    if not os.path.lexists(name):
        if not place.absolute().parent.is_dir():
            raise NotAStore(f"{name}: no such folder; a store is made in a folder that is there")
        return []
    if not place.is_file():
        raise NotAStore(f"{name}: is no file; name a store, or a path where nothing stands")
    try:
        if not is_sqlite(name):
            _require_file_store(place)
        return summaries(lines_since(name, 0))
    except OSError as fault:
        raise SourceError(f"{name}: cannot be read: {fault.strerror or fault}") from fault


def _require_file_store(place: Path) -> None:
    """As opening it would: an empty file is a store only under the name of one."""
    with place.open("rb") as stream:
        head = stream.read(64)
    if not is_file_store(head) or (not head and place.suffix != FILE_SUFFIX):
        found = "neither a SQLite database nor lines of a trace" if head else "an empty file"
        raise NotAStore(f"{place}: {found}; name a store, or a path where nothing stands")


def _torn(place: Path) -> bool:
    """Whether a file store ends inside a line, which opening it cuts off: nobody was told that it is kept."""
    if not place.is_file() or is_sqlite(str(place)) or not place.stat().st_size:
        return False
    with place.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) != b"\n"


def _readable(place: Path, rows: list[Summary]) -> Trial:
    bad = sum(row.bad for row in rows)
    lines, still = sum(row.lines for row in rows), sum(not row.ended for row in rows)
    found = f"{lines} lines of {len(rows)} sagas, {still} of them open" if rows else "no line yet"
    if _torn(place):
        found += "; it ends inside a line that nobody was told of, which is cut off when it is opened"
    if bad:
        found = f"{bad} of {lines} lines cannot be read"
    todo = f"`agent-saga certify {place}` says which; restore a backup, and keep what is there as evidence"
    return judged("store", _READ, not bad, found, todo)


def _written(place: Path) -> tuple[Trial, Trial, float | None]:
    """Whether it can be written, whether it is synced, and what the disk's clock said (None: not known)."""
    folder = place.absolute().parent
    unknown = Trial("fsync", _SYNC, Outcome.UNPROBED, "nothing could be written", "mend the folder first")
    if place.exists() and not os.access(place, os.W_OK):
        todo = "make the file and its folder writable for this user"
        return judged("write", _WRITE, False, f"{place} is read-only", todo), unknown, None
    try:
        handle, name = tempfile.mkstemp(prefix=".agent-saga-doctor-", dir=folder)
    except OSError as fault:
        todo = "make the folder writable for this user: SQLite makes -wal and -shm beside the store"
        return judged("write", _WRITE, False, f"{folder}: {fault.strerror}", todo), unknown, None
    try:
        return _synced(handle, name)
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)


def _synced(handle: int, name: str) -> tuple[Trial, Trial, float | None]:
    unknown = Trial("fsync", _SYNC, Outcome.UNPROBED, "nothing could be written", "make room first")
    try:
        os.write(handle, bytes(_BYTES))
    except OSError as fault:
        return judged("write", _WRITE, False, str(fault.strerror), "make room on the disk"), unknown, None
    write = judged("write", _WRITE, True, f"{_BYTES} bytes were written beside it and removed", "")
    start = time.perf_counter()
    try:
        sync(handle)
        sync_folder(name)
    except OSError as fault:
        todo = "keep the store on a disk of this machine that syncs: nothing is durable here"
        return write, judged("fsync", _SYNC, False, str(fault.strerror), todo), None
    took = (time.perf_counter() - start) * 1000
    return write, judged("fsync", _SYNC, True, f"file and folder in {took:.1f} ms", ""), os.fstat(handle).st_mtime


def _clock(now: float, stamp: float | None, newest: str) -> Trial:
    """Compare the clock with the oldest it can be, the disk's and the newest line's."""
    if stamp is None:
        return Trial("clock", _CLOCK, Outcome.UNPROBED, "the disk's clock is not known", "mend the folder first")
    said = instant(datetime.fromtimestamp(now, UTC))
    if now < EARLIEST:
        return judged("clock", _CLOCK, False, f"the clock says {said}", "set the clock, and keep it set (NTP)")
    if abs(now - stamp) > SKEW:
        found = f"the clock says {said}, the disk's {instant(datetime.fromtimestamp(stamp, UTC))}"
        return judged("clock", _CLOCK, False, found, "set both clocks by NTP: leases end by the clock")
    if newest and datetime.fromisoformat(newest).timestamp() > now + SKEW:
        found = f"the clock says {said}, the newest line {newest}"
        return judged(
            "clock", _CLOCK, False, found, "set the clock: certify refuses a saga whose time goes back (AS108)"
        )
    return judged("clock", _CLOCK, True, said, "")
