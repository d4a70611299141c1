"""The way of a store to the schema of this release: all of it or nothing, and first without keeping anything.

Version 1 of the disclosures, and the text file that file stores had, held values in clear. They are encrypted, and what
stood there in clear is overwritten.

Source: docs/spec/store-v1.md, "Versions".
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from agent_saga.trace.conceal import digest_of
from agent_saga.trace.heads import claimed
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import schema
from agent_saga.trace.store.base import Disclosure
from agent_saga.trace.store.connecting import connect, create, faults_told, opened, overwriting, workshop
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.journal import Journal, sync, sync_folder, told
from agent_saga.trace.store.keyring import Random, transaction
from agent_saga.trace.store.ledger import digests_on
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.scrubbing import scrub
from agent_saga.trace.store.telling import is_sqlite
from agent_saga.trace.store.vault import DISCLOSURES, KEYS_END, Vault

_ZEROS: Final = bytes(1 << 16)


def migrate(path: str, *, dry_run: bool, random: Random = os.urandom) -> Sequence[str]:
    """Bring a store and its disclosures to this release's schema; returns the steps. Raises StoreError.

    dry_run: try every step and take it back. random: for the keys and nonces of what is encrypted.
    """
    if is_address(path):
        from agent_saga.trace.store.postgres.schema import migrate as of_postgres

        return of_postgres(path, dry_run=dry_run)
    real = os.path.realpath(path)
    if not is_sqlite(path):
        return _migrate_file(path, real, dry_run, random)
    steps = list(_migrate_lines(path, dry_run))
    if os.path.exists(real + DISCLOSURES):
        steps += _migrate_private(real, dry_run, random)
    return steps


def _migrate_lines(path: str, dry_run: bool) -> Sequence[str]:
    with faults_told(path), contextlib.closing(opened(path, "mode=rw")) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        return schema.migrate(connection, schema.LINES, path, dry_run=dry_run)


def _migrate_private(real: str, dry_run: bool, random: Random) -> Sequence[str]:
    path = real + DISCLOSURES
    with faults_told(path), contextlib.closing(opened(path, "mode=rw")) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        overwriting(connection)
        with _sealing(real, dry_run, random, connection) as vault:
            steps = schema.migrate(connection, schema.PRIVATE, path, dry_run=dry_run, fill=vault.fill)
        if not dry_run:  # also without steps: it may be the second run after one that was killed
            scrub(connection, path)
    return steps


@contextlib.contextmanager
def _sealing(real: str, dry_run: bool, random: Random, connection: sqlite3.Connection) -> Iterator[Vault]:
    """A vault over an open database. dry_run: its keys are kept in memory only."""
    vault = Vault(real + DISCLOSURES, "" if dry_run else real + KEYS_END, random, connection, connection)
    try:
        yield vault
    finally:
        vault.close_keys()


def _migrate_file(path: str, real: str, dry_run: bool, random: Random) -> Sequence[str]:
    """A file store has no schema, but its disclosures have."""
    beside = real + DISCLOSURES
    if not os.path.exists(beside):
        raise StoreError(f"{path}: no SQLite store, and no disclosures beside it; only those have a schema")
    if is_sqlite(beside):
        return _migrate_private(real, dry_run, random)
    lock = Journal(path, alone=True)
    try:
        with open(beside, "r+b") as clear, workshop(beside) as place:
            kept = _sealed(path, place, clear.read().decode("ascii").split(), real, dry_run, random)
            if not dry_run:
                os.replace(place, beside)
                sync_folder(beside)
                _overwrite(clear.fileno())
    except OSError as fault:
        raise told(beside, fault) from fault
    finally:
        lock.close()
    return [f"schema {schema.PRIVATE.version}: {schema.PRIVATE.migrations[0][0]} (disclosures: {kept})"]


def _sealed(path: str, place: str, texts: Sequence[str], real: str, dry_run: bool, random: Random) -> int:
    """Make the database of what opens a value on the lines; returns how many there are."""
    sagas: dict[str, str] = {}
    for line in open_input(path).lines():
        saga, _ = claimed(line) or ("", 0)
        sagas |= dict.fromkeys(digests_on(line), saga)
    found = [Disclosure(sagas[d], text) for text in texts if (d := digest_of(text)) in sagas]
    create(place, schema.PRIVATE)
    with faults_told(place), contextlib.closing(connect(place, schema.PRIVATE)) as connection:
        with _sealing(real, dry_run, random, connection) as vault, transaction(connection):
            vault.put(found)
        scrub(connection, place)
        connection.execute("PRAGMA journal_mode = DELETE")
    return len(found)


def _overwrite(handle: int) -> None:
    """Zeros over a file that has no name any more. Raises OSError."""
    size = os.fstat(handle).st_size
    for place in range(0, size, len(_ZEROS)):
        os.pwrite(handle, _ZEROS[: size - place], place)
    sync(handle)
