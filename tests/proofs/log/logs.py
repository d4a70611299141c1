"""Logs for tests: a key, a clock, salts and sagas that are the same each time."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "store"))

from samples import Writer, whole

from agent_saga.proofs.keys import SigningKey, key_from_seed
from agent_saga.proofs.log import Written, open_log, write_checkpoint
from agent_saga.trace.heads import claimed
from agent_saga.trace.store import NewLine, open_store

ORIGIN = "log.example/acme"
KEY = key_from_seed(ORIGIN, "log", bytes(range(32)))
OTHER = key_from_seed(ORIGIN, "log", bytes(reversed(range(32))))
WITNESS = key_from_seed("w.example/1", "witness", b"w" * 32)
MONITOR = key_from_seed("audit.example/m", "monitor", b"m" * 32)
NOON = datetime.fromisoformat("2026-11-30T12:00:00Z").timestamp()
KINDS = {"sqlite": "orders.db", "file": "orders.jsonl"}


def salts(seed: object = 0) -> random.Random:
    """Where salts come from."""
    return random.Random(str(seed))


def begin(store: Path, key: SigningKey = KEY) -> None:
    """Open the store's log."""
    open_log(str(store), key, origin=ORIGIN, now=NOON - 36_000, random=salts("opened").randbytes)


def append(store: Path, lines: Sequence[NewLine]) -> None:
    """Append lines."""

    async def use() -> None:
        opened = open_store(store)
        await opened.append(lines)
        await opened.close()

    asyncio.run(use())


def mark(store: Path, now: float = NOON, key: SigningKey = KEY, **more: object) -> Written:
    """Make a checkpoint."""
    return write_checkpoint(str(store), key, now=now, random=salts(now).randbytes, **more)  # type: ignore[arg-type]


def lines_of(store: Path) -> list[bytes]:
    """All lines of a store."""

    async def use() -> list[bytes]:
        opened = open_store(store)
        found = [line for _, line in await opened.lines(limit=10_000)]
        await opened.close()
        return found

    return asyncio.run(use())


def rewrite(store: Path, lines: Sequence[bytes]) -> None:
    """Put these lines in the place of the store's, as somebody may who can write the file."""
    for end in ("", ".disclosures", "-wal", "-shm"):
        store.with_name(store.name + end).unlink(missing_ok=True)
    if store.suffix == ".jsonl":
        store.write_bytes(b"".join(line + b"\n" for line in lines))
        return
    asyncio.run(open_store(store).close())
    with closing(sqlite3.connect(store)) as connection, connection:
        for index, line in enumerate(lines):
            saga, seq = claimed(line) or ("", 0)
            connection.execute("INSERT INTO lines (idx, saga, seq, line) VALUES (?, ?, ?, ?)", (index, saga, seq, line))
            if seq == 0:
                connection.execute("INSERT INTO sagas (first, saga) VALUES (?, ?)", (index, saga))


def folder_of(store: Path) -> Path:
    """The folder of its log."""
    return store.with_name(f"{store.name}.log")


def sample(store: Path, sagas: int = 3) -> Written:
    """A log of some sagas, the last one open, and its checkpoint."""
    begin(store)
    append(store, [line for number in range(sagas - 1) for line in whole(f"saga-{number}")])
    append(store, Writer(f"saga-{sagas - 1}").some(3))
    return mark(store)
