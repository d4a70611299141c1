"""A policy that says what an undo must be: the engine makes no other one, and certify says the same of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from runtime_approvers import AGENT, PEOPLE, Clock, no_sleep

from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy
from agent_saga.runtime import (
    Call,
    Engine,
    Found,
    Landed,
    Limits,
    Proposal,
    Report,
    Result,
    SagaDefinition,
    ScriptedDriver,
    tool,
)
from agent_saga.runtime.approving import of_proof, paused
from agent_saga.runtime.kernel.actions import Append, Moment
from agent_saga.runtime.kernel.consent import NOBODY
from agent_saga.runtime.kernel.decide import decide
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.policing.gate import PolicyGate
from agent_saga.trace.codec import decode
from agent_saga.trace.store import open_store

Run = Callable[..., Any]
MONEY = {
    "type": "object",
    "required": ["minor", "currency"],
    "properties": {"minor": {"type": "integer"}, "currency": {"type": "string"}},
}


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(members), "properties": members}


CHARGE: dict[str, Any] = {
    "semantics": "compensable",
    "undo": "shop.refund",
    "args": _object(customer={"type": "string"}, amount=MONEY),
}
INVERSE = {
    "args": _object(customer={"type": "string"}, amount=MONEY),
    "amount": "undo.amount",
    "must": "undo.customer == args.customer",
}


def policy(**more: Any) -> Policy:
    """The shop's policy. more: of the tool that charges."""
    decide = {"kept": {"roles": ["approver"]}}
    made = {"policy": "shop", "version": 1, "owner": "risk", "tools": {"shop.charge": CHARGE | more}, "decide": decide}
    return load_policy("shop.json", text=json.dumps(made).encode())


NONE, STRICT = policy(), policy(amount="args.amount", inverse=INVERSE)


@dataclass
class Shop:
    """Charges whose tool says what undoes them. back: what else than the charge's own its refund has."""

    back: dict[str, Any]
    refunds: list[Any] = field(default_factory=list)

    def definition(self) -> SagaDefinition:
        """A saga that charges once; its catalogue names no amounts."""

        @tool(name="shop.refund", semantics="compensable")
        async def refund(customer: str, amount: dict[str, Any]) -> str:
            self.refunds.append((customer, amount["minor"], amount["currency"]))
            return "refunded"

        @tool(name="shop.charge", semantics="compensable", undo=refund)
        async def charge(customer: str, amount: dict[str, Any]) -> Result:
            return Result("charged", undo=refund.call(**({"customer": customer, "amount": amount} | self.back)))

        @charge.reconcile
        async def _(call: Call) -> Found:
            again = refund.call(**({"customer": call.args["customer"], "amount": call.args["amount"]} | self.back))
            return Landed("charged", undo=again)

        def reached(facts: Any) -> bool:
            return False

        limits = Limits(backoff=0.0, refusals=9, turns=20, reconciles=2)
        return SagaDefinition("shop", [charge], [reached], limits=limits)


