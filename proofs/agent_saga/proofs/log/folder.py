"""The folder beside a store where its log lies: tiles, saga index, signed checkpoints.

    orders.db.log/
      tile/0/000 ...        hashes, 256 a file
      index/700             the saga index of the latest checkpoint, an entry a line
      checkpoints/700       every signed checkpoint; one size has one text for ever
      cosigned/700          the same with the signatures of witnesses and monitors that were handed in
      checkpoint            the latest, a copy
      offsets               of a trace file: where each 256th line begins
      lock                  one writer at a time

A file appears whole or not at all: it is written beside its place and then renamed or linked into it. Only full tiles
are written in their place: until the checkpoint that reaches them is signed, nobody reads them, and the next writer
makes them again. What can be made again from the lines (tiles, index, offsets) is not synced; a checkpoint is synced
before anyone is told.

Source: docs/spec/log-v1.md, "On disk".
"""

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.trace.store.journal import sync, sync_folder
from agent_saga.trace.store.postgres.addresses import is_address, masked

SUFFIX: Final = ".log"
"""Behind the store's path: the folder of its log."""

VARIABLE: Final = "AGENT_SAGA_LOG_FOLDER"
"""Names the folder of the log of a store in PostgreSQL."""

REBUILD: Final = "make it again with `agent-saga log checkpoint --rebuild`"
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}").fullmatch
_TEMPORARY: Final = ".new-"
_ASIDE: Final = ".rebuilt"


class NoLog(LogFault):
    """There is no log, or no checkpoint yet, where one was named."""


def place_of(store: str) -> str:
    """The folder of a store's log: beside its file, or where :data:`VARIABLE` says for a store in PostgreSQL.

    Raises LogFault when it does not say.
    """
    if not is_address(store):
        return store + SUFFIX
    if not os.environ.get(VARIABLE):
        raise LogFault(
            f"{masked(store)}: the tiles and checkpoints of its log are files: name their folder in {VARIABLE}, "
            "the same each time"
        )
    return os.environ[VARIABLE]


@contextlib.contextmanager
def faults_told() -> Iterator[None]:
    """Turn errors of the operating system into LogFault: the file, what it said, what to do."""
    try:
        yield
    except OSError as fault:
        raise LogFault(f"{fault.filename or 'the log'}: {fault.strerror or fault}; {_advice(fault)}") from fault


def _advice(fault: OSError) -> str:
    if isinstance(fault, PermissionError) or fault.errno in (30,):
        return "no checkpoint was made: make the log's folder readable and writable for this user"
    if isinstance(fault, FileNotFoundError):
        return f"the file is missing: {REBUILD}"
    return "no checkpoint was made: look at the disk and its room, then run the command again"


class LogFolder:
    """Reads and writes the files of one log. Every method may raise LogFault."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def make(self) -> None:
        """Make the folder, if it is not there."""
        with faults_told():
            for name in ("checkpoints", "index", "tile"):
                (self.path / name).mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """A file, for reading. Raises LogFault for what is no file: a pipe would be waited for, a device never ends."""
        with faults_told(), open(self.path / name, "rb", opener=_at_once) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise LogFault(f"{self.path / name}: is no file: find out who put it there, then {REBUILD}")
            yield stream

    def read(self, name: str, most: int = -1) -> bytes:
        """A file's bytes, at most ``most`` of them."""
        with self.opened(name) as stream:
            return stream.read(most)

    def has(self, name: str) -> bool:
        """Whether the file is there."""
        return os.path.lexists(self.path / name)

    def replace(self, name: str, data: bytes, *, durable: bool = False) -> None:
        """Put a file in its place, over what stands there."""
        with faults_told(), self._written(name, data, durable) as (made, place):
            try:
                os.replace(made, place)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                os.replace(made, place)
            if durable:
                sync_folder(place)

    def put_new(self, name: str, data: bytes) -> None:
        """Put a file where nothing stands, in one go; over what stands there as :meth:`replace` does.

        Who is killed in between leaves it short. So this is for files that no checkpoint reaches yet.
        """
        with faults_told():
            try:
                self._create(name, data)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(os.path.join(self.path, name)), exist_ok=True)
                self._create(name, data)
            except FileExistsError:
                self.replace(name, data)

    def _create(self, name: str, data: bytes) -> None:
        place = os.path.join(self.path, name)
        try:
            _write(place, data, durable=False, how=os.O_EXCL)
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, place) from fault

    def put_once(self, name: str, data: bytes) -> None:
        """Put a file where nothing stands, durably; the same bytes again are harmless, others are refused."""
        with faults_told(), self._written(name, data, durable=True) as (made, place):
            try:
                os.link(made, place)
            except FileExistsError:
                if self.read(name, len(data) + 1) != data:
                    raise LogFault(
                        f"{place}: another checkpoint of this size stands there: two states of one log must never be "
                        "signed. Keep both as evidence, and find out which store was changed"
                    ) from None
            sync_folder(place)

    @contextlib.contextmanager
    def _written(self, name: str, data: bytes, durable: bool) -> Iterator[tuple[str, str]]:
        """The file under a name of its own, and the place where it belongs. It is gone when the block ends."""
        place = os.path.join(self.path, name)
        made = os.path.join(self.path, f"{_TEMPORARY}{os.getpid()}")
        try:
            _write(made, data, durable)
            yield made, place
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, place) from fault
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(made)

    def sizes(self, name: str) -> list[int]:
        """The sizes for which ``checkpoints`` or ``index`` has a file, ascending."""
        with faults_told():
            found = os.listdir(self.path / name) if self.has(name) else []
        return sorted(int(one) for one in found if _SIZE(one))

    def note(self, size: int) -> bytes:
        """The signed checkpoint of this size, as the log signed it."""
        return self.read(f"checkpoints/{size}", MAX_NOTE + 1)

    def cosigned(self, size: int) -> bytes | None:
        """The same with all signatures that were handed in; None when there are none."""
        name = f"cosigned/{size}"
        return self.read(name, MAX_NOTE + 1) if self.has(name) else None

    def remove(self, name: str) -> None:
        """Remove a file that is there, or is not."""
        with faults_told(), contextlib.suppress(FileNotFoundError):
            os.unlink(self.path / name)

    def aside(self) -> "LogFolder":
        """A folder inside of this one, for tiles that are made again beside those that are there."""
        with faults_told():
            (self.path / _ASIDE).mkdir()
        return LogFolder(str(self.path / _ASIDE))

    def adopt(self) -> None:
        """Put the tiles that were made aside, if any, in the place of the others."""
        made = self.path / _ASIDE / "tile"
        if made.is_dir():
            with faults_told():
                shutil.rmtree(self.path / "tile", ignore_errors=True)
                os.rename(made, self.path / "tile")
                os.rmdir(self.path / _ASIDE)

    def sweep(self) -> None:
        """Remove what a writer that was killed left half written. Only for the holder of the lock."""
        with faults_told():
            shutil.rmtree(self.path / _ASIDE, ignore_errors=True)
            for name in os.listdir(self.path):
                if name.startswith(_TEMPORARY):
                    os.unlink(self.path / name)


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever holds the other end."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _write(path: str, data: bytes, durable: bool, how: int = os.O_TRUNC) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o666)
    try:
        done = 0
        while done < len(data):
            done += os.write(handle, data[done:] if done else data)
        if durable:
            sync(handle)
    finally:
        os.close(handle)
