"""A process that runs one saga over a store, to be killed: ``victim.py FOLDER GOAL SAGA [SLOW]``."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from agent_saga.runtime import (
    Absent,
    Call,
    Engine,
    Facts,
    Found,
    Landed,
    Limits,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    Step,
    Tool,
    tool,
)
from agent_saga.trace.store import open_store

LEASE = 0.6
DRIVER = PlanDriver(lambda step, view: {"item": step})


class Ledger:
    """A provider that keeps its books in a file, and does each key once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("CREATE TABLE IF NOT EXISTS book (key TEXT PRIMARY KEY, item TEXT, change INTEGER)")

    def act(self, key: str, item: str, change: int) -> None:
        with closing(sqlite3.connect(self._path)) as base, base:
            base.execute("INSERT OR IGNORE INTO book VALUES (?, ?, ?)", (key, item, change))

    def knows(self, key: str) -> bool:
        with closing(sqlite3.connect(self._path)) as base:
            return base.execute("SELECT 1 FROM book WHERE key = ?", (key,)).fetchone() is not None

    def standing(self) -> dict[str, int]:
        with closing(sqlite3.connect(self._path)) as base:
            return dict(base.execute("SELECT item, SUM(change) FROM book GROUP BY item").fetchall())


def definition(ledger: Ledger, goal: bool, slow: float = 0.0) -> SagaDefinition:
    def made(name: str) -> Tool:
        @tool(name=f"{name}.undo", semantics="compensable")
        async def back(item: str, call: Call) -> str:
            ledger.act(call.key, item, -1)
            return "undone"

        @back.reconcile
        async def _(call: Call) -> Found:
            return Landed("undone") if ledger.knows(call.key) else Absent()

        @tool(name=name, semantics="compensable", undo=back)
        async def forth(item: str, call: Call) -> Result:
            ledger.act(call.key, item, 1)
            await asyncio.sleep(slow)
            return Result({"item": item}, undo=back.call(item=item))

        @forth.reconcile
        async def _(call: Call) -> Found:
            known = ledger.knows(call.key)
            return Landed({}, undo=back.call(item=call.args["item"])) if known else Absent()

        return forth

    def reached(facts: Facts) -> bool:
        return goal

    names = ("stock", "payment", "delivery")
    steps = [Step(name, name) for name in names]
    return SagaDefinition("order", [made(name) for name in names], [reached], steps, Limits(backoff=0.0))


async def work(
    folder: Path, goal: bool, saga: str | None, slow: float = 0.0, lease: float = LEASE
) -> tuple[list[Report], list[bytes]]:
    """Run the saga of this id; without one, recover what is open. slow, lease: seconds. Returns reports and lines."""
    store = open_store(folder / "trace.db")
    engine = Engine(store, lease=lease)
    made = definition(Ledger(folder / "book.db"), goal, slow)
    try:
        reports = [await engine.run(made, DRIVER, saga=saga)] if saga else await engine.recover([(made, DRIVER)])
        return reports, [line for _, line in await store.lines()]
    finally:
        await store.close()


def main(arguments: list[str]) -> Any:
    """Run once."""
    folder, goal, saga, *slow = arguments
    asyncio.run(work(Path(folder), goal == "yes", saga, *map(float, slow)))


if __name__ == "__main__":
    main(sys.argv[1:])
