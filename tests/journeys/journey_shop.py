"""A saga with one of everything: concealed cards, wires that persons approve, a fallback, a child saga, replies lost.

A :class:`Way` says which of it a journey has.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from agent_saga.policies.loading import load_policy
from agent_saga.proofs.keys import SigningKey, key_from_seed
from agent_saga.proofs.log import open_log
from agent_saga.runtime import (
    Absent,
    Call,
    DecisionDriver,
    Engine,
    Facts,
    Found,
    Landed,
    Limits,
    NotDone,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    Step,
    tool,
)
from agent_saga.runtime.approving import pending
from agent_saga.runtime.children import saga_tool
from agent_saga.runtime.times import instant, utc_now
from agent_saga.testing.approving import People
from agent_saga.trace.store import open_store

ORIGIN = "log.example/journey"
KEY: SigningKey = key_from_seed(ORIGIN, "log", bytes(32))
PEOPLE = People({"mira": ["approver"]}, agents={"buyer": "omar"})
CARD, IBAN = "4111-1111-of-somebody", "DE02-of-somebody"
POLICY = """\
policy: journey
version: 1
owner: risk@example.com
tools:
  stock.reserve: {semantics: reversible, undo: stock.release}
  pay.charge:
    semantics: compensable
    undo: pay.refund
    args:
      type: object
      required: [amount]
      properties:
        card: {}
        amount:
          type: object
          required: [minor, currency]
          properties: {minor: {type: integer}, currency: {type: string}}
  ship.fast: {semantics: compensable, undo: ship.cancel}
  ship.slow: {semantics: compensable, undo: ship.cancel}
  gift.send: {semantics: compensable, undo: gift.send.undo}
  bank.wire: {semantics: irreversible}
  mail.book: {semantics: compensable, undo: mail.cancel}
irreversible: {roles: [approver]}
limits:
  - id: daily
    sum: args.amount.minor
    of: tool == "pay.charge"
    per: [args.amount.currency]
    window: PT24H
    max: 9999
