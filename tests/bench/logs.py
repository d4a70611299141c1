"""Logs of the package agent-saga: ours beside its own certifier, on the same log in the same run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import measure
import rival

MAKER = Path(__file__).resolve().parents[1] / "importers" / "make_agent_saga_logs.py"
LIMIT = 600.0
"""Seconds after which the other certifier is stopped."""


def compare(folder: Path, records: int, *, rival: bool) -> None:
    """Write a valid log of so many records, certify it with both, print."""
    path = folder / "log.wal"
    _write(path, records)
    print(f"agent-saga log of {records:,} records, {path.stat().st_size / 1e6:.0f} MB, chain verified")
    print(f"  {'':22}{'seconds':>9}{'cpu s':>9}{'records/s':>12}{'peak MB':>10}")
    ours = measure.best_of(2, {"ours": measure.certify(path)})["ours"]
    _row("this project", ours, records)
    theirs = _rival(folder, path, records) if rival else None
    if theirs is None:
        print("  the package agent-saga: not measured\n")
    else:
        faster, smaller = theirs.seconds / ours.seconds, ours.peak_mb / theirs.peak_mb
        print(f"  {faster:.1f} times as fast, with {smaller:.2f} of the memory\n")
    path.unlink()


def _row(name: str, cost: measure.Cost, records: int) -> None:
    wrong = "" if cost.code == 0 else f"   exit {cost.code}"
    print(
        f"  {name:22}{cost.seconds:9.2f}{cost.cpu:9.2f}{records / cost.seconds:12,.0f}{cost.peak_mb:10.0f}{wrong}",
        flush=True,
    )


def _rival(folder: Path, path: Path, records: int) -> measure.Cost | None:
    found = rival.install(folder)
    if found is None:
        return None
    command, version = found
    cost = measure.run([command, "certify", path], LIMIT)
    _row(f"agent-saga {version}", cost, records)
    return cost


_WRITE = "import sys; from pathlib import Path; from make_agent_saga_logs import *; write_log(Path(sys.argv[1]), {}, 1)"


def _write(path: Path, records: int) -> None:
    """In a process of its own: what it holds would count as memory of what is measured."""
    command = [sys.executable, "-c", _WRITE.format(records), str(path)]
    subprocess.run(command, check=True, cwd=MAKER.parent)
