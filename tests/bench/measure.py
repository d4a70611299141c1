"""Runs a command and tells what it took: time on the clock and of processors, and the peak memory.

Memory that this process holds would count as the command's (a new process begins as a copy), so it holds little.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAGA = Path(sys.executable).with_name("agent-saga")


@dataclass(frozen=True)
class Cost:
    """What one run took. peak_mb: of its largest process. code: its exit code, negative when stopped at the limit."""

    seconds: float
    cpu: float
    peak_mb: float
    code: int

    def better(self, other: Cost | None) -> Cost:
        """The best times of two runs, with the larger peak of both."""
        if other is None:
            return self
        code = max(self.code, other.code, key=abs)
        peak = max(self.peak_mb, other.peak_mb)
        return Cost(min(self.seconds, other.seconds), min(self.cpu, other.cpu), peak, code)


def run(command: Sequence[str | Path], limit: float = 3600) -> Cost:
    """Run a command with its output thrown away, stopped after `limit` seconds."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [os.fspath(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if not name.startswith("AGENT_SAGA_")},
    )
    timer = threading.Timer(limit, process.kill)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, peak, process.returncode)


def certify(path: Path, jobs: int = 1) -> list[str | Path]:
    """The real command on one trace."""
    return [SAGA, "certify", path, "--jobs", str(jobs), "--no-config"]


def floor(path: Path) -> list[str | Path]:
    """The floor on the same file."""
    return [sys.executable, HERE / "floor.py", path]


def best_of(rounds: int, commands: dict[str, list[str | Path]], limit: float = 3600) -> dict[str, Cost]:
    """The best of so many runs of each command, taken in turns so that a noisy moment hits all of them."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            best[name] = run(command, limit).better(best.get(name))
    return best


def ask(program: str, *arguments: str | Path | int) -> Any:
    """What a program of this folder prints as JSON."""
    command = [sys.executable, HERE / program, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
