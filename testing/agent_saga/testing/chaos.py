"""Chaos: a saga's process is killed at an append, and another process recovers it.

Every append of the engine is a place to die: right before it (what came before it happened, and no line says so yet)
and right after it (the line says that something is about to be done, and it was not). The processes are real, and so is
SIGKILL: nothing is cleaned up.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agent_saga.runtime.failpoint import VARIABLE
from agent_saga.runtime.runnable import Runnable, load
from agent_saga.trace.reader import open_input

LEASE: Final = 0.3
"""Seconds until another process may take over from a killed one: short, so that nobody waits for it."""
TIMEOUT: Final = 120.0
"""Seconds that one process may take, on a busy machine."""
KILLED: Final = -signal.SIGKILL


class ChaosError(AssertionError):
    """A process of the experiment did something else than it had to."""


@dataclass(frozen=True, slots=True)
class KillPoint:
    """A place to die. where: before or after the append of this number. saga: MODULE:SAGA."""

    saga: str
    where: str
    number: int

    def __str__(self) -> str:
        return f"{self.where}-{self.number}"


@dataclass(frozen=True)
class Survivor:
    """What became of a killed saga. reports: of the sagas that were recovered; none of one that had ended."""

    point: KillPoint
    store: Path
    reports: list[dict[str, Any]] = field(default_factory=list)

    @property
    def begun(self) -> bool:
        """Whether any line had become durable when the process died; else nothing happened."""
        return any(open_input(str(self.store)).lines())

    @property
    def runnable(self) -> Runnable:
        """The runnable, as a process of today would load it."""
        return load(self.point.saga, self.store)


def kill_points(saga: str) -> "list[KillPoint]":
    """Every place where the saga can be killed, found by letting it run once from beginning to end."""
    with tempfile.TemporaryDirectory() as folder:
        done = process("run", saga, Path(folder) / "saga.db")
        if done.returncode != 0:
            raise ChaosError(
                f"{saga} does not run without being killed (exit {done.returncode}): {done.stderr[-2000:]}"
            )
    return list(_points(saga, int(json.loads(done.stdout)["appends"])))


def _points(saga: str, appends: int) -> Iterator[KillPoint]:
    for number in range(1, appends + 1):
        yield KillPoint(saga, "before", number)
        yield KillPoint(saga, "after", number)


def kill_and_recover(point: KillPoint, folder: Path) -> Survivor:
    """Run the saga in a process that dies at the point, then recover it in another. Raises ChaosError."""
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "saga.db"
    died = process("run", point.saga, store, failpoint=f"{point.where}:{point.number}")
    if died.returncode != KILLED:
        raise ChaosError(f"{point.saga} was not killed at {point}: exit {died.returncode}\n{died.stderr[-2000:]}")
    return Survivor(point, store, recovered(point.saga, store))


def recovered(saga: str, store: Path) -> list[dict[str, Any]]:
    """What another process recovers. Raises ChaosError when it fails."""
    done = process("recover", saga, store)
    if done.returncode != 0:
        raise ChaosError(f"{saga} was not recovered: exit {done.returncode}\n{done.stderr[-2000:]}")
    reports: list[dict[str, Any]] = json.loads(done.stdout)["reports"]
    return reports


def process(
    what: str, saga: str, store: Path, *, failpoint: str = "", lease: float = LEASE
) -> "subprocess.CompletedProcess[str]":
    """A process of its own that runs or recovers the saga, and is killed at a failpoint when one is named.

    lease: seconds that it holds the saga without a sign of life.
    """
    begun = begin(what, saga, store, failpoint=failpoint, lease=lease)
    try:
        stdout, stderr = begun.communicate(timeout=TIMEOUT)
    except BaseException:
        begun.kill()
        begun.communicate()
        raise
    return subprocess.CompletedProcess(begun.args, begun.returncode, stdout, stderr)


def begin(what: str, saga: str, store: Path, *, failpoint: str = "", lease: float = LEASE) -> "subprocess.Popen[str]":
    """Begin such a process, and do not wait for it."""
    command = [sys.executable, "-m", "agent_saga.testing.child", what, saga, str(store), str(lease)]
    surroundings = {name: value for name, value in os.environ.items() if name != VARIABLE}
    path = os.pathsep.join(filter(None, dict.fromkeys(sys.path)))
    surroundings |= {"PYTHONPATH": path} | ({VARIABLE: failpoint} if failpoint else {})
    return subprocess.Popen(
        command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
