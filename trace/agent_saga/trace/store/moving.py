"""Moving whole stores: export and import of the exact bytes, a backup while others write, the way to a new schema.

These run without an event loop, each in one transaction. Nothing is ever written over.

Source: docs/spec/store-v1.md, "Moving".
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import IO, NamedTuple

from agent_saga.trace.conceal import digest_of
from agent_saga.trace.heads import claimed
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import ledger, schema
from agent_saga.trace.store.base import Disclosure, NewLine
from agent_saga.trace.store.connecting import connect, faults_told, opened, touch, workshop
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.errors import BadLine, ReadOnly, Refusal, StoreError
from agent_saga.trace.store.journal import sync, sync_folder, told
from agent_saga.trace.store.kept import read_kept
from agent_saga.trace.store.ledger import digests_on
from agent_saga.trace.store.migrating import migrate
from agent_saga.trace.store.postgres.addresses import is_address, masked
from agent_saga.trace.store.telling import is_sqlite
from agent_saga.trace.store.vault import DISCLOSURES, KEYS_END


class Moved(NamedTuple):
    """What was written: how many lines and bytes, and the SHA-256 of the bytes in hex."""

    lines: int
    size: int
    sha256: str


def export(path: str, out: IO[bytes]) -> Moved:
    """Write the lines of a store, or of a trace, as they are. Raises SourceError, and StoreError when it breaks off."""
    source = open_input(path)
    lines = size = 0
    digest = sha256()
    for chunk in source.chunks():
        out.write(chunk)
        lines, size = lines + chunk.count(b"\n"), size + len(chunk)
        digest.update(chunk)
    if source.truncated:
        raise StoreError(f"{path}: {source.truncated}; what was written is not the whole")
    return Moved(lines, size, digest.hexdigest())


def disclosures_of(path: str) -> Iterator[str]:
    """The Ds kept beside a store that open a value on its lines, in the order in which they came."""
    due = {digest for line in open_input(path).lines() for digest in digests_on(line)}
    for text in read_kept(path).texts:
        if digest_of(text) in due:
            yield text


def disclosures_beside(path: str) -> list[str]:
    """All Ds kept beside a store, whether or not a line of it needs them. Raises StoreError, OSError."""
    return read_kept(path).texts


def disclosures_for(path: str, saga: str) -> list[str]:
    """The Ds kept beside a store for one saga; where they are kept in clear, those of all sagas."""
    return read_kept(path, saga).texts


@contextlib.contextmanager
def new_file(path: str, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A file that is synced when the block ends, and gone when it fails. Raises StoreError when something is there.

    private: readable by its owner only.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    except FileExistsError as fault:
        raise _taken(path) from fault
    except OSError as fault:
        raise told(path, fault) from fault
    with open(handle, "wb") as stream:
        try:
            yield stream
            stream.flush()
            sync(handle)
        except OSError as fault:
            os.unlink(path)
            raise told(path, fault) from fault
        except BaseException:
            os.unlink(path)
            raise
    sync_folder(path)


def _taken(path: str) -> StoreError:
    return StoreError(f"{path}: there is something already; name a new file, nothing is written over")


def import_lines(engine: Engine, path: str, texts: Iterable[str] = ()) -> tuple[int, int]:
    """Append a trace to a store, all of it or nothing; returns how many lines are new and how many were there.

    path: a trace, compressed or not, or a store. texts: Ds; those that open nothing on the lines are left out.
    The whole trace is held in memory. Raises SourceError, and Refusal naming the line that does not fit.
    """
    source = open_input(path)
    by_digest = {digest_of(text): text for text in texts}
    draft = Draft(engine.begin())
    try:
        number = 0
        *lines, rest = source.lines()
        if rest or source.truncated:
            raise BadLine(f"{path}: {source.truncated or 'the last line has no LF'}; import a whole file")
        for number, line in enumerate(lines, 1):
            _draft_one(draft, line, f"{path}:{number}", by_digest)
        engine.commit(draft)
    except BaseException:
        engine.rollback()
        raise
    return len(draft.lines), number - len(draft.lines)


def _draft_one(draft: Draft, line: bytes, place: str, by_digest: dict[str, str]) -> None:
    saga, seq = claimed(line) or ("", 0)
    found = [Disclosure(saga, by_digest[digest]) for digest in digests_on(line) if digest in by_digest]
    try:
        ledger.append(draft, [ledger.parse(NewLine(saga, seq, line))], found, None)
    except Refusal as fault:
        raise type(fault)(f"{place}: {fault}; nothing was imported") from fault


def back_up(path: str, target: str, keys: str = "") -> None:
    """Copy a SQLite store and its disclosures to new files, as of one moment each, while others write.

    The lines come first, so that no line is in the copy without what opens it. keys: where the keys go as well; without
    them the disclosures of the copy are unreadable, and a later erasure erases them too. Raises StoreError.
    """
    if is_address(path):
        raise StoreError(f'{masked(path)}: PostgreSQL backs up itself: see docs/guide/postgres.md, "Backup"')
    if not is_sqlite(path):
        raise StoreError(f"{path}: no SQLite store; a file store is backed up by exporting it")
    beside = os.path.realpath(path) + DISCLOSURES
    pairs = [(path, target, schema.LINES)]
    if os.path.exists(beside):
        pairs.append((beside, target + DISCLOSURES, schema.PRIVATE))
    if keys and os.path.exists(os.path.realpath(path) + KEYS_END):
        pairs.append((os.path.realpath(path) + KEYS_END, keys, schema.KEYS))
    with contextlib.ExitStack() as stack:
        _put([(_copied(stack.enter_context(workshop(copy)), source, kind), copy) for source, copy, kind in pairs])


def _copied(place: str, source: str, kind: schema.Kind) -> str:
    """Copy a database to a place where nothing stands; returns the place."""
    touch(place, private=kind.private)
    with faults_told(source), contextlib.closing(opened(place, "mode=rw")) as copy:
        with contextlib.closing(_owned(source, kind)) as connection:
            connection.backup(copy)
        schema.verify(copy, kind, source)
    return place


def _put(copies: Sequence[tuple[str, str]]) -> None:
    """Link each copy to its target, the last one first; none stays when one cannot be put."""
    with contextlib.ExitStack() as undo:
        for place, target in reversed(copies):
            try:
                os.link(place, target)
            except FileExistsError as fault:
                raise _taken(target) from fault
            undo.callback(os.unlink, target)
            sync_folder(target)
        undo.pop_all()


def _owned(path: str, kind: schema.Kind) -> sqlite3.Connection:
    """A connection that writes where it may: one that cannot would leave its log files beside the store."""
    try:
        return connect(path, kind)
    except ReadOnly:
        return connect(path, kind, writable=False)


__all__ = [
    "Moved",
    "back_up",
    "disclosures_beside",
    "disclosures_for",
    "disclosures_of",
    "export",
    "import_lines",
    "migrate",
    "new_file",
]
