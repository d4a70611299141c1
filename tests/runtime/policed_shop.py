"""A shop under a policy: charges that can be refunded, wires that cannot be recalled, and what really happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from runtime_approvers import AGENT, PEOPLE, Clock, no_sleep

from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy
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
    Result,
    SagaDefinition,
    ScriptedDriver,
    tool,
)
from agent_saga.runtime.approving import Pending, pending
from agent_saga.testing.approving import People
from agent_saga.trace.store import Store

TOOLS = """\
policy: shop
version: 1
owner: risk@example.com
tools:
  shop.charge:
    semantics: compensable
    undo: shop.refund
    args:
      type: object
      required: [customer, amount]
      properties:
        customer: {type: string}
        note: {type: string}
        amount:
          type: object
          required: [minor, currency]
          properties: {minor: {type: integer}, currency: {type: string}}
  shop.wire:
    semantics: irreversible
    args:
      type: object
      required: [to, amount]
      properties:
        to: {type: string}
        amount:
          type: object
          required: [minor, currency]
          properties: {minor: {type: integer}, currency: {type: string}}
"""
BUDGET = """\
limits:
  - id: daily
    sum: args.amount.minor
    of: tool == "shop.charge"
    per: [args.customer, args.amount.currency]
    window: PT24H
    max: 1000
"""


def policy(more: str = BUDGET) -> Policy:
    """The shop's policy with these members."""
    return load_policy("shop.yaml", text=(TOOLS + more).encode())


def charge(minor: int, customer: str = "c1", **more: Any) -> Proposal:
    """One charge."""
    return Proposal("shop.charge", {"customer": customer, "amount": {"minor": minor, "currency": "EUR"}} | more)


def wire(minor: int) -> Proposal:
    """One wire."""
    return Proposal("shop.wire", {"to": "DE02", "amount": {"minor": minor, "currency": "EUR"}})


@dataclass
class Shop:
    """The tools and the ledger. declined: the next charge is not done."""

    ledger: dict[str, int] = field(default_factory=dict)
    undone: dict[str, int] = field(default_factory=dict)
    declined: bool = False
    charge_class: Any = "compensable"
    conceal: tuple[str, ...] = ()

    def definition(self, goal: bool = True, **options: Any) -> SagaDefinition:
        """A saga without a plan over both tools."""

        @tool(name="shop.refund", semantics="compensable")
        async def refund(key: str, amount: dict[str, Any], call: Call) -> str:
            self.undone.setdefault(call.key, amount["minor"])
            return "refunded"

        undo = refund if self.charge_class == "compensable" else None

        @tool(name="shop.charge", semantics=self.charge_class, undo=undo, amount_from="/amount", conceal=self.conceal)
        async def charge(customer: str, amount: dict[str, Any], call: Call, note: str = "") -> Result:
            if self.declined:
                self.declined = False
                raise NotDone("declined")
            self.ledger.setdefault(call.key, amount["minor"])
            back = refund.call(key=call.key, amount=amount)
            return Result("charged", undo=back if undo else None)

        @charge.reconcile
        async def _(call: Call) -> Found:
            return Landed("charged") if call.key in self.ledger else Absent()

        @tool(name="shop.wire", semantics="irreversible", amount_from="/amount")
        async def wire(to: str, amount: dict[str, Any], call: Call) -> str:
            self.ledger.setdefault(call.key, amount["minor"])
            return "wired"

        def reached(facts: Any) -> bool:
            return goal

        limits = Limits(backoff=0.0, refusals=9, turns=20)
        return SagaDefinition("shop", [charge, wire], [reached], limits=limits, **options)


@dataclass
class Till:
    """Sagas of the shop over one store, each run by an engine of its own, as after a restart."""

    store: Store
    policy: Any = field(default_factory=policy)
    shop: Shop = field(default_factory=Shop)
    clock: Clock = field(default_factory=Clock)
    people: People = PEOPLE
    options: dict[str, Any] = field(default_factory=dict)

    def engine(self) -> Engine:
        """An engine that knows nothing of the ones before."""
        given = {"registry": self.people.registry, "clock": self.clock, "sleep": no_sleep}
        return Engine(self.store, policy=self.policy, **given | self.options)

    async def go(self, *script: Any, saga: str = "s-1", goal: bool = True) -> Report:
        """Run a saga of these proposals until it rests."""
        return await self.engine().run(self.shop.definition(goal), ScriptedDriver(script, name=AGENT), saga=saga)

    async def lines(self) -> list[bytes]:
        """Everything that was written."""
        return [line for _, line in await self.store.lines()]

    async def asked(self) -> Pending:
        """The one request that waits."""
        (one,) = pending(await self.lines())
        return one

    async def approve(self, *persons: str, saga: str = "s-1") -> None:
        """Let these people approve what waits."""
        for person in persons:
            await self.engine().approve(saga, self.people.answer(person, await self.asked(), now=self.clock.now))