"""


@dataclass(frozen=True)
class Way:
    """What a journey has. rules: the gate's, or a policy's.

    ending: all is done, a reply is lost, or the last step fails.
    """

    store: Literal["s.db", "s.jsonl"] = "s.db"
    log: Literal["no log", "log"] = "log"
    rules: Literal["gate", "policy"] = "policy"
    values: Literal["open", "concealed"] = "concealed"
    child: Literal["alone", "child"] = "child"
    wire: Literal["no wire", "wire"] = "wire"
    ship: Literal["fast", "slow"] = "slow"
    order: Literal["in turn", "together"] = "together"
    ending: Literal["done", "lost", "failed"] = "done"

    @property
    def possible(self) -> bool:
        """A log stands beside SQLite only, and what cannot be undone does not fail afterwards."""
        return not (self.log == "log" and self.store == "s.jsonl") and not (
            self.wire == "wire" and self.ending == "failed"
        )

    def __str__(self) -> str:
        return "-".join(getattr(self, one.name).replace(" ", "_") for one in fields(self))


def ways() -> Iterator[Way]:
    """Every one that is possible."""
    hints = get_type_hints(Way)
    each = [get_args(hints[one.name]) for one in fields(Way)]
    return (way for found in itertools.product(*each) if (way := Way(*found)).possible)


def covering(all_ways: list[Way]) -> list[Way]:
    """Few of them, in which any two values that can meet do meet."""
    left = {pair for way in all_ways for pair in pairs(way)}
    chosen = []
    while left:
        best = max(all_ways, key=lambda way: len(left.intersection(pairs(way))))
        chosen.append(best)
        left.difference_update(pairs(best))
    return chosen


def pairs(way: Way) -> list[tuple[Any, ...]]:
    """Every two things that it has."""
    return list(itertools.combinations([(one.name, getattr(way, one.name)) for one in fields(way)], 2))


class Shop:
    """The providers: what was done and undone, by key."""

    def __init__(self, way: Way) -> None:
        self.way, self.done, self.undone = way, dict[str, str](), dict[str, str]()

    def definition(self, engine: Engine) -> tuple[SagaDefinition, DecisionDriver]:
        """The saga and the agent that runs it."""
        way, tools = self.way, self._tools()
        steps = [
            Step("reserve", "stock.reserve"),
            Step("charge", "pay.charge"),
            Step("fast", "ship.fast", after=("reserve",)),
            Step("slow", "ship.slow", fallback_for="fast"),
        ]
        if way.child == "child":
            kid = SagaDefinition("gift", [tools[0]], [_reached], steps=[Step("reserve", "stock.reserve")])
            driver = PlanDriver(lambda step, view: {"sku": "ribbon"}, name="buyer")
            tools.append(saga_tool(engine, kid, driver, name="gift.send"))
            steps.append(Step("gift", "gift.send"))
        steps.append(Step("wire", "bank.wire") if way.wire == "wire" else Step("mail", "mail.book"))
        unused = {"bank.wire", "mail.book"} - {step.tool for step in steps}
        args: dict[str, dict[str, Any]] = {
            "reserve": {"sku": "lamp"},
            "charge": {"card": CARD, "amount": {"minor": 1200, "currency": "EUR"}},
            "gift": {"goal": "a ribbon"},
            "wire": {"iban": IBAN},
        }
        agent = PlanDriver(lambda step, view: args.get(step, {}), name="buyer", together=way.order == "together")
        used = [one for one in tools if one.name not in unused]
        return SagaDefinition("order", used, [_reached], steps=steps, limits=Limits(backoff=0.0)), agent

    def _tools(self) -> list[Any]:
        way, done = self.way, self.done
        hidden = way.values == "concealed"

        @tool(name="stock.release", semantics="reversible")
        async def release(hold: str, call: Call) -> str:
            return self._undo(call, hold)

        @tool(name="stock.reserve", semantics="reversible", undo=release)
        async def reserve(sku: str, call: Call) -> Result:
            return Result(self._do(call, "reserve"), undo=release.call(hold=call.key))

        @tool(name="pay.refund", semantics="compensable", conceal=("/args/token",) if hidden else ())
        async def refund(token: str, amount: dict[str, Any], call: Call) -> str:
            return self._undo(call, token)

        @tool(
            name="pay.charge",
            semantics="compensable",
            undo=refund,
            amount_from="/amount",
            conceal=("/args/card", "/result/token") if hidden else (),
        )
        async def charge(card: str, amount: dict[str, Any], call: Call) -> Result:
            done[call.key] = "charge"
            if way.ending == "lost":
                raise TimeoutError("no reply")
            return Result({"token": f"t-{call.key}"}, undo=refund.call(token=f"t-{call.key}", amount=amount))

        @charge.reconcile
        async def _(call: Call) -> Found:
            if call.key not in done:
                return Absent()
            undo = refund.call(token=f"t-{call.key}", amount=call.args["amount"])
            return Landed({"token": f"t-{call.key}"}, undo=undo)

        @tool(name="ship.cancel", semantics="compensable")
        async def cancel(parcel: str, call: Call) -> str:
            return self._undo(call, parcel)

        @tool(name="ship.fast", semantics="compensable", undo=cancel)
        async def fast(call: Call) -> Result:
            if way.ship == "slow":
                raise NotDone("no van today")
            return Result(self._do(call, "fast"), undo=cancel.call(parcel=call.key))

        @tool(name="ship.slow", semantics="compensable", undo=cancel)
        async def slow(call: Call) -> Result:
            return Result(self._do(call, "slow"), undo=cancel.call(parcel=call.key))

        @tool(name="bank.wire", semantics="irreversible", conceal=("/args/iban",) if hidden else ())
        async def wire(iban: str, call: Call) -> str:
            return self._do(call, "wire")

        @tool(name="mail.cancel", semantics="compensable")
        async def unbook(letter: str, call: Call) -> str:
            return self._undo(call, letter)

        @tool(name="mail.book", semantics="compensable", undo=unbook)
        async def mail(call: Call) -> Result:
            if way.ending == "failed":
                raise NotDone("declined")
            return Result(self._do(call, "mail"), undo=unbook.call(letter=call.key))

        return [reserve, charge, fast, slow, wire, mail]

    def _do(self, call: Call, what: str) -> str:
        self.done[call.key] = what
        return what

    def _undo(self, call: Call, what: str) -> str:
        self.undone[call.key] = what
        return "undone"


def _reached(facts: Facts) -> bool:
    return True


async def played(way: Way, folder: Path, sagas: tuple[str, ...], now: float) -> Path:
    """Open the store, and the log where there is one, and run these sagas to their ends; returns the store's path."""
    path, policy = folder / way.store, folder / "policy.yaml"
    policy.write_text(POLICY, "utf-8")
    (folder / "registry.json").write_text(json.dumps(PEOPLE.registry), "utf-8")
    given: dict[str, Any] = {"policy": str(policy)} if way.rules == "policy" else {}
    if way.log == "log":
        digest = load_policy(str(policy)).digest if given else ""
        open_log(str(path), KEY, origin=ORIGIN, now=now, random=os.urandom, registry=PEOPLE.registry, policy=digest)
    else:
        given["registry"] = PEOPLE.registry
    store = open_store(path)
    engine = Engine(store, **given)
    for saga in sagas:
        report = await _ended(engine, Shop(way), saga)
        assert report.status == ("compensated_verified" if way.ending == "failed" else "succeeded_verified")
    await store.close()
    return path


async def _ended(engine: Engine, shop: Shop, saga: str) -> Report:
    definition, driver = shop.definition(engine)
    report = await engine.run(definition, driver, saga=saga)
    while report.status == "waiting_approval":
        for asked in pending([line for _, line in await engine.store.lines()]):
            opened = await engine.store.disclosures(asked.saga)
            proof = PEOPLE.answer("mira", asked, now=instant(utc_now()), disclosures=opened)
            await engine.approve(asked.saga, proof)
        report = await engine.run(definition, driver, saga=saga)
    return report
