"""The page as a real server on localhost, over a store in which sagas wait for an approval."""

from __future__ import annotations

import asyncio
import http.client
import os
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

sys.path.append(str(Path(__file__).resolve().parents[1] / "ports"))


from agent_saga.approvals.registry import parse_registry
from agent_saga.console.app import make_app
from agent_saga.console.desk import Desk
from agent_saga.console.serving import Server, config
from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Engine,
    Facts,
    Limits,
    PlanDriver,
    Report,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.approving.standing import standings
from agent_saga.runtime.times import instant, utc_now
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.writer import SagaWriter

T = TypeVar("T")
ROLES = ("treasury",)


class Bank:
    """Keeps what was wired. wires: account and note."""

    def __init__(self) -> None:
        self.wires: list[tuple[str, str]] = []

    def read_only(self) -> Bank:
        """The same, for checks, which only look."""
        return self


@tool(name="bank.wire", version="2", semantics="irreversible")
def wire(to: str, note: str, *, call: Call) -> dict[str, str]:
    """Pay somebody by wire."""
    call.provider("bank").wires.append((to, note))
    return {"wire": call.key}


@wire.reconcile
def _found(call: Call) -> Absent:
    return Absent()


def paid(facts: Facts) -> Checked:
    """The bank has the wire."""
    wires = len(facts.provider("bank").wires)
    return Checked(wires > 0, {"wires": wires})


WIRES = SagaDefinition(
    "payout", tools=[wire], checks=[paid], steps=[Step("pay", "bank.wire")], limits=Limits(backoff=0.01)
)


def registry(origin: str, *keys: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Ana and Ben approve payments; Dan owns the agent that proposes them."""
    people = [{"id": "p-ana", "roles": ["treasury"]}, {"id": "p-ben", "roles": ["treasury"]}, {"id": "p-dan"}]
    return {
        "v": 1,
        "version": 1,
        "people": people,
        "agents": [{"id": "pay-agent", "owner": "p-dan"}],
        "keys": list(keys),
        "rp": {"id": "localhost", "origins": [origin]},
    } | more


class Site:
    """A server in a thread of its own; the store, the engine and the page share that thread's loop."""

    def __init__(
        self, store: Path | str, port: int, value: dict[str, Any], *, in_log: bool = False, approve: str = ""
    ) -> None:
        """value: the registry. in_log: the log is opened with it, and no file is given. approve: one more tool."""
        self._gate = StaticGate(roles=ROLES, approve=frozenset({approve}))
        self.port, self.origin, self.registry = port, f"http://localhost:{port}", value
        self.bank = Bank()
        self.wired = self.bank.wires
        self.counter = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._own: list[bytes] = []
        self._serving = self.call(self._begin(store, in_log))

    async def _begin(self, place: Path | str, in_log: bool) -> Future[None]:
        self.store = open_store(place)
        if in_log:
            await self._append("log.opened", origin="local", vkey="local+00000000+none", keys=self.registry)
        given = None if in_log else self.registry
        self.engine = Engine(self.store, registry=given, gate=self._gate, providers={"bank": self.bank})
        desk = Desk(self.store, self.engine, given, utc_now, os.urandom)
        app = make_app(desk, parse_registry(self.registry), self.origin, utc_now, os.urandom)
        ready = asyncio.Event()
        self._server = Server(config(app, "127.0.0.1", self.port), ready.set)
        serving = asyncio.ensure_future(self._server._serve())
        await ready.wait()
        return serving  # type: ignore[return-value]

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the site's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    async def _append(self, type: str, **members: Any) -> None:
        head = {"seq": len(self._own), "head": leaf_hash(self._own[-1])} if self._own else {}
        line = SagaWriter("log", os.urandom, **head).line(type, instant(utc_now()), **members)  # type: ignore[arg-type]
        await self.store.append([NewLine("log", len(self._own), line)])
        self._own.append(line)

    def change(self, type: str, **members: Any) -> None:
        """One more of the log's own lines."""
        self.call(self._append(type, **members))

    def in_force(self) -> Any:
        """What is in force by the log's own lines."""
        return standings(self._own)[-1]

    def begin(self, to: str = "DE02120300000000202051", note: str = "invoice 17") -> Report:
        """A saga that wants to pay, as far as it goes alone."""
        return self.run(WIRES, goal={"to": to, "note": note})

    def run(self, definition: SagaDefinition, **options: Any) -> Report:
        """A saga of this definition, whose steps take what the goal has."""
        driver = PlanDriver(lambda step, view: {"to": view.goal["to"], "note": view.goal["note"]}, name="pay-agent")
        return self.call(self.engine.run(definition, driver, **options))

    def go_on(self, saga: str) -> Report:
        """The saga, taken up again."""
        return self.run(WIRES, saga=saga)

    def lines(self, saga: str) -> list[Any]:
        """The saga's events."""
        return [decode(line)[0] for line in self.call(self.store.read(saga))]

    def answers(self, saga: str) -> list[Any]:
        return [one for one in self.lines(saga) if one.type == "approval.recorded"]

    def leaf(self, saga: str) -> str:
        """Of its approval.requested line: the name of the page about it."""
        lines = self.call(self.store.read(saga))
        return next(leaf_hash(line) for line in lines if decode(line)[0].type == "approval.requested")

    def count(self) -> int:
        """A counter for a passkey that is put into one more browser: never lower than any before."""
        self.counter += 1_000
        return self.counter

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """One request without a browser: status, headers, body. form: sent as a page of this origin would."""
        sent = {"Host": f"localhost:{self.port}"}
        if form is not None:
            sent |= {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET" if form is None else "POST", path, None if form is None else urlencode(form), sent)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def close(self) -> None:
        self._server.should_exit = True
        self.call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        await self._serving  # type: ignore[misc]
        await self.store.close()
