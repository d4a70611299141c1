"""Logs of the package agent-saga: ours beside its own certifier, on the same log in the same run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import measure
import rival

MAKER = Path(__file__).resolve().parents[1] / "importers" / "make_agent_saga_logs.py"
ROUNDS = 2
LIMIT = 600.0
"""Seconds after which the other certifier is stopped."""


def compare(folder: Path, records: int, *, rival: bool) -> None:
    """Write a valid log of so many records, certify it with both in turns, print; one that fails is not compared."""
    path = folder / "log.wal"
    _write(path, records)
    print(f"agent-saga log of {records:,} records, {path.stat().st_size / 1e6:.0f} MB")
    print(f"  {'':32}{'seconds':>9}{'cpu s':>9}{'records/s':>12}{'peak MB':>10}")
    ours = {f"this project, jobs {jobs}": measure.certify(path, jobs) for jobs in (1, 2)}
    best = measure.best_of(ROUNDS, ours | (_rival(folder, path) if rival else {}), LIMIT)
    for name, cost in best.items():
        _row(name, cost, records)
    alone, divided, *theirs = best.values()
    if not theirs or any(cost.code for cost in theirs):
        print("  the package agent-saga: not measured\n")
    else:
        _compared(alone, divided, *theirs)
    path.unlink()


def _compared(alone: measure.Cost, divided: measure.Cost, certify: measure.Cost, verify: measure.Cost) -> None:
    """Its certify leaves the chain to its verify, so both together do what ours does."""
    _against("certify", alone, divided, certify.seconds, certify.cpu)
    _against("certify and verify", alone, divided, certify.seconds + verify.seconds, certify.cpu + verify.cpu)
    print(f"  {max(alone.peak_mb, divided.peak_mb) / certify.peak_mb:.2f} of the memory of its certify\n")


def _against(what: str, alone: measure.Cost, divided: measure.Cost, seconds: float, cpu: float) -> None:
    clock, processor = seconds / divided.seconds, cpu / alone.cpu
    print(f"  against its {what}: {clock:.1f} times as fast by the clock (jobs 2), {processor:.1f} by cpu (jobs 1)")


def _row(name: str, cost: measure.Cost, records: int) -> None:
    wrong = "" if cost.code == 0 else f"   exit {cost.code}"
    times = f"{cost.seconds:9.2f}{cost.cpu:9.2f}{records / cost.seconds:12,.0f}"
    print(f"  {name:32}{times}{cost.peak_mb:10.0f}{wrong}", flush=True)


def _rival(folder: Path, path: Path) -> dict[str, list[str | Path]]:
    found = rival.install(folder)
    if found is None:
        return {}
    command, version = found
    return {f"agent-saga {version} {verb}": [command, verb, "--wal-path", path] for verb in ("certify", "verify")}


_WRITE = "import sys; from pathlib import Path; from make_agent_saga_logs import *; write_log(Path(sys.argv[1]), {}, 1)"


def _write(path: Path, records: int) -> None:
    """In a process of its own: what it holds would count as memory of what is measured."""
    command = [sys.executable, "-c", _WRITE.format(records), str(path)]
    subprocess.run(command, check=True, cwd=MAKER.parent)
