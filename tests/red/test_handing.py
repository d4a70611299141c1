"""What tools, checks and drivers are handed is theirs: they change no line by it, and who may only read cannot act."""

from __future__ import annotations

import asyncio
from typing import Any

from runtime_exploring import Clock, _no_sleep

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Engine,
    Facts,
    Found,
    Limits,
    PlanDriver,
    Proposal,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.drivers import Decision, DecisionDriver
from agent_saga.runtime.kernel.actions import View
from agent_saga.testing import assert_certified
from agent_saga.trace.store import Store, open_store

ITEM = PlanDriver(lambda step, view: {"item": {"id": "x"}})


class Bank:
    """A provider that counts what was paid."""

    def __init__(self) -> None:
        self.paid: list[str] = []

    def pay(self, item: str) -> None:
        """It acts."""
        self.paid.append(item)

    def read_only(self) -> tuple[str, ...]:
        """What was paid."""
        return tuple(self.paid)


class Paying:
    """A saga whose tool changes what it was handed, and whose first reply is lost."""

    def __init__(self, *, reached: bool = False) -> None:
        self.bank, self.calls, self._reached = Bank(), 0, reached
        self.store: Store = open_store(":memory:")

        @tool(name="refund", semantics="compensable")
        def refund(item: dict[str, str], call: Call) -> None:
            call.args["item"]["id"] = "y"
            self.bank.paid.remove(item["id"])

        @tool(name="pay", semantics="compensable", undo=refund)
        def pay(item: dict[str, str], call: Call) -> Result:
            self.calls += 1
            call.args["item"]["id"] = "y"
            item["id"] += "" if self.calls > 1 else "z"
            if self.calls == 1:
                raise OSError("the reply was lost")
            call.provider("bank").pay(item["id"])
            return Result({"ok": False}, undo=refund.call(item=item))

        @pay.reconcile
        def _(call: Call) -> Found:
            call.args.clear()
            return Absent()

        self.tool = pay

    def run(self, driver: DecisionDriver = ITEM) -> Report:
        """The saga, to its end."""

        def blind(facts: Facts) -> Checked:
            facts.results["pay"]["ok"] = True
            return Checked(True, None)

        def reached(facts: Facts) -> bool:
            return bool(facts.results["pay"]["ok"]) or self._reached

        definition = SagaDefinition("pay", [self.tool], [blind, reached], [Step("pay", "pay")], Limits(backoff=0.0))
        engine = Engine(self.store, gate=StaticGate(), providers={"bank": self.bank}, clock=Clock(), sleep=_no_sleep)
        return asyncio.run(engine.run(definition, driver))


def test_a_tool_that_changes_its_arguments_is_called_again_with_those_on_the_line() -> None:
    paying = Paying(reached=True)
    assert paying.run().status == "succeeded_verified"
    assert paying.bank.paid == ["x"]
    assert_certified(paying.store, sagas=1)


def test_a_check_that_changes_the_results_proves_nothing_to_the_next_one() -> None:
    paying = Paying()
    assert paying.run().status == "compensated_verified"
    assert paying.bank.paid == []
    assert_certified(paying.store, sagas=1)


class Meddling:
    """A driver that writes into what it is shown."""

    name, immediate = "meddling", True

    async def propose(self, view: View) -> Decision:
        """The step; then it touches up its result until it is done."""
        for result in view.facts.values():
            result["ok"] = True
        return await ITEM.propose(view)


def test_a_driver_that_changes_the_facts_reaches_no_goal_by_it() -> None:
    paying = Paying()
    assert paying.run(Meddling()).status == "compensated_verified"


def test_what_only_reads_is_handed_no_provider_that_acts() -> None:
    bank, store = Bank(), open_store(":memory:")
    faults: list[str] = []

    def act(about: Any) -> None:
        try:
            about.providers["bank"].pay("x")
        except AttributeError as fault:
            faults.append(str(fault))
        assert about.provider("bank") == about.providers["bank"] == ()
        assert list(about.providers) == ["bank"]
        assert len(about.providers) == 1

    @tool(name="look", semantics="preview")
    def look(call: Call) -> None:
        act(call)

    def reached(facts: Facts) -> bool:
        act(facts)
        return True

    definition = SagaDefinition("look", [look], [reached], [Step("look", "look")])
    engine = Engine(store, gate=StaticGate(), providers={"bank": bank}, clock=Clock(), sleep=_no_sleep)
    report = asyncio.run(engine.run(definition, PlanDriver(lambda step, view: {})))
    assert (report.status, bank.paid, len(faults)) == ("succeeded_verified", [], 2)


class Failing:
    """A driver that fails once its first step is done."""

    name, immediate = "failing", True

    async def propose(self, view: View) -> Decision:
        """The step, then an error."""
        if view.facts:
            raise LookupError("no such model")
        return Proposal("pay", {}, "pay")


def test_what_a_call_answered_is_kept_when_the_driver_fails_then() -> None:
    store, made = open_store(":memory:"), []

    @tool(name="refund", semantics="compensable")
    def refund() -> None:
        made.pop()

    @tool(name="pay", semantics="compensable", undo=refund)
    def pay() -> Result:
        made.append("x")
        return Result(None, undo=refund.call())

    def reached(facts: Facts) -> bool:
        return "tell" in facts.results

    steps = (Step("pay", "pay"), Step("tell", "pay"))
    definition = SagaDefinition("pay", [pay], [reached], steps)
    engine = Engine(store, gate=StaticGate(), clock=Clock(), sleep=_no_sleep)

    async def twice() -> Report:
        try:
            await engine.run(definition, Failing(), saga="s-1")
        except LookupError:
            return await engine.run(definition, PlanDriver(lambda step, view: {}), saga="s-1")
        raise AssertionError("the driver's own error was not passed on")

    assert (asyncio.run(twice()).status, made) == ("succeeded_verified", ["x", "x"])  # nobody had to be asked
