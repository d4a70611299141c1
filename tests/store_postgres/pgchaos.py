"""The demo scenarios on a store in PostgreSQL, while the server, the network or the worker fails at an append.

A scenario's providers lie in files, so what really happened stands apart from the store that failed.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from pgserver import Server

from agent_saga.runtime.failpoint import VARIABLE
from agent_saga.runtime.recovering import NotRecovered
from agent_saga.testing.asserting import judged
from agent_saga.testing.demo import choices
from agent_saga.testing.providers import Fault
from agent_saga.testing.replaying import assert_replays
from agent_saga.testing.scenarios import SCENARIOS, Scenario, Shop
from agent_saga.testing.scenarios.playing import WAITING, decide, recover, run
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.postgres import connecting

HERE = Path(__file__).parent
LEASE = 0.3
"""Seconds until another process may take over: short, so that nobody waits for it."""
FAULTS = ("before", "during", "after")
"""When the fault strikes: before the append is handed over, while the store is at it, after it was acknowledged."""


@dataclass
class Strike:
    """A fault at one append of this process. done: it was reached."""

    number: int
    when: str
    blow: Callable[[], None]
    count: int = field(default=0)
    done: bool = field(default=False)

    async def through(self, append: Callable[[], Any]) -> Any:
        """Do an append, and strike if it is the one."""
        self.count += 1
        if self.done or self.count != self.number:
            return await append()
        self.done = True
        if self.when == "during":
            task = asyncio.ensure_future(append())
            await asyncio.sleep(0.002)
            self.blow()
            return await task
        if self.when == "before":
            self.blow()
        index = await append()
        if self.when == "after":
            self.blow()
        return index


@contextmanager
def striking(strike: Strike) -> Iterator[None]:
    """Let the fault strike at an append of any store of this process."""
    append = LocalStore.append

    async def struck(self: LocalStore, *args: Any, **kwargs: Any) -> int:
        index: int = await strike.through(lambda: append(self, *args, **kwargs))
        return index

    LocalStore.append = struck  # type: ignore[method-assign]
    try:
        yield
    finally:
        LocalStore.append = append  # type: ignore[method-assign]


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """How long a worker waits for a server that is away."""
    before = connecting.PATIENCE
    connecting.PATIENCE = seconds  # type: ignore[misc]
    try:
        yield
    finally:
        connecting.PATIENCE = before  # type: ignore[misc]


@dataclass(frozen=True)
class Played:
    """One scenario over one database. address: as the worker reaches it. direct: as the test does."""

    scenario: Scenario
    folder: Path
    address: str
    direct: str

    @property
    def path(self) -> Path:
        return self.folder / "saga.db"

    @property
    def cut(self) -> bool:
        """Whether a provider kills the process that calls it, once."""
        return any(fault is Fault.POWER_CUT for _, _, fault in self.scenario.faults)

    def begin(self) -> None:
        """Make the providers; where one of them kills its caller, that is a process of its own."""
        self.scenario.prepare(self.path)
        if self.cut:
            done = child("run", self.scenario, self.path, self.address)
            assert done.returncode == -9, done.stderr

    def go(self) -> None:
        """Run the saga, or take up what the killed process left; a fault of the store ends it."""
        work = recover if self.cut else run
        with suppress(StoreError, NotRecovered):
            asyncio.run(work(self.scenario(self.path), self.address, lease=LEASE))  # type: ignore[arg-type]

    def rest(self) -> None:
        """Bring the saga to rest, as another process would."""
        runnable = self.scenario(self.path)
        reports = asyncio.run(recover(runnable, self.direct, lease=LEASE))  # type: ignore[arg-type]
        if self.scenario.decides and not reports:
            reports = asyncio.run(self._waiting())
        for report in reports:
            if self.scenario.decides and report.status in WAITING:
                asyncio.run(decide(runnable, self.direct, report, lease=LEASE))  # type: ignore[arg-type]

    async def _waiting(self) -> list[Any]:
        """The report of the saga that waits already."""
        from agent_saga.trace.store import open_store

        opened = open_store(self.direct)
        try:
            engine = self.scenario(self.path).engine(opened, lease=LEASE)
            rows = [row.id for row in await opened.sagas(open_only=True)]
            runnable = self.scenario(self.path)
            return [await engine.run(runnable.definition, runnable.driver, saga=saga) for saga in rows]
        finally:
            await opened.close()

    def unwritten(self) -> list[str]:
        """The keys of what happened at a provider without a stored line that had intended it."""
        with psycopg.connect(self.direct) as connection:
            lines = b"\n".join(line for (line,) in connection.execute("SELECT line FROM agent_saga.lines"))
        return [one.key for one in Shop.beside(self.path).ledger() if f'"key":"{one.key}"'.encode() not in lines]

    def fault(self) -> str:
        """What is wrong at rest, "" when nothing is."""
        ledger = {e.action: (e.times, e.undone) for e in Shop.beside(self.path).ledger()}
        if not self.lines():
            return f"nothing was written, and the world has {ledger}" if ledger else ""
        report = judged(self.direct, choices(self.scenario, self.path))
        codes = {finding.code for finding in report.findings}
        unread = [one.error for one in report.inputs if one.error]
        if ledger != dict(self.scenario.ledger):
            return f"the world has {ledger}, not {dict(self.scenario.ledger)}"
        if codes != self.scenario.findings or unread:
            return f"certify finds {[f.because for f in report.findings]} {unread}"
        assert_replays(self.direct, self.scenario(self.path))
        return ""

    def lines(self) -> int:
        """How many lines the log has."""
        with psycopg.connect(self.direct) as connection:
            row = connection.execute("SELECT count(*) FROM agent_saga.lines").fetchone()
        assert row is not None
        return int(row[0])


def child(
    what: str, scenario: Scenario, path: Path, address: str, failpoint: str = ""
) -> subprocess.CompletedProcess[str]:
    """A process that runs or recovers the scenario on the store; killed at a failpoint if one is named."""
    surroundings = {name: value for name, value in os.environ.items() if name != VARIABLE}
    surroundings |= {"PYTHONPATH": os.pathsep.join(filter(None, dict.fromkeys(sys.path)))}
    surroundings |= {VARIABLE: failpoint} if failpoint else {}
    command = [sys.executable, str(HERE / "pgchild.py"), what, scenario.name, str(path), address, str(LEASE)]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120, check=False)


def server_killed(played: Played, server: Server, number: int, when: str, *, back: bool) -> tuple[bool, str]:
    """Kill the server at an append. back: it is started again at once, and the worker waits for it; else the worker
    gives up, and another one recovers. Returns whether the append was reached, and what is wrong at rest.
    """

    def blow() -> None:
        server.kill()
        if back:
            threading.Thread(target=server.start).start()

    strike = Strike(number, when, blow)
    played.begin()
    with striking(strike), patience(30.0 if back else 0.0):
        played.go()
    if not strike.done:
        return False, ""
    server.wait() if back else server.start()
    return True, _rested(played)


def network_cut(played: Played, proxy: Any, number: int, when: str) -> tuple[bool, str]:
    """Cut the network between the worker and the server at an append; mend it, and let another worker recover."""
    strike = Strike(number, when, proxy.cut)
    played.begin()
    with striking(strike), patience(0.0):
        played.go()
    if not strike.done:
        return False, ""
    unwritten = played.unwritten()
    proxy.mend()
    return True, f"without an intent: {unwritten}" if unwritten else _rested(played)


def _rested(played: Played) -> str:
    unwritten = played.unwritten()
    if unwritten:
        return f"without an intent: {unwritten}"
    played.rest()
    return played.fault()


NAMES = tuple(SCENARIOS)
