"""Measures how many steps a second the embedded engine makes durable, beside what the same disk can do at best.

    python tests/bench/engine.py                sagas one after another, and 32 of them at once
    python tests/bench/engine.py --batches 3    fewer sagas

What is counted stands in docs/bench.md. Engine and floor run in turns, batch by batch, in the folder given by --folder;
the batch in the middle counts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from agent_saga.runtime import Call, Engine, Facts, Limits, PlanDriver, Result, SagaDefinition, Step, tool
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.memory import MemoryEngine
from agent_saga.trace.store.sqlite import SqliteEngine

BATCHES = 12
STEPS = 20
TOGETHER = 32
BARE = 64
"""Bytes that the floor writes for a commit without lines, such as that of a lease."""


class Noting(SqliteEngine):
    """The store's engine, which also keeps what it commits until it is taken."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.drafts: list[Draft] = []

    def commit(self, draft: Draft) -> None:
        """Commit, and note it."""
        super().commit(draft)
        self.drafts.append(draft)

    def taken(self) -> list[Draft]:
        """What was committed since this was last asked: kept longer, it would be the collector's work, and count."""
        found, self.drafts = self.drafts, []
        return found


@tool(name="bench.give_back", semantics="compensable")
async def give_back(item: str) -> dict[str, Any]:
    """Give an item back."""
    return {"item": item}


class Bench:
    """Sagas of a cheap tool, which notes when it is called.

    each: seconds of every step so far. cpu: seconds of processor time so far, of all threads.
    """

    def __init__(self, disk: SqliteEngine | MemoryEngine) -> None:
        self.each: list[float] = []
        self.cpu = 0.0
        self._calls: dict[str, list[float]] = {}
        self._store = LocalStore(disk)
        self._engine = Engine(self._store)
        self._runner = asyncio.Runner()

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

    def run(self, names: Sequence[str]) -> float:
        """Seconds to run sagas of these names, all at once. Raises RuntimeError when one does not succeed."""
        start, before = time.perf_counter(), time.process_time()
        self._runner.run(self._all(names))
        spent = time.perf_counter() - start
        self.cpu += time.process_time() - before
        for calls in self._calls.values():
            self.each += [after - one for one, after in pairwise(calls)]
        self._calls.clear()
        return spent

    async def _all(self, names: Sequence[str]) -> None:
        await asyncio.gather(*map(self._one, names))

    async def _one(self, saga: str) -> None:
        self._calls[saga] = [time.perf_counter()]
        report = await self._engine.run(self._definition, self._driver, saga=saga)
        if report.status != "succeeded_verified":
            raise RuntimeError(f"saga {saga} ended as {report.status}")

    def close(self) -> None:
        """Let go of the store."""
        self._runner.run(self._store.close())
        self._runner.close()


class Floor:
    """A plain file to which records are appended, each synced before the next."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def run(self, sizes: Sequence[int]) -> float:
        """Seconds to append records of so many bytes."""
        start = time.perf_counter()
        for size in sizes:
            os.write(self._handle, b"x" * (size - 1) + b"\n")
            os.fsync(self._handle)
        return time.perf_counter() - start

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)


def again(disk: SqliteEngine, drafts: Sequence[Draft]) -> float:
    """Seconds to make the same commits of the same lines and leases through SQLite, with nothing around it."""
    start = time.perf_counter()
    for draft in drafts:
        disk.commit(Draft(disk.begin(), draft.lines, draft.heads, draft.leases))
    return time.perf_counter() - start


class Found(NamedTuple):
    """What was measured. batches: seconds of each row, one by one. each: seconds of every step. cpu: the engine's."""

    batches: list[dict[str, float]]
    each: list[float]
    cpu: float
    commits: int


def measure(folder: Path, batches: int, together: int) -> Found:
    """Batches of so many sagas at once; after each the floor of its commits, and both without each other."""
    noting, alone = Noting(str(folder / "engine.db")), SqliteEngine(str(folder / "alone.db"))
    bench, memory, floor = Bench(noting), Bench(MemoryEngine()), Floor(folder / "floor")
    found: list[dict[str, float]] = []
    done = 0
    for batch in range(batches):
        names = [f"saga-{batch}-{number}" for number in range(together)]
        seconds = {"floor": 0.0, "engine": bench.run(names)}
        drafts = noting.taken()
        done += len(drafts)
        seconds["floor"] = floor.run(least(drafts, together))
        found.append(seconds | {"sqlite alone": again(alone, drafts), "no disk": memory.run(names)})
    for one in (bench, memory, floor, alone):
        one.close()
    return Found(found, bench.each, bench.cpu, done)


def least(drafts: Sequence[Draft], together: int) -> list[int]:
    """The bytes of each sync of the floor: of every commit, or of as few as the steps of all sagas at once need."""
    sizes = [sum(len(one.line) + 1 for one in draft.lines) or BARE for draft in drafts]
    return sizes if together == 1 else [sum(sizes) // STEPS] * STEPS


def compare(folder: Path, batches: int, together: int) -> None:
    """Measure, and print a row for each way."""
    with tempfile.TemporaryDirectory(dir=folder) as where:
        found = measure(Path(where), batches, together)
    how = f"{together} at once" if together > 1 else "one after another"
    steps = len(found.each)
    print(f"engine, {how}: {steps // STEPS} sagas of {STEPS} steps, {found.commits / steps:.2f} commits a step")
    print(f"  {'':14}{'steps/s':>10}{'sagas/s':>10}{'x floor':>10}{'of floor':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name in found.batches[0]:
        _row(name, found, together)
    print(f"  processor time of the engine and its store: {found.cpu / steps * 1e3:.2f} ms a step\n", flush=True)


def _row(name: str, found: Found, together: int) -> None:
    spent = median(one[name] for one in found.batches)
    ratio = median(one[name] / one["floor"] for one in found.batches)
    text = f"  {name:14}{together * STEPS / spent:10,.0f}{together / spent:10,.0f}{ratio:10.2f}{1 / ratio:10.0%}"
    if name == "engine":
        text += "".join(f"{_percentile(sorted(found.each), percent):9.2f}" for percent in (50, 99))
    print(text)


def _percentile(ordered: list[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1e3


def run(folder: Path, batches: int = BATCHES) -> None:
    """Both comparisons. folder: on the disk that is to be measured. batches: of many sagas at once."""
    warm = Bench(MemoryEngine())  # what is loaded and compiled once does not count
    warm.run(["saga-1", "saga-2"])
    warm.close()
    compare(folder, 8 * batches, 1)
    compare(folder, batches, TOGETHER)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/engine.py", description="Measure the embedded engine.")
    parser.add_argument("--batches", type=int, default=BATCHES, metavar="N", help=f"of 32 sagas at once [{BATCHES}]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    chosen = parser.parse_args(arguments)
    run(Path(chosen.folder), chosen.batches)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
