"""What the calls of a saga move is bounded, gross and by currency, before any intent."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel
from runtime_approvers import PEOPLE

from agent_saga.runtime import (
    Absent,
    Call,
    DefinitionError,
    Engine,
    Found,
    Landed,
    Limits,
    NotDone,
    Proposal,
    Result,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.approving import pending
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.actions import Moment
from agent_saga.runtime.kernel.fold import apply
from agent_saga.runtime.kernel.money import moved_in, overdrawn
from agent_saga.runtime.kernel.soundness import Case
from agent_saga.runtime.kernel.state import APPLIED, FAILED, OPEN, Effect, State
from agent_saga.runtime.times import instant, utc_now
from agent_saga.trace.store import open_store


class Money(BaseModel):
    minor: int
    currency: str


def eur(minor: int, currency: str = "EUR") -> dict[str, Any]:
    return {"minor": minor, "currency": currency}


class Bank:
    """A provider that counts what it moved. behave: by number of the call, "busy", "declined", "lost" or "gone"."""

    def __init__(self, **behave: str) -> None:
        self.moved: list[int] = []
        self.keys: set[str] = set()
        self._behave, self._calls = behave, count(1)

    def definition(self, limits: Limits, *steps: str) -> SagaDefinition:
        @tool(name="refund", semantics="compensable")
        async def refund(key: str) -> str:
            return "refunded"

        @tool(name="pay", semantics="compensable", undo=refund, amount_from="/amount")
        async def pay(amount: Money, call: Call) -> Result:
            told = self._behave.get(f"call_{next(self._calls)}", "")
            if told in ("busy", "declined"):
                raise NotDone(told, retry=told == "busy")
            if told != "gone":
                self.moved.append(amount.minor)
                self.keys.add(call.key)
            if told:
                raise OSError("no reply")
            return Result({}, undo=refund.call(key=call.key))

        @pay.reconcile
        async def _(call: Call) -> Found:
            return Landed({}, undo=refund.call(key=call.key)) if call.key in self.keys else Absent()

        @tool(name="quote", semantics="preview", amount_from="/amount")
        async def quote(amount: Money) -> str:
            return "that much"

        def paid(facts: Any) -> bool:
            return True

        return SagaDefinition("pay", [pay, quote], [paid], [Step(name, "pay", after=()) for name in steps], limits)


async def ran(bank: Bank, limits: Limits, script: list[Any], *steps: str, gate: Any = None) -> tuple[Any, list[bytes]]:
    store = open_store(":memory:")
    engine = Engine(store, gate=gate or StaticGate())
    report = await engine.run(bank.definition(limits, *steps), ScriptedDriver(script), saga="s-1")
    return report, [line for _, line in await store.lines()]


def pay(minor: int, currency: str = "EUR") -> Proposal:
    return Proposal("pay", {"amount": eur(minor, currency)})


LIMITED = Limits(backoff=0.0, refusals=9, money={"EUR": 100, "USD": 5})

CASES: list[tuple[dict[str, str], list[Any], list[int], list[dict[str, Any]]]] = [
    ({}, [pay(60), pay(40)], [60, 40], []),
    ({}, [pay(60), pay(41), pay(40)], [60, 40], [{"allowed": 100, "moved": 60, "asked": 41, "currency": "EUR"}]),
    ({}, [[pay(60), pay(41)]], [60], [{"allowed": 100, "moved": 60, "asked": 41, "currency": "EUR"}]),
    (
        {},
        [pay(100), pay(5, "USD"), pay(1, "JPY")],
        [100, 5],
        [{"allowed": 0, "moved": 0, "asked": 1, "currency": "JPY"}],
    ),
    ({}, [Proposal("quote", {"amount": eur(10**6)}), pay(100)], [100], []),
    ({"call_1": "declined"}, [pay(60), pay(100)], [100], []),
    ({"call_1": "busy"}, [pay(60), pay(41)], [60], [{"allowed": 100, "moved": 60, "asked": 41, "currency": "EUR"}]),
    ({"call_1": "lost"}, [pay(60), pay(41)], [60], [{"allowed": 100, "moved": 60, "asked": 41, "currency": "EUR"}]),
    ({"call_1": "gone"}, [pay(60), pay(41)], [60], [{"allowed": 100, "moved": 60, "asked": 41, "currency": "EUR"}]),
]


@pytest.mark.parametrize("behave, script, moved, refused", CASES)
def test_a_call_beyond_the_limit_is_refused_and_the_agent_is_told(
    run: Any, judge: Any, behave: dict[str, str], script: list[Any], moved: list[int], refused: list[dict[str, Any]]
) -> None:
    bank = Bank(**behave)
    report, lines = run(ran(bank, LIMITED, script))
    assert bank.moved == moved
    assert [one.reason for one in report.state.refusals] == [{"limit": "money"} | one for one in refused]
    assert {one.code for one in report.state.refusals} <= {"money"}
    assert report.status == "succeeded_verified"
    assert not judge(lines).findings


@pytest.mark.parametrize("behave, script, moved, refused", CASES)
def test_what_moved_is_after_every_line_the_sum_over_every_call(
    run: Any, behave: dict[str, str], script: list[Any], moved: list[int], refused: Any
) -> None:
    bank, state = Bank(**behave), State()
    definition = bank.definition(LIMITED)
    for line in run(ran(bank, LIMITED, script))[1]:
        apply(state, line)
        calls = [one for one in state.effects.values() if one.amount and one.semantics != "preview"]
        counted = [one.amount for one in calls if one.amount and not (one.absent and plan.dead(one, definition))]
        for currency in ("EUR", "USD", "JPY"):
            each = sum(amount["minor"] for amount in counted if amount["currency"] == currency)
            assert moved_in(Case(state, definition, StaticGate(), Moment(""), "d"), currency) == each


@pytest.mark.parametrize("known", [OPEN, APPLIED, FAILED])
@pytest.mark.parametrize("hidden", ["minor", "currency"])
def test_while_nobody_can_say_what_moved_nothing_more_does(known: str, hidden: str) -> None:
    definition, state = Bank().definition(LIMITED), State()
    one = Effect("e1", "pay", {}, "k", eur(1) | {hidden: {"...": "A" * 43}}, "", state=known, semantics="compensable")
    state.effects["e1"] = state.loose["e1"] = one
    state.sort(one)
    case = Case(state, definition, StaticGate(), Moment(""), "d")
    over = overdrawn(case, definition.catalogue["pay"], {"amount": eur(1)})
    assert over is None if known == FAILED else over is not None and over["concealed"] is True


def test_what_a_person_settled_after_it_was_done_counts_once(run: Any) -> None:
    report, _ = run(ran(Bank(), LIMITED, [pay(60), pay(40)]))
    case = Case(report.state, Bank().definition(LIMITED), StaticGate(), Moment(""), "d")
    for one in report.state.effects.values():
        one.settled = "kept"
        report.state.sort(one)
        assert moved_in(case, "EUR") == 100


def test_without_a_limit_nothing_is_bounded(run: Any) -> None:
    bank = Bank()
    run(ran(bank, Limits(backoff=0.0), [pay(10**9), pay(10**9, "JPY")]))
    assert bank.moved == [10**9, 10**9]


def test_what_was_undone_still_counts(run: Any) -> None:
    """A saga that rolls back begins nothing new; the sum is gross all the same, as its state tells."""
    bank = Bank()
    definition = bank.definition(LIMITED, "a", "b")
    refusing = [pay(60), Proposal("nothing")] * 9
    report, _ = run(ran(bank, Limits(backoff=0.0, turns=1, money={"EUR": 100}), refusing, "a", "b"))
    assert report.status == "compensated_verified"
    assert moved_in(Case(report.state, definition, StaticGate(), Moment(""), "d"), "EUR") == 60


def test_what_was_approved_meanwhile_is_refused_when_the_limit_is_reached(run: Any, judge: Any) -> None:
    bank = Bank()
    definition = bank.definition(Limits(backoff=0.0, money={"EUR": 100}), "a", "b")
    driver = ScriptedDriver([[pay(60), pay(60)]])

    async def main() -> tuple[Any, list[bytes]]:
        store = open_store(":memory:")
        engine = Engine(store, gate=StaticGate(approve=frozenset({"pay"})), registry=PEOPLE.registry)
        report = await engine.run(definition, driver, saga="s-1")
        assert (report.status, report.about) == ("waiting_approval", ("a", "b"))
        for one in pending(await store.read("s-1")):
            await engine.approve("s-1", PEOPLE.answer("ana", one, now=instant(utc_now())))
        report = await engine.run(definition, driver, saga="s-1")
        return report, [line for _, line in await store.lines()]

    report, lines = run(main())
    assert bank.moved == [60]
    assert [(one.step, one.code) for one in report.state.refusals] == [("b", "money")]
    assert judge(lines, PEOPLE.registry).findings == ()


@pytest.mark.parametrize("money", [{"eur": 1}, {"EUR": -1}, {"EUR": 1.5}, {"EUR": True}, {"EUR": 2**53}])
def test_a_limit_that_is_no_money_is_refused_with_the_definition(money: Any) -> None:
    with pytest.raises(DefinitionError, match="limit of money"):
        Bank().definition(Limits(money=money))
