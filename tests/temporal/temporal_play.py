"""Playing the demo's scenarios on Temporal: a worker in a process of its own, people in this one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
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
from agent_saga.testing.scenarios import Scenario
from agent_saga.testing.scenarios.playing import WAITING, hand_in
from agent_saga.trace.store import open_store

CHILD = Path(__file__).with_name("temporal_child.py")
PATIENCE = 90.0
HEARTBEAT = 1.0
VARIES = ("at", "salt", "prev", "not_after", "action")


class Crew:
    """A worker process that is started again whenever it was killed."""

    def __init__(self, address: str, spec: str, store: Path, queue: str, kills: Sequence[str] = ()) -> None:
        """kills: where the first, the second ... process dies: start:N or end:N (activities), before:N or after:N."""
        self._command = [sys.executable, str(CHILD), address, spec, str(store), queue]
        self.log = store.with_name(store.name + ".activities")
        self._kills = list(kills)
        self.deaths, self.rests = 0, False
        self._running = self._begin()

    def _begin(self) -> subprocess.Popen[bytes]:
        place = self._kills.pop(0) if self._kills else ""
        kill, failpoint = ("", place) if place.startswith(("before", "after")) else (place, "")
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
    client: Client,
    address: str,
    scenario: Scenario,
    folder: Path,
    *,
    kills: Sequence[str] = (),
    meanwhile: Callable[[Crew], Awaitable[None]] | None = None,
) -> Played:
    """Play a scenario, with a worker that may be killed on the way. meanwhile: what else happens."""
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "saga.db"
    shop, runnable = scenario.prepare(store), scenario(store)
    opened = open_store(store)
    crew = Crew(address, scenario.spec, store, str(folder), kills)
    try:
        sagas = SagaClient(client, opened, task_queue=str(folder), heartbeat=HEARTBEAT)
        saga = await sagas.start(runnable.definition.name, goal=runnable.goal)
        beside = asyncio.ensure_future(meanwhile(crew)) if meanwhile else None
        report = await tended(crew, sagas.settled(saga))
        for _ in range(5):
            if not (scenario.decides and report.status in WAITING):
                break
            await tended(crew, hand_in(runnable, sagas, report, await opened.read(saga)))
            report = await tended(crew, sagas.settled(saga))
        crew.tend()
        crew.rests = True
        if beside is not None:
            await beside
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
        told = {name: value for name, value in line.items() if name not in VARIES}
        told["saga"] = "saga"
        if "key" in told:
            told["key"] = keys.setdefault(told["key"], f"key {len(keys) + 1}")
        if "proof" in told:
            told["proof"] = sorted(told["proof"])
        if "approvals" in told:
            told["approvals"] = len(told["approvals"])
        yield told


def fault(scenario: Scenario, played: Played) -> str:
    """What is wrong about how it came to rest, "" when nothing is."""
    if any(not one.sound for one in played.ledger) or played.counts != dict(scenario.ledger):
        return f"the world has {played.counts}, not {dict(scenario.ledger)}"
    if played.report.status != scenario.status:
        return f"it rests {played.report.status}, not {scenario.status}"
    if played.findings != scenario.findings:
        return f"certify finds {[one.because for one in played.certificate.findings]}"
    return ""
