"""A blocking tool that outlives its time is not taken for absent while its thread may still act."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from runtime_exploring import Clock, Lines, _no_sleep

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Engine,
    Facts,
    Found,
    Landed,
    Limits,
    PlanDriver,
    Report,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.at_work import is_at_work

DRIVER = PlanDriver(lambda step, view: {"item": step})


class Slow:
    """A provider that acts once it is let go, and the saga that calls it."""

    def __init__(self, wait: float = 0.05) -> None:
        """wait: seconds that a call may take."""
        self.go, self.acted, self.key = threading.Event(), threading.Event(), ""

        @tool(name="undo", semantics="reversible")
        def undo(item: str) -> str:
            self.acted.clear()
            return item

        @tool(name="a", semantics="reversible", undo=undo, timeout=wait, attempts=1)
        def act(item: str, call: Call) -> Result:
            self.key = call.key
            self.go.wait(30)
            self.acted.set()
            return Result(item, undo=undo.call(item=item))

        @act.reconcile
        def _(call: Call) -> Found:
            return Landed("a", undo=undo.call(item="a")) if self.acted.is_set() else Absent()

        def reached(facts: Facts) -> Checked:
            return Checked("a" in facts.results, None)

        self.act, self.undo = act, undo
        self.definition = SagaDefinition("order", [act, undo], [reached], [Step("a", "a")], Limits(backoff=0.0))

    def run(self, engine: Engine) -> Report:
        """One run of the saga."""
        return asyncio.run(engine.run(self.definition, DRIVER, saga="s-1"))


def test_a_call_that_is_still_at_work_is_not_absent(request: pytest.FixtureRequest) -> None:
    slow = Slow()
    request.addfinalizer(slow.go.set)
    engine = Engine(Lines(), gate=StaticGate(), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    report = slow.run(engine)
    assert report.status == "paused"
    assert not slow.acted.is_set()
    assert is_at_work(slow.key)
    slow.go.set()
    assert slow.acted.wait(10)


def test_a_call_that_ended_is_no_longer_at_work() -> None:
    slow = Slow(wait=30)
    slow.go.set()
    engine = Engine(Lines(), gate=StaticGate(), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    assert slow.run(engine).status == "succeeded_verified"
    assert not is_at_work(slow.key)


def test_a_call_that_ends_behind_the_answer_is_not_absent() -> None:
    slow = Slow(wait=0.3)

    @slow.act.reconcile
    def _(call: Call) -> Found:
        if slow.acted.is_set():
            return Landed("a", undo=slow.undo.call(item="a"))
        slow.go.set()
        assert slow.acted.wait(10)
        while is_at_work(slow.key):
            time.sleep(0.001)
        return Absent()  # so it was when the provider looked

    engine = Engine(Lines(), gate=StaticGate(), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    assert slow.run(engine).status == "succeeded_verified"
    assert slow.acted.is_set()
