"""Logs for tests: a key, a clock, salts and sagas that are the same each time."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "store"))

from samples import Writer, whole

from agent_saga.proofs.keys import SigningKey, key_from_seed
from agent_saga.proofs.log import Written, open_log, write_checkpoint
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


def sample(store: Path, sagas: int = 3) -> Written:
    """A log of some sagas, the last one open, and its checkpoint."""
    begin(store)
    append(store, [line for number in range(sagas - 1) for line in whole(f"saga-{number}")])
    append(store, Writer(f"saga-{sagas - 1}").some(3))
    return mark(store)
