"""A bank whose wires persons approve, people who do, and a clock that the test turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_saga.runtime import (
    Absent,
    Call,
    Engine,
    Found,
    Landed,
    Limits,
    NotDone,
    Proposal,
    Report,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    Unresolved,
    tool,
)
from agent_saga.runtime.approving import Pending, pending
from agent_saga.runtime.times import instant
from agent_saga.testing.approving import People
from agent_saga.trace.store import Store

AGENT = "teller"
PEOPLE = People(
    {"ana": ["approver"], "ben": ["approver", "decider"], "cyd": [], "eve": ["break-glass"], "own": ["approver"]},
    agents={AGENT: "own", "scripted": "own"},
)
WIRE = {"to": "DE02", "amount": {"minor": 1000, "currency": "EUR"}}


@dataclass
class Bank:
    """Wires money. wired: what really left, by key. lost: the next reply is lost. deaf: each is, and it never says.

    busy: the next call is not done, and may be tried again.
    """

    wired: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    lost: bool = False
    deaf: bool = False
    busy: bool = False

    def definition(self, steps: tuple[str, ...] = ("wire",), **options: Any) -> SagaDefinition:
        """A saga of wires."""

        @tool(**{"name": "bank.wire", "semantics": "irreversible", "amount_from": "/amount"} | options)
        async def wire(to: str, amount: dict[str, Any], call: Call) -> str:
            self.calls += 1
            if self.busy:
                self.busy = False
                raise NotDone("busy", retry=True)
            self.wired.setdefault(call.key, amount["minor"])
            if self.lost or self.deaf:
                self.lost = False
                raise TimeoutError("the reply was lost")
            return "wired"

        @wire.reconcile
        async def _(call: Call) -> Found:
            if self.deaf:
                return Unresolved("the bank is silent")
            return Landed("wired") if call.key in self.wired else Absent()

        def done(facts: Any) -> bool:
            return True

        return SagaDefinition(
            "house", [wire], [done], [Step(name, "bank.wire") for name in steps], Limits(backoff=0.0, refusals=9)
        )


class Clock:
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    @property
    def now(self) -> str:
        """As a line writes it."""
        return instant(self.at)

    def turn(self, seconds: float) -> None:
        """Let time pass."""
        self.at += timedelta(seconds=seconds)


async def no_sleep(seconds: float) -> None:
    """Nobody waits."""


@dataclass
class House:
    """One saga of wires over a store; each call is an engine of its own, as after a restart."""

    store: Store
    bank: Bank = field(default_factory=Bank)
    clock: Clock = field(default_factory=Clock)
    quorum: int = 2
    args: dict[str, Any] = field(default_factory=lambda: WIRE)
    registry: Any = field(default_factory=lambda: PEOPLE.registry)
    seconds: float = 900.0
    options: dict[str, Any] = field(default_factory=dict)

    def engine(self) -> Engine:
        """An engine that knows nothing of the ones before."""
        gate = StaticGate(quorum=self.quorum, seconds=self.seconds, approve=frozenset({"bank.wire"}))
        return Engine(self.store, gate=gate, registry=self.registry, clock=self.clock, sleep=no_sleep)

    async def go(self, saga: str = "s-1") -> Report:
        """Run the saga until it rests."""
        driver = ScriptedDriver([Proposal("bank.wire", self.args)] * 9, name=AGENT)
        return await self.engine().run(self.bank.definition(**self.options), driver, saga=saga)

    async def lines(self) -> list[bytes]:
        """Everything that was written."""
        return [line for _, line in await self.store.lines()]

    async def asked(self) -> Pending:
        """The one request that waits."""
        (one,) = pending(await self.lines())
        return one

    async def proof(self, person: str, decision: Any = "approve", people: People = PEOPLE, **more: Any) -> Any:
        """This person's signed answer to what waits."""
        disclosures = await self.store.disclosures("s-1")
        return people.answer(
            person, await self.asked(), decision, **{"now": self.clock.now, "disclosures": disclosures} | more
        )

    async def approve(self, *persons: str) -> None:
        """Let these people approve what waits."""
        for person in persons:
            await self.engine().approve("s-1", await self.proof(person))
