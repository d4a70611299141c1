"""A wire of 10 euros that waits for persons of the treasury, and a registry of who may approve it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_saga.proofs.keys import key_from_seed, save_key
from agent_saga.runtime import Absent, Call, Checked, Engine, Facts, Found, PlanDriver, SagaDefinition, Step, tool
from agent_saga.runtime.gate import Allow, Answer, NeedsApproval, Request, StaticGate
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.store import open_store

SECRET = "for tests only"
SAGA = "saga1AAAAAAAAAAAAAAAAA"
PROPOSER = "plan"


class Bank(list[Any]):
    """Where wires are booked."""

    def read_only(self) -> Bank:
        return self


SOFT = key_from_seed("ana.example", "approval", b"a" * 32)
PUBLIC = unpadded(SOFT.vkey.raw)


@tool(name="bank.wire", semantics="irreversible", strict=True)
def wire(to: str, minor: int, *, call: Call) -> dict[str, Any]:
    """Pay by wire."""
    call.provider("bank").append((call.key, to, minor))
    return {"paid": minor}


@wire.reconcile
def _(call: Call) -> Found:
    return Absent()


@tool(name="bank.quiet", semantics="irreversible", strict=True, conceal=("/args/to",))
def quiet(to: str, minor: int, *, call: Call) -> dict[str, Any]:
    """Pay by wire, to somebody whose account does not stand in the trace."""
    call.provider("bank").append((call.key, to, minor))
    return {"paid": minor}


@quiet.reconcile
def _(call: Call) -> Found:
    return Absent()


def paid(facts: Facts) -> Checked:
    return Checked(len(facts.provider("bank")) == 1, {"wires": len(facts.provider("bank"))})


PAY = SagaDefinition("pay", tools=[wire], checks=[paid], steps=[Step("wire", "bank.wire")])
QUIET = SagaDefinition("quiet", tools=[quiet], checks=[paid], steps=[Step("wire", "bank.quiet")])


@dataclass(frozen=True, slots=True)
class Eyes(StaticGate):
    """Everything needs so many persons of the treasury."""

    quorum: int = 1
    asked: tuple[str, ...] = ("treasury",)

    def judge(self, request: Request) -> Answer:
        return Allow() if request.approvals else NeedsApproval("eyes", self.asked, self.quorum, "D", 900.0)


def run(
    store: Path,
    registry: Path | None,
    *,
    quorum: int = 1,
    to: str = "DE02120300000000202051",
    bank: list[Any] | None = None,
    roles: tuple[str, ...] = ("treasury",),
    saga: str = SAGA,
    definition: SagaDefinition = PAY,
) -> str:
    """Run the saga until it ends or waits; returns its status. registry: None for a log that was opened with one."""

    async def work() -> str:
        known = json.loads(registry.read_text()) if registry else None
        opened = open_store(store)
        try:
            providers = {"bank": Bank() if bank is None else bank}
            gate = Eyes(quorum=quorum, asked=roles)
            engine = Engine(opened, gate=gate, registry=known, log="log.example/shop", providers=providers)
            driver = PlanDriver(lambda step, view: {"to": to, "minor": 1000})
            return (await engine.run(definition, driver, goal={}, saga=saga)).status
        finally:
            await opened.close()

    return asyncio.run(work())


def registry(folder: Path, **changed: Any) -> Path:
    """A registry file: Ana and Ben approve, Dan owns the agent, Eve may break the glass; nobody has a key yet."""
    whole = {
        "v": 1,
        "version": 1,
        "people": [
            {"id": "p-ana", "roles": ["treasury", "registrar"]},
            {"id": "p-ben", "roles": ["treasury", "registrar"]},
            {"id": "p-dan", "roles": ["treasury"]},
            {"id": "p-eve", "roles": ["break-glass", "decider"]},
        ],
        "agents": [{"id": PROPOSER, "owner": "p-dan"}],
        "rp": {"id": "approve.example", "origins": ["https://approve.example"]},
    } | changed
    path = folder / "registry-1.json"
    path.write_text(json.dumps(whole))
    return path


def software(folder: Path) -> Path:
    """Ana's software key."""
    path = folder / "ana.key"
    save_key(SOFT, path, SECRET.encode())
    return path
