"""Traces made in bulk by the real runtime under a policy: thousands of checkouts and payouts, the same bytes each time.

    python tests/bench/bulk.py FILE --sagas 10000          writes FILE, and OLD.yaml, NEW.yaml, registry.json beside it

Customers buy on several days; some buy too much or spend their daily budget, some cards are declined, some shipments
fail so that everything is undone, and suppliers are paid by wire, which one person approves and two must above a sum.
OLD.yaml is the policy that the runtime ran under; NEW.yaml is the stricter one that a team thinks about, and it asks
for a country, which some charges do not name.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agent_saga.policies.loading import load_policy
from agent_saga.runtime import Call, Engine, Facts, NotDone, PlanDriver, Result, SagaDefinition, Step, View, tool
from agent_saga.runtime.approving import pending
from agent_saga.runtime.times import instant
from agent_saga.testing.approving import People
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.memory import MemoryEngine

AGENT, OWNER, APPROVERS = "buyer", "omar", ("mira", "noor")
MONEY = """{type: object, required: [minor, currency],
          properties: {minor: {type: integer}, currency: {type: string}}}"""
OLD = f"""\
policy: shop
version: 1
owner: risk@shop.example
tools:
  shop.reserve:
    semantics: compensable
    undo: shop.release
    args: {{type: object, required: [item, count], properties: {{item: {{type: string}}, count: {{type: integer}}}}}}
  shop.charge:
    semantics: compensable
    undo: shop.refund
    args:
      type: object
      required: [customer, amount]
      properties:
        customer: {{type: string}}
        country: {{type: string}}
        amount: {MONEY}
  shop.wire:
    semantics: irreversible
    args: {{type: object, required: [to, amount], properties: {{to: {{type: string}}, amount: {MONEY}}}}}
rules:
  - id: few-items
    when: tool == "shop.reserve" && args.count > 8
    then: deny
  - id: large-wire
    when: tool == "shop.wire" && args.amount.minor > 60000
    then: {{approve: {{quorum: 2}}}}
limits:
  - id: daily-spend
    sum: args.amount.minor
    of: tool == "shop.charge"
    per: [args.customer, args.amount.currency]
    window: PT24H
    max: 60000
"""
NEW = (
    OLD.replace("version: 1", "version: 2")
    .replace("args.count > 8", "args.count > 4")
    .replace("minor > 60000", "minor > 30000")
    .replace("max: 60000", "max: 25000")
    .replace("[customer, amount]", "[customer, country, amount]")
    .replace(
        "limits:",
        """  - id: no-trade
    when: tool == "shop.charge" && args.country in ["KP", "SY"]
    then: deny
