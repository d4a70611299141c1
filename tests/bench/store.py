"""Measures how many lines a second the stores make durable, beside the floor: the same syncs alone on the same disk.

    python tests/bench/store.py                 sequential, and 32 and 64 appenders at once
    python tests/bench/store.py --lines 200     fewer lines

A line is one append of one line of about 500 bytes by one saga, acknowledged before the saga's next. The floor writes
the same bytes to a plain file and syncs: one line a sync, or as many lines a sync as there are appenders, which is the
best that a group commit could do. Both run in turns, in the folder given by --folder; the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agent_saga.trace import SagaWriter
from agent_saga.trace.store import NewLine, Store, open_store

ROUNDS = 3
STARTED = {"log": "bench.example", "name": "bench", "format": "1.0", "tools": {}}
AT = "2026-11-30T07:00:00.000000Z"


class Rate(NamedTuple):
    """lines a second, and the latency of an append in milliseconds."""

    lines: float
    p50: float
    p99: float


def saga_of(name: str, count: int) -> list[NewLine]:
    """The lines of one saga, about 500 bytes each."""
    writer = SagaWriter(name, random.Random(name).randbytes)
    lines = [writer.line("saga.started", AT, **STARTED)]
    for number in range(1, count):
        lines.append(writer.line("check.evaluated", AT, check=f"c{number}", passed=True, evidence="x" * 220))
    return [NewLine(name, seq, line) for seq, line in enumerate(lines)]


def floor(folder: Path, lines: int, together: int) -> Rate:
    """Write `lines` lines to a plain file, `together` of them a sync."""
    data = b"".join(new.line + b"\n" for new in saga_of("floor", together))
    taken = []
    handle = os.open(folder / "floor", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    start = time.perf_counter()
    for _ in range(max(1, lines // together)):
        before = time.perf_counter()
        os.write(handle, data)
        os.fsync(handle)
        taken.append(time.perf_counter() - before)
    spent = time.perf_counter() - start
    os.close(handle)
    return _rate(len(taken) * together, spent, taken)


def store(place: Path, lines: int, together: int) -> Rate:
    """Append `lines` lines in all, `together` sagas at once."""
    sagas = [saga_of(f"saga-{number}", max(2, lines // together)) for number in range(together)]
    return asyncio.run(_appended(open_store(place), sagas))


async def _appended(opened: Store, sagas: list[list[NewLine]]) -> Rate:
    taken: list[float] = []

    async def run(saga: list[NewLine]) -> None:
        for new in saga:
            before = time.perf_counter()
            await opened.append([new])
            taken.append(time.perf_counter() - before)

    start = time.perf_counter()
    await asyncio.gather(*map(run, sagas))
    spent = time.perf_counter() - start
    await opened.close()
    return _rate(len(taken), spent, taken)


def _rate(lines: int, spent: float, taken: list[float]) -> Rate:
    ordered = sorted(taken)
    return Rate(lines / spent, _percentile(ordered, 50), _percentile(ordered, 99))


def _percentile(ordered: list[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1e3


def compare(folder: Path, lines: int, together: int) -> None:
    """Measure both stores and the floor in turns, and print a row for each."""
    ways: dict[str, Callable[[Path], Rate]] = {
        "floor": lambda where: floor(where, lines, together),
        "sqlite": lambda where: store(where / "s.db", lines, together),
        "file": lambda where: store(where / "s.jsonl", lines, together),
    }
    best: dict[str, Rate] = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            with tempfile.TemporaryDirectory(dir=folder) as where:
                best[name] = max(best.get(name, Rate(0, 0, 0)), way(Path(where)))
    print(f"{together} at once, {lines} lines" if together > 1 else f"one after another, {lines} lines")
    print(f"  {'':8}{'lines/s':>10}{'of floor':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name, rate in best.items():
        share = rate.lines / best["floor"].lines
        print(f"  {name:8}{rate.lines:10,.0f}{share:10.0%}{rate.p50:9.2f}{rate.p99:9.2f}")
    print(flush=True)


def run(folder: Path, lines: int = 3200) -> None:
    """All comparisons. folder: on the disk that is to be measured."""
    for together in (1, 32, 64):
        compare(folder, lines if together > 1 else lines // 8, together)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/store.py", description="Measure the stores.")
    parser.add_argument("--lines", type=int, default=3200, metavar="N", help="lines with many appenders [3200]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    chosen = parser.parse_args(arguments)
    run(Path(chosen.folder), chosen.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
