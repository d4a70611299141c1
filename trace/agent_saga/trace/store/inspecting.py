"""What a store, or a trace, holds: figures for people, read without writing anything.

Source: docs/spec/store-v1.md.
"""

import contextlib
import os
from dataclasses import dataclass

from agent_saga.trace.reader import open_input
from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.replay import summaries
from agent_saga.trace.store.schema import LINES, PRIVATE, version_of
from agent_saga.trace.store.snapshot import connected
from agent_saga.trace.store.sqlite import DISCLOSURES
from agent_saga.trace.store.telling import has_log, is_sqlite


@dataclass(frozen=True, slots=True)
class Info:
    """Figures. schema, held (sagas with a live lease), disclosures and remembered: None where there is no such thing.

    size: bytes, the write-ahead log included. unlogged: durable lines that have no place in the log yet.
    """

    kind: str
    lines: int
    sagas: int
    open: int
    size: int
    schema: int | None = None
    held: int | None = None
    disclosures: int | None = None
    remembered: int | None = None
    unlogged: int | None = None


def inspect(path: str, now: float) -> Info:
    """Look at what stands at a path. now: seconds, on the clock of the leases. Raises SourceError and StoreError."""
    if is_address(path):
        return _postgres(path, now)
    if is_sqlite(path):
        return _sqlite(path, now)
    source = open_input(path)
    found = summaries(source.lines())
    lines = sum(saga.lines for saga in found)
    return Info("trace file", lines, len(found), sum(not saga.ended for saga in found), _size(path))


def _postgres(address: str, now: float) -> Info:
    from agent_saga.trace.store.postgres.figures import figures

    found = figures(address, now)
    return Info(
        "PostgreSQL store", found.lines, found.sagas, found.open, found.size, found.schema, found.held,
        found.disclosures, found.remembered, found.unlogged,
    )  # fmt: skip


def _sqlite(path: str, now: float) -> Info:
    with faults_told(path), contextlib.closing(connected(path, LINES, immutable=not has_log(path))) as connection:
        version = version_of(connection, LINES, path)
        (lines,) = connection.execute("SELECT count(*) FROM lines").fetchone()
        sagas, ended = connection.execute("SELECT count(*), coalesce(sum(ended), 0) FROM sagas").fetchone()
        query = "SELECT count(*) FROM leases WHERE holder <> '' AND until > ?"
        (held,) = connection.execute(query, (now,)).fetchone()
    texts, values = _private(os.path.realpath(path) + DISCLOSURES)
    return Info("SQLite store", lines, sagas, sagas - ended, _size(path), version, held, texts, values)


def _private(path: str) -> tuple[int | None, int | None]:
    if not os.path.exists(path):
        return None, None
    with faults_told(path), contextlib.closing(connected(path, PRIVATE, immutable=not has_log(path))) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _TABLES]
    return counts[0], counts[1]


_TABLES = ("disclosures", "memory")


def _size(path: str) -> int:
    total = 0
    for name in (path, os.path.realpath(path) + "-wal"):
        with contextlib.suppress(OSError):
            total += os.stat(name).st_size
    return total
