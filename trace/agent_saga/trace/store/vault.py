"""The vault: what opens concealed values, encrypted under a key of its subject; the keys lie in a database apart.

A D is sealed with AES-256-GCM under a fresh nonce, bound to its DIGEST and its subject. Who has the disclosures without
the keys has nothing, be it a backup that nobody finds any more: destroying a key erases all copies of what it sealed.

This is the one module of the store that encrypts.

Source: docs/spec/store-v1.md, "Disclosures"; NIST SP 800-38D.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from agent_saga.trace.conceal import digest_of
from agent_saga.trace.store.base import Disclosure
from agent_saga.trace.store.connecting import connect, create, faults_told, sync_log
from agent_saga.trace.store.errors import Damaged, WrongVersion
from agent_saga.trace.store.keyring import Keyring, Random, in_memory, key_of, transaction
from agent_saga.trace.store.schema import CLEAR, PRIVATE
from agent_saga.trace.store.sealed import Database, Erased, Hold, Kept, Row, Values, select
from agent_saga.trace.store.telling import is_sqlite
from agent_saga.trace.values import dumps

DISCLOSURES: Final = ".disclosures"
"""Behind a store's path: the database of sealed disclosures."""
KEYS_END: Final = ".keys"
"""Behind a store's path: the database of their keys."""

_LABEL: Final = "agent-saga/disclosure/v2"
_NONCE: Final = 12
"""Bytes of a nonce: the length that SP 800-38D recommends. One key seals far fewer than 2**32 values."""


def seal(key: bytes, text: str, digest: str, subject: str, nonce: bytes) -> bytes:
    """The D encrypted: nonce, ciphertext, tag. key: 32 bytes. nonce: 12 bytes, never used before under this key."""
    return nonce + AESGCM(key).encrypt(nonce, text.encode("ascii"), _bound(digest, subject))


def unseal(key: bytes, row: Row, place: str) -> str:
    """The D of a row. Raises Damaged when the ciphertext was changed, or was sealed for another DIGEST or subject."""
    try:
        data = AESGCM(key).decrypt(row.sealed[:_NONCE], row.sealed[_NONCE:], _bound(row.digest, row.subject))
        text = data.decode("ascii")
    except (InvalidTag, ValueError) as fault:
        raise Damaged(
            f"{place}: the disclosure of digest {row.digest} does not open under its key: it was changed, or moved "
            "there from another digest or subject; restore it from a backup"
        ) from fault
    return text


def _bound(digest: str, subject: str) -> bytes:
    return dumps([_LABEL, digest, subject])