limits:""",
    )
)


class Money(BaseModel):
    """An amount as a trace writes it."""

    minor: int
    currency: str


@tool(name="shop.release", semantics="compensable")
def release(reservation: str) -> dict[str, str]:
    """Put items back."""
    return {"release": reservation}


@tool(name="shop.refund", semantics="compensable", amount_from="/amount")
def refund(charge: str, amount: Money) -> dict[str, str]:
    """Give a charge back."""
    return {"refund": charge}


@tool(name="shop.reserve", semantics="compensable", undo=release)
def reserve(item: str, count: int, *, call: Call) -> Result:
    """Set items aside."""
    name = sha256(f"{call.saga} {item}".encode()).hexdigest()[:12]
    return Result({"reservation": name}, release.call(reservation=name))


def _charged(customer: str, amount: Money, saga: str) -> Result:
    """Take the price; every seventeenth card is declined."""
    name = sha256(f"{saga} {customer}".encode()).hexdigest()[:12]
    if amount.minor % 17 == 0:
        raise NotDone("the card was declined")
    return Result({"charge": name}, refund.call(charge=name, amount=amount.model_dump()))


@tool(name="shop.charge", semantics="compensable", undo=refund, amount_from="/amount")
def charge(customer: str, country: str, amount: Money, *, call: Call) -> Result:
    """Take the price from a card of a country."""
    return _charged(customer, amount, call.saga)


@tool(name="shop.charge", semantics="compensable", undo=refund, amount_from="/amount")
def charge_before(customer: str, amount: Money, *, call: Call) -> Result:
    """The same, as some agents still call it."""
    return _charged(customer, amount, call.saga)


@tool(name="shop.wire", semantics="irreversible", amount_from="/amount", strict=True)
def wire(to: str, amount: Money) -> dict[str, str]:
    """Pay a supplier."""
    return {"wire": to}


async def goal_reached(facts: Facts) -> bool:
    """What was bought is delivered, four times out of five."""
    name = str(next(iter(facts.results.values())))
    return sha256(name.encode()).digest()[0] >= 51 or "wire" in facts.results


CHECKOUT = SagaDefinition(
    "checkout", [reserve, charge], [goal_reached], [Step("reserve", "shop.reserve"), Step("charge", "shop.charge")]
)
OLD_CHECKOUT = SagaDefinition("checkout", [reserve, charge_before], [goal_reached], CHECKOUT.steps)
PAYOUT = SagaDefinition("payout", [wire], [goal_reached], [Step("wire", "shop.wire")])


def _arguments(step: str, view: View) -> dict[str, Any]:
    args: dict[str, Any] = view.goal[step]
    return args


class Bulk:
    """A shop, its clock and its chance: the same for the same number of sagas."""

    def __init__(self, seed: int = 1) -> None:
        self._rng, self._count = random.Random(seed), 0
        self._now = datetime(2026, 3, 1, 8, tzinfo=UTC)
        roles = {person: ["approver"] for person in APPROVERS}
        self.people = People(roles, agents={AGENT: OWNER}, random=self._bytes)
        self._store = LocalStore(MemoryEngine(random=self._bytes))
        policy = load_policy("OLD.yaml", text=OLD.encode())
        self._engine = Engine(
            self._store,
            policy=policy,
            registry=self.people.registry,
            log="shop.example/bulk",
            clock=self._clock,
            sleep=_at_once,
            random=self._bytes,
        )
        self._driver = PlanDriver(_arguments, name=AGENT)

    def _bytes(self, size: int) -> bytes:
        self._count += 1
        return b"".join(sha256(f"{self._count} {part}".encode()).digest() for part in range(size // 32 + 1))[:size]

    def _clock(self) -> datetime:
        self._now += timedelta(milliseconds=3)
        return self._now

    def _goal(self) -> dict[str, Any]:
        rng = self._rng
        money = {"minor": rng.randrange(100, 20_000), "currency": rng.choice(("EUR", "EUR", "USD"))}
        if rng.random() < 0.06:
            return {"wire": {"to": f"s-{rng.randrange(9)}", "amount": money | {"minor": rng.randrange(1, 90_000)}}}
        bought = {"item": f"i-{rng.randrange(99)}", "count": min(9, 1 + int(rng.expovariate(0.5)))}
        paid = {"customer": f"c-{rng.randrange(60)}", "amount": money}
        paid |= {"country": rng.choice(("DE", "FR", "SY"))} if rng.random() < 0.95 else {}
        return {"reserve": bought, "charge": paid}

    async def run(self, sagas: int) -> None:
        """Play so many sagas, one after another, minutes apart."""
        for _ in range(sagas):
            self._now += timedelta(seconds=self._rng.randrange(1, 120))
            goal = self._goal()
            definition = PAYOUT if "wire" in goal else CHECKOUT if "country" in goal["charge"] else OLD_CHECKOUT
            report = await self._engine.run(definition, self._driver, goal=goal)
            if report.status == "waiting_approval":
                await self._approve(report.saga)
                await self._engine.run(definition, self._driver, saga=report.saga)

    async def _approve(self, saga: str) -> None:
        """As many persons as are asked."""
        (asked,) = pending(await self._store.read(saga))
        for person in APPROVERS[: asked.requested.quorum]:
            proof = self.people.answer(person, asked, now=instant(self._clock()))
            await self._engine.approve(saga, proof)

    async def lines(self) -> list[bytes]:
        """The whole log, in its order."""
        found: list[bytes] = []
        while part := await self._store.lines(len(found)):
            found += [line for _, line in part]
        return found

    async def close(self) -> None:
        """Let go of the store."""
        await self._store.close()


async def _at_once(seconds: float) -> None:
    """Nobody waits."""


async def made(sagas: int) -> tuple[list[bytes], People]:
    """The log of so many sagas, and the people who sign in it."""
    bulk = Bulk()
    try:
        await bulk.run(sagas)
        return await bulk.lines(), bulk.people
    finally:
        await bulk.close()


def write(path: Path, sagas: int) -> Iterator[str]:
    """Write the trace, both policies and the registry; gives the names of the files."""
    lines, people = asyncio.run(made(sagas))
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    texts = {"OLD.yaml": OLD, "NEW.yaml": NEW, "registry.json": json.dumps(people.registry)}
    for name, text in texts.items():
        (path.parent / name).write_text(text, "utf-8")
    yield from (path.name, *texts)


def main(arguments: list[str]) -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python tests/bench/bulk.py", description="Make traces with the runtime.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--sagas", type=int, default=10_000, metavar="N")
    chosen = parser.parse_args(arguments)
    print(*write(chosen.file, chosen.sagas))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
