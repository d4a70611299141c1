"""Playing the demo's scenarios on Temporal: a worker in a process of its own, people in this one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import Client

from agent_saga.certify.report import Report as Certificate
from agent_saga.runtime import Report
from agent_saga.runtime.failpoint import VARIABLE
from agent_saga.runtime.temporal import SagaClient
from agent_saga.testing.asserting import judged
from agent_saga.testing.demo import choices
from agent_saga.testing.providers import Effect
from agent_saga.testing.scenarios import Scenario, Shop
from agent_saga.testing.scenarios.playing import WAITING, hand_in
from agent_saga.trace.store import open_store

CHILD = Path(__file__).with_name("temporal_child.py")
PATIENCE = 90.0
HEARTBEAT = 1.0


class Crew:
    """A worker process that is started again whenever it was killed."""

    def __init__(self, address: str, spec: str, store: Path, queue: str, *, kill: str = "", failpoint: str = "") -> None:
        self._command = [sys.executable, str(CHILD), address, spec, str(store), queue]
        self.log = store.with_name(store.name + ".activities")
        self._kill, self._failpoint = kill, failpoint
        self.deaths = 0
        self._running = self._begin(kill, failpoint)

    def _begin(self, kill: str = "", failpoint: str = "") -> subprocess.Popen[bytes]:
        surroundings = {name: value for name, value in os.environ.items() if name != VARIABLE}
        surroundings |= {VARIABLE: failpoint} if failpoint else {}
        with self.log.with_suffix(".stderr").open("ab") as stderr:
            command = [*self._command, kill, str(self.log)]
            return subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=stderr)

    def tend(self) -> None:
        """Start it again if it was killed. Fails when it ended in another way."""
        code = self._running.poll()
        if code is None:
            return
        if code != -9:
            words = self.log.with_suffix(".stderr").read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"the worker ended with {code}: {words[-3000:]}")
        self.deaths += 1
        self._running = self._begin()

    def die(self) -> None:
        """SIGKILL now."""
        self._running.kill()
        self._running.wait()

    @property
    def activities(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").split() if self.log.exists() else []

    def stop(self) -> None:
        self._running.terminate()
        try:
            self._running.wait(15)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()


@dataclass(frozen=True)
class Played:
    """What a scenario on Temporal came to."""

    report: Report
    lines: list[bytes]
    ledger: list[Effect]
    certificate: Certificate
    deaths: int
    activities: list[str]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        return {one.action: (one.times, one.undone) for one in self.ledger}

    @property
    def findings(self) -> frozenset[str]:
        return frozenset(one.code for one in self.certificate.findings)


async def play(
    client: Client, address: str, scenario: Scenario, folder: Path, *, kill: str = "", failpoint: str = ""
) -> Played:
    """Play a scenario, with a worker that may be killed on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "saga.db"
    shop, runnable = scenario.prepare(store), scenario(store)
    opened = open_store(store)
    crew = Crew(address, scenario.spec, store, str(folder), kill=kill, failpoint=failpoint)
    try:
        sagas = SagaClient(client, opened, task_queue=str(folder), heartbeat=HEARTBEAT)
        saga = await sagas.start(runnable.definition.name, goal=runnable.goal)
        report = await tended(crew, sagas.settled(saga))
        for _ in range(5):
            if not (scenario.decides and report.status in WAITING):
                break
            await tended(crew, hand_in(runnable, sagas, report, await opened.read(saga)))
            report = await tended(crew, sagas.settled(saga))
        crew.tend()
        lines = await opened.read(saga)
    finally:
        crew.stop()
        await opened.close()
    return Played(report, lines, shop.ledger(), certified(scenario, folder, lines), crew.deaths, crew.activities)


async def tended(crew: Crew, work: Any) -> Any:
    """Await it while the crew is kept alive."""
    task = asyncio.ensure_future(work)
    end = asyncio.get_running_loop().time() + PATIENCE
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=0.2)
            crew.tend()
            assert asyncio.get_running_loop().time() < end, f"nothing comes: {crew.activities}"
        return await task
    finally:
        task.cancel()


def certified(scenario: Scenario, folder: Path, lines: Sequence[bytes]) -> Certificate:
    trace = folder / "saga.jsonl"
    trace.write_bytes(b"".join(line + b"\n" for line in lines))
    return judged(trace, choices(scenario, trace))


def compared(lines: Sequence[bytes]) -> list[Any]:
    """The lines without what is different in every run: times, nonces, keys and what is a function of them."""
    return list(_compared([json.loads(line) for line in lines]))


def _compared(lines: Sequence[dict[str, Any]]) -> Iterator[Any]:
    keys: dict[str, str] = {}
    for line in lines:
        told = {name: value for name, value in line.items() if name not in ("at", "salt", "prev", "not_after", "action")}
        told["saga"] = "saga"
        if "key" in told:
            told["key"] = keys.setdefault(told["key"], f"key {len(keys) + 1}")
        if "proof" in told:
            told["proof"] = sorted(told["proof"])
        if "approvals" in told:
            told["approvals"] = len(told["approvals"])
        yield told


@contextmanager
def shop_of(folder: Path) -> Iterator[Shop]:
    yield Shop.forgetful(folder / "saga.db")