class Vault:
    """The disclosures of one store, opened for writing. Its methods may be called from any thread.

    Whoever erases or seals holds the lock of the store's lines, so that no two of them meet.
    """

    def __init__(self, place: str, keys: str, random: Random, write: Database, read: Database) -> None:
        """place: how messages call it. keys: path of the keys, "" for memory. write, read: connections to PRIVATE."""
        self.place, self.write, self._read = place, write, read
        self._keys_path, self._random = keys, random
        self._keys: Keyring | None = None
        self._lock = threading.Lock()

    @property
    def keys(self) -> Keyring:
        """The keys, opened when they are first needed: a store that conceals nothing has none."""
        if self._keys is None:
            self._keys = Keyring(self._keys_path, self._random)
        return self._keys

    def _there(self) -> Database | None:
        """The database of the keys; None when there is none, which reading does not make."""
        made = self._keys is not None or not self._keys_path or os.path.exists(self._keys_path)
        return self.keys.connection if made else None

    def notices(self) -> tuple[str, ...]:
        """A sentence when the keys of what is kept are not here at all, as in a backup."""
        some = self.write.execute("SELECT count(*) FROM disclosures").fetchone()[0] if self._there() is None else 0
        if not some:
            return ()
        return (
            f"{self.place}: {some} disclosures cannot be opened, since {self._keys_path} is not here: put it back "
            "before anything is appended, or their values stay erased",
        )

    def put(self, disclosures: Sequence[Disclosure]) -> None:
        """Seal and keep; inside a transaction of ``write``. What was erased once, or is there, is left as it is."""
        rows = [self._sealed(text, saga, subject or saga) for saga, text, subject in disclosures]
        self.insert(self.write, rows)

    def add(self, disclosures: Sequence[Disclosure]) -> None:
        """Seal and keep, durable on return."""
        with faults_told(self.place), transaction(self.write):
            self.put(disclosures)

    @staticmethod
    def insert(connection: Database, rows: Sequence[Row]) -> None:
        """Keep sealed rows."""
        connection.executemany(
            "INSERT INTO disclosures (digest, saga, subject, key, sealed) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (digest) DO NOTHING",
            rows,
        )

    def _sealed(self, text: str, saga: str, subject: str) -> Row:
        with self._lock:
            id, key = self.keys.current(subject)
        digest = digest_of(text)
        return Row(digest, saga, subject, id, seal(key, text, digest, subject, self._random(_NONCE)))

    def fill(self, connection: sqlite3.Connection) -> None:
        """Seal what a database of version 1 held in clear, inside the transaction of its migration."""
        for saga, text in connection.execute(f"SELECT saga, text FROM {CLEAR} ORDER BY n").fetchall():
            self.insert(connection, [self._sealed(text, saga, saga)])
        connection.execute(f"DROP TABLE {CLEAR}")

    def open(self, row: Row) -> str | None:
        """The D of a row; None when its key is not here. Raises Damaged."""
        with self._lock:
            key = key_of(self._there(), row.key)
        return None if key is None else unseal(key, row, self.place)

    def resealed(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that can be opened, sealed anew under a fresh key of each subject. Raises Damaged."""
        fresh = {subject: self.keys.fresh(subject) for subject in {row.subject for row in rows}}
        return [
            Row(row.digest, row.saga, row.subject, fresh[row.subject][0], self._seal(fresh[row.subject][1], text, row))
            for row in rows
            if (text := self.open(row)) is not None
        ]

    def _seal(self, key: bytes, text: str, row: Row) -> bytes:
        return seal(key, text, row.digest, row.subject, self._random(_NONCE))

    def texts(self, saga: str) -> list[str]:
        """The saga's Ds that can be opened, in the order in which they came. Raises Damaged."""
        return self.kept("WHERE saga = ?", (saga,)).texts

    def kept(self, which: str, values: Values) -> Kept:
        """What is kept, opened. which: a WHERE clause over saga, subject and digest. Raises Damaged."""
        found = Kept([], [], [])
        for _ in range(2):  # an erasure between the two looks gives what is left another key
            with self._lock, faults_told(self.place):
                found = opened_rows(self._read, self._there, self.place, which, values)
            if not found.lost:
                break
        return found

    def holds(self) -> list[Hold]:
        """The legal holds, by saga."""
        with faults_told(self.place):
            rows = self.write.execute("SELECT saga, reason, since FROM holds ORDER BY saga").fetchall()
        return [Hold(*row) for row in rows]

    def close_keys(self) -> None:
        """Let go of the keys."""
        if self._keys is not None:
            self._keys.connection.close()
            self._keys = None

    def close(self) -> None:
        """Let go of the files."""
        self.close_keys()
        for connection in (self._read, self.write):
            connection.close()


def open_vault(store: str, random: Random) -> Vault:
    """The vault beside a store, made when there is none. Raises StoreError.

    store: the store's path without links; "" keeps all in memory.
    """
    if not store:
        connection = in_memory(PRIVATE)
        return Vault("the disclosures in memory", "", random, connection, connection)
    path = store + DISCLOSURES
    require_sealed(path)
    create(path, PRIVATE)
    write = connect(path, PRIVATE)
    try:
        read = connect(path, PRIVATE, writable=False)
    except BaseException:
        write.close()
        raise
    sync_log(path)
    return Vault(path, store + KEYS_END, random, write, read)


def require_sealed(path: str) -> None:
    """Raise WrongVersion for disclosures in clear, as file stores kept them before."""
    if os.path.exists(path) and not is_sqlite(path):
        store = path.removesuffix(DISCLOSURES)
        raise WrongVersion(
            f"{path}: no database: disclosures in clear, as an earlier release kept them; run "
            f"`agent-saga store migrate {store}`, which encrypts them"
        )


def opened_rows(
    rows: Database,
    keys: Callable[[], Database | None],
    place: str,
    which: str,
    values: Values,
) -> Kept:
    """What two databases hold. which: a WHERE clause, or nothing. Raises Damaged, and sqlite3.Error."""
    texts, lost = [], []
    known: dict[str, bytes | None] = {}
    for row in select(rows, which, values):
        if row.key not in known:
            known[row.key] = key_of(keys(), row.key)
        key = known[row.key]
        if key is None:
            lost.append(row.digest)
        else:
            texts.append(unseal(key, row, place))
    erased = rows.execute(f"SELECT digest, saga, subject, at FROM erased {which} ORDER BY digest", values).fetchall()
    return Kept(texts, [Erased(*one) for one in erased], lost)
