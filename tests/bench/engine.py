"""Measures how many steps a second the embedded engine makes durable, beside what the same disk can do at best.

    python tests/bench/engine.py                sagas one after another, and 32 of them at once
    python tests/bench/engine.py --sagas 24     fewer sagas

What is counted stands in docs/bench.md. Engine and floor run in turns, in the folder given by --folder; the middle of
the rounds counts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from agent_saga.runtime import Call, Engine, Facts, Limits, PlanDriver, Result, SagaDefinition, Step, tool
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.memory import MemoryEngine
from agent_saga.trace.store.sqlite import SqliteEngine

ROUNDS = 5
STEPS = 20
TOGETHER = 32
BARE = 64
"""Bytes that the floor writes for a commit without lines, such as that of a lease."""


class Taken(NamedTuple):
    """What one run took. seconds: by the clock. each: seconds of every step."""

    seconds: float
    each: list[float]


class Noting(SqliteEngine):
    """The store's engine, which also keeps what it commits."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.drafts: list[Draft] = []

    def commit(self, draft: Draft) -> None:
        """Commit, and note it."""
        super().commit(draft)
        self.drafts.append(draft)


@tool(name="bench.give_back", semantics="compensable")
async def give_back(item: str) -> dict[str, Any]:
    """Give an item back."""
    return {"item": item}


class Bench:
    """Sagas of a cheap tool, which notes when it is called."""

    def __init__(self) -> None:
        self._calls: dict[str, list[float]] = {}

        @tool(name="bench.take", semantics="compensable", undo=give_back)
        async def take(item: str, *, call: Call) -> Result:
            """Take an item."""
            self._calls[call.saga].append(time.perf_counter())
            return Result({"item": item}, undo=give_back.call(item=item))

        async def all_taken(facts: Facts) -> bool:
            return len(facts.results) == STEPS

        plan = [Step(f"s{number}", "bench.take") for number in range(STEPS)]
        self._definition = SagaDefinition("bench", [take], [all_taken], plan, limits=Limits(turns=STEPS, calls=STEPS))
        self._driver = PlanDriver(lambda step, view: {"item": step})

    def run(self, disk: SqliteEngine | MemoryEngine, sagas: int, together: int) -> Taken:
        """Run so many sagas, `together` of them at once. Raises RuntimeError when one does not succeed."""
        return asyncio.run(self._all(disk, sagas, together))

    async def _all(self, disk: SqliteEngine | MemoryEngine, sagas: int, together: int) -> Taken:
        store = LocalStore(disk)
        engine, names = Engine(store), iter([f"saga-{number}" for number in range(sagas)])
        self._calls.clear()

        async def one_after_another() -> None:
            for name in names:
                await self._one(engine, name)

        start = time.perf_counter()
        await asyncio.gather(*(one_after_another() for _ in range(together)))
        spent = time.perf_counter() - start
        await store.close()
        return Taken(spent, [after - before for calls in self._calls.values() for before, after in pairwise(calls)])

    async def _one(self, engine: Engine, saga: str) -> None:
        self._calls[saga] = [time.perf_counter()]
        report = await engine.run(self._definition, self._driver, saga=saga)
        if report.status != "succeeded_verified":
            raise RuntimeError(f"saga {saga} ended as {report.status}")


def synced(path: Path, sizes: list[int]) -> float:
    """Seconds to append records of so many bytes to a plain file, each synced before the next."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    start = time.perf_counter()
    for size in sizes:
        os.write(handle, b"x" * (size - 1) + b"\n")
        os.fsync(handle)
    spent = time.perf_counter() - start
    os.close(handle)
    return spent


def again(path: Path, drafts: list[Draft]) -> float:
    """Seconds to make the same commits of the same lines and leases through SQLite, with nothing around it."""
    disk = SqliteEngine(str(path))
    start = time.perf_counter()
    for draft in drafts:
        disk.commit(Draft(disk.begin(), draft.lines, draft.heads, draft.leases))
    spent = time.perf_counter() - start
    disk.close()
    return spent


class Round(NamedTuple):
    """One round: seconds of each row, and the engine's steps and commits."""

    seconds: dict[str, float]
    each: list[float]
    commits: int


def measure(folder: Path, sagas: int, together: int) -> Round:
    """The engine, then the floor of the commits that it made, then both without each other."""
    noting = Noting(str(folder / "engine.db"))
    engine = Bench().run(noting, sagas, together)
    sizes = [sum(len(one.line) + 1 for one in draft.lines) or BARE for draft in noting.drafts]
    rounds = -(-len(engine.each) // together)
    floor = sizes if together == 1 else [sum(sizes) // rounds] * rounds
    seconds = {
        "floor": synced(folder / "floor", floor),
        "engine": engine.seconds,
        "sqlite alone": again(folder / "alone.db", noting.drafts),
        "no disk": Bench().run(MemoryEngine(), sagas, together).seconds,
    }
    return Round(seconds, engine.each, len(sizes))


def compare(folder: Path, sagas: int, together: int, rounds: int) -> None:
    """Measure so many rounds, and print a row for each way."""
    found: list[Round] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=folder) as where:
            found.append(measure(Path(where), sagas, together))
    steps, commits = sagas * STEPS, median(one.commits for one in found)
    how = f"{together} at once" if together > 1 else "one after another"
    print(f"engine, {how}: {sagas} sagas of {STEPS} steps, {commits:,.0f} commits ({commits / steps:.2f} a step)")
    print(f"  {'':14}{'steps/s':>10}{'sagas/s':>10}{'x floor':>10}{'of floor':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name in found[0].seconds:
        _row(name, found, steps, sagas)
    print(flush=True)


def _row(name: str, found: list[Round], steps: int, sagas: int) -> None:
    spent = median(one.seconds[name] for one in found)
    ratio = median(one.seconds[name] / one.seconds["floor"] for one in found)
    text = f"  {name:14}{steps / spent:10,.0f}{sagas / spent:10,.0f}{ratio:10.2f}{1 / ratio:10.0%}"
    if name == "engine":
        text += "".join(f"{median(_percentile(one.each, percent) for one in found):9.2f}" for percent in (50, 99))
    print(text)


def _percentile(each: list[float], percent: int) -> float:
    ordered = sorted(each)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1e3


def run(folder: Path, sagas: int = 96, rounds: int = ROUNDS) -> None:
    """Both comparisons. folder: on the disk that is to be measured. sagas: when many run at once."""
    Bench().run(MemoryEngine(), 2, 1)  # what is loaded and compiled once does not count
    compare(folder, max(1, sagas // 4), 1, rounds)
    compare(folder, sagas, TOGETHER, rounds)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/engine.py", description="Measure the embedded engine.")
    parser.add_argument("--sagas", type=int, default=96, metavar="N", help="sagas when many run at once [96]")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"rounds [{ROUNDS}]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    chosen = parser.parse_args(arguments)
    run(Path(chosen.folder), chosen.sagas, chosen.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