@dataclass
class Till:
    """Sagas over one store, each run by an engine of its own."""

    shop: Shop
    store: Any = field(default_factory=lambda: open_store(":memory:"))
    clock: Clock = field(default_factory=Clock)

    def engine(self, by: Policy) -> Engine:
        return Engine(self.store, policy=by, registry=PEOPLE.registry, clock=self.clock, sleep=no_sleep)

    async def go(self, by: Policy = STRICT) -> Report:
        """Charge EUR 42.00, and refund where the goal is not reached."""
        script = [Proposal("shop.charge", {"customer": "c1", "amount": {"minor": 4200, "currency": "EUR"}})]
        driver = ScriptedDriver(script, name=AGENT)
        return await self.engine(by).run(self.shop.definition(), driver, saga="s-1")

    async def events(self) -> list[Any]:
        return [decode(line)[0] for _, line in await self.store.lines()]

    async def codes(self, folder: Path, by: Policy) -> list[str]:
        """What certify says of the log by a policy."""
        lines = [line for _, line in await self.store.lines()]
        (folder / "trace.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        (folder / "policy.json").write_text(json.dumps(_document(by)), "utf-8")
        choices = Choices(policies=(str(folder / "policy.json"),))
        report = certify([str(folder / "trace.jsonl")], Options(choices=choices))
        return [finding.code for finding in report.findings]


def _document(by: Policy) -> dict[str, Any]:
    more = {} if by is NONE else {"amount": "args.amount", "inverse": INVERSE}
    decide = {"kept": {"roles": ["approver"]}}
    return {"policy": "shop", "version": 1, "owner": "risk", "tools": {"shop.charge": CHARGE | more}, "decide": decide}


WRONG = [
    pytest.param({"amount": {"minor": 42_000, "currency": "EUR"}}, "EUR 420.00", id="ten times as much"),
    pytest.param({"amount": {"minor": 4200, "currency": "USD"}}, "USD 42.00", id="another currency"),
    pytest.param({"amount": {"minor": 420, "currency": "EUR"}}, "EUR 4.20", id="a tenth"),
    pytest.param({"customer": "c2"}, "undo.customer == args.customer", id="another customer"),
]


def test_an_undo_as_the_policy_wants_it_is_made(run: Run, tmp_path: Path) -> None:
    till = Till(Shop({}))
    report = run(till.go())
    assert (report.status, till.shop.refunds) == ("compensated_verified", [("c1", 4200, "EUR")])
    assert run(till.codes(tmp_path, STRICT)) == []


@pytest.mark.parametrize(("back", "words"), WRONG)
def test_another_undo_is_not_made_and_a_person_is_asked(run: Run, back: dict[str, Any], words: str) -> None:
    till = Till(Shop(back))
    report = run(till.go())
    assert (report.status, till.shop.refunds) == ("paused", [])
    (unknown,) = [event for event in run(till.events()) if event.type == "effect.unknown"]
    assert unknown.error["code"] == "wrong_undo"
    assert words in unknown.error["message"]


@pytest.mark.parametrize(("back", "words"), WRONG)
def test_without_a_word_of_the_policy_the_tools_own_undo_is_made(
    run: Run, tmp_path: Path, back: dict[str, Any], words: str
) -> None:
    till = Till(Shop(back))
    assert run(till.go(NONE)).status == "compensated_verified"
    assert len(till.shop.refunds) == 1
    assert run(till.codes(tmp_path, NONE)) == []


@pytest.mark.parametrize(("back", "words"), WRONG)
def test_what_was_recorded_before_the_policy_spoke_is_put_before_a_person(
    run: Run, back: dict[str, Any], words: str
) -> None:
    till = Till(Shop(back))
    run(till.go(NONE))
    lines = [line for _, line in run(till.store.lines())]
    place = [decode(line)[0].type for line in lines].index("rollback.started")
    state, moment = fold(lines[: place + 1]), Moment("2026-11-30T08:00:00.000000Z", "", "", NOBODY)
    definition = till.shop.definition()
    goes_on = decide(state, definition, PolicyGate(compile_policy(NONE)), moment)
    assert isinstance(goes_on, Append)
    assert [draft.type for draft in goes_on.drafts] == ["undo.intended"]
    waits = decide(state, definition, PolicyGate(compile_policy(STRICT)), moment)
    assert isinstance(waits, Append)
    (draft,) = waits.drafts
    assert (draft.type, draft.members["waiting"]) == ("saga.paused", ["e1"])
    assert words in draft.members["reason"]["what"][0]
    assert "its undo shop.refund was not made" in draft.members["reason"]["what"][0]


def test_a_person_may_keep_what_the_policy_lets_nobody_undo(run: Run) -> None:
    till = Till(Shop({"amount": {"minor": 42_000, "currency": "EUR"}}))

    async def use() -> Report:
        await till.go()
        (waits,) = paused([line for _, line in await till.store.lines()])
        proof = PEOPLE.decision("ana", waits, "e1", "kept", "we take it up with the bank", now=till.clock.now)
        await till.engine(STRICT).decide("s-1", of_proof(proof))
        return await till.go()

    assert run(use()).status == "closed_with_exceptions"
    assert till.shop.refunds == []
