"""Measures `agent-saga certify` on large traces, beside the floor and beside the other certifier of agent-saga logs.
Then, how many lines a second the stores make durable, beside the syncs alone; how many steps a second the embedded
engine does; and what it takes to sign a log, to prove one line or saga out of it, and to verify that; what it takes
to judge a log full of approvals; and how often a second a policy's condition is evaluated, beside two rule engines.

    make bench                                  10 k, 100 k and 1 M lines, and a log of 1 M records
    python tests/bench --quick                  a minute: 10 k and 100 k lines, a small log, no other certifier
    python tests/bench --lines 50000 200000     other sizes

What is measured and why stands in docs/bench.md. Nothing here fails on a slow machine: figures are printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import approved
import engine
import logs
import measure
import nightly
import policed
import postgres

import policies
import proofs
import store
import temporal

OPEN_AT_ONCE = 10_000
SPLIT_LINES = 200_000
ROUNDS = 3
STORED_LINES = 3_200
COPIED_LINES = 50_000


def main(arguments: list[str]) -> int:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(prog="python tests/bench", description="Measure agent-saga certify.")
    parser.add_argument("--lines", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], metavar="N")
    parser.add_argument("--records", type=int, default=1_000_000, metavar="N", help="of the agent-saga log; 0: none")
    parser.add_argument("--quick", action="store_true", help="10 k and 100 k lines, 20 k records, no rival")
    parser.add_argument("--no-rival", action="store_true", help="do not install the other certifier")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.lines, chosen.records, chosen.no_rival = [10_000, 100_000], 20_000, True
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, best of {ROUNDS} runs taken in turns\n")
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-") as folder:
        measured = [_trace(Path(folder), lines) for lines in sorted(chosen.lines)]
        _growth(measured)
        _split(Path(folder), min(SPLIT_LINES, max(chosen.lines)))
        if chosen.records:
            logs.compare(Path(folder), chosen.records, rival=not chosen.no_rival)
        store.run(Path(folder), min(STORED_LINES, max(chosen.lines)))
        postgres.run(Path(tempfile.gettempdir()), min(COPIED_LINES, max(chosen.lines)))  # its server is another user
        engine.run(Path(folder), 3 if chosen.quick else min(engine.BATCHES, max(chosen.lines) // 400))
        for lines in sorted(chosen.lines):
            proofs.run(Path(folder), lines, ROUNDS)
        approved.run(Path(folder), min(approved.APPROVALS, max(chosen.lines) // 10), ROUNDS)
        policed.run(Path(folder), max(chosen.lines), ROUNDS)
        nightly.run(Path(folder), max(chosen.lines), ROUNDS - 1)
        policies.run(min(policies.CALLS, max(chosen.lines) // 5), ROUNDS)
        temporal.run(Path(folder), chosen.quick or max(chosen.lines) < 10_000)
    return 0


def _trace(folder: Path, lines: int) -> tuple[int, measure.Cost]:
    """Measure one size and print its block."""
    path = folder / "trace.jsonl"
    made = measure.ask("traces.py", path, lines, OPEN_AT_ONCE)
    size = path.stat().st_size / 1e6
    print(f"trace of {made['lines']:,} lines, {size:.0f} MB, {made['sagas']:,} sagas, {made['open']:,} open at once")
    commands = {"floor": measure.floor(path), "jobs 1": measure.certify(path), "jobs 2": measure.certify(path, 2)}
    best = measure.best_of(ROUNDS, commands)
    path.unlink()
    _table(best, made["lines"])
    return made["lines"], best["jobs 1"]


def _table(best: dict[str, measure.Cost], lines: int) -> None:
    floor = best["floor"]
    print(f"  {'':10}{'seconds':>9}{'cpu s':>9}{'lines/s':>12}{'peak MB':>10}{'x floor':>10}{'cpu x':>8}")
    for name, cost in best.items():
        ratios = f"{cost.seconds / floor.seconds:10.2f}{cost.cpu / floor.cpu:8.2f}"
        rate = f"{lines / cost.seconds:12,.0f}"
        print(f"  {name:10}{cost.seconds:9.2f}{cost.cpu:9.2f}{rate}{cost.peak_mb:10.0f}{ratios}{_wrong(cost)}")
    print(f"  jobs 2 is {best['jobs 1'].seconds / best['jobs 2'].seconds:.2f} times as fast as jobs 1\n", flush=True)


def _wrong(cost: measure.Cost) -> str:
    return "" if cost.code == 0 else f"   exit {cost.code}: NOT CERTIFIED"


def _growth(measured: list[tuple[int, measure.Cost]]) -> None:
    """How time and memory of `--jobs 1` grow between the two largest sizes."""
    if len(measured) < 2:
        return
    (small, before), (large, after) = measured[-2:]
    per_line = after.cpu / large / (before.cpu / small)
    more = (after.peak_mb - before.peak_mb) * 1e6 / (large - small)
    print(f"growth from {small:,} to {large:,} lines: time a line x {per_line:.2f}, memory + {more:.0f} bytes a line\n")


def _split(folder: Path, lines: int) -> None:
    """Print where the time goes."""
    path = folder / "trace.jsonl"
    count = measure.ask("traces.py", path, lines, OPEN_AT_ONCE)["lines"]
    taken = measure.ask("stages.py", path)
    path.unlink()
    print(f"where the processor's time goes, in one process, {count:,} lines, microseconds a line")
    before = 0.0
    for name in ("read", "codec", "model", "rules"):
        share, whole = taken[name] - before, taken[name] / taken["floor"]
        print(f"  {name:10}{share / count * 1e6:9.2f}   so far {whole:.2f} x floor")
        before = taken[name]
    print(f"  {'floor':10}{taken['floor'] / count * 1e6:9.2f}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
