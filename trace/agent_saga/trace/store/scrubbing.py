"""Getting rid of bytes: out of a database and its log, and looking into raw files whether they are gone.

Source: docs/spec/store-v1.md, "Erasure"; sqlite.org/pragma.html (secure_delete, wal_checkpoint), lang_vacuum.html.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.errors import Busy
from agent_saga.trace.store.sealed import Database

_CHUNK: Final = 1 << 22
PIECE: Final = 48
"""Bytes of a long secret that are looked for as one: a database splits what is longer than a page."""
PIECES: Final = 128
"""Pieces of one secret that are looked for; those of a longer one are taken from all over it."""


class Found(NamedTuple):
    """Bytes that are still there. file: where. what: which, in words that do not tell them."""

    file: str
    what: str


def scrub(connection: Database, place: str) -> None:
    """Rewrite a database without its free pages, and cut its log to nothing. Raises Busy while a reader keeps it."""
    with faults_told(place):
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise Busy(
            f"{place}: what was deleted is gone from the database, but another process reads it and keeps its "
            "write-ahead log; close that process and run the same again"
        )


def pieces(secret: bytes) -> list[bytes]:
    """Parts of a secret, such that what is left of it on a page holds one of them whole."""
    if len(secret) <= 2 * PIECE:
        return [secret]
    starts = range(0, len(secret) - PIECE + 1, PIECE)
    step = -(-len(starts) // PIECES)
    return [secret[start : start + PIECE] for start in starts[::step]]


def search(files: Sequence[str], secrets: Sequence[tuple[str, bytes]]) -> tuple[list[Found], list[Found]]:
    """Look for secrets in raw files: what was found, and which files cannot be read, and why.

    secrets: what each one is, in words, and its bytes.
    No database among the files may be open in this process: closing a file drops the process's locks on it.
    """
    needles = [(what, piece) for what, secret in secrets for piece in pieces(secret)]
    overlap = max((len(piece) for _, piece in needles), default=1) - 1
    found: dict[Found, None] = {}
    closed: list[Found] = []
    for file in files:
        try:
            found |= {Found(file, what): None for what in _in_file(file, needles, overlap)}
        except OSError as fault:
            closed.append(Found(file, fault.strerror or str(fault)))
    return list(found), closed


def _in_file(file: str, needles: Sequence[tuple[str, bytes]], overlap: int) -> Iterator[str]:
    with open(file, "rb") as stream:
        rest = b""
        while chunk := stream.read(_CHUNK):
            block = rest + chunk
            yield from (what for what, piece in needles if piece in block)
            rest = block[-overlap:] if overlap else b""


def family(store: str) -> list[str]:
    """The files that stand beside a store under its name, itself among them: databases, logs, indexes, copies."""
    folder, name = os.path.split(os.path.abspath(store))
    found = (entry for entry in os.scandir(folder) if entry.name.startswith(name) and entry.is_file())
    return sorted(entry.path for entry in found)
