"""A driver that hangs, fails or would end the process neither holds a saga up for ever nor passes for a success."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_saga.runtime import (
    Engine,
    Limits,
    PlanDriver,
    Report,
    Result,
    RuntimeFault,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.drivers import Decision, DecisionDriver
from agent_saga.runtime.kernel.actions import View
from agent_saga.testing import assert_certified
from agent_saga.trace.store import Store, open_store

MODULE = """
import agent_saga.runtime as saga
from agent_saga.runtime.runnable import Runnable


@saga.tool(name="look", semantics="preview")
def look() -> None:
    return None


class Driver:
    name, immediate = "odd", True

    async def propose(self, view):
        {body}


def reached(facts):
    return True


odd = Runnable(saga.SagaDefinition("look", [look], [reached], [saga.Step("look", "look")]), Driver())
"""


def saga(deadline: float | None = None) -> SagaDefinition:
    """Two steps that can be undone."""

    @tool(name="undo", semantics="reversible")
    def undo() -> None:
        return None

    @tool(name="act", semantics="reversible", undo=undo)
    def act() -> Result:
        return Result(None, undo=undo.call())

    def reached(facts: Any) -> bool:
        return True

    return SagaDefinition("act", [act], [reached], [Step("a", "act"), Step("b", "act")], Limits(deadline=deadline))


def run(store: Store, definition: SagaDefinition, driver: DecisionDriver) -> Report:
    """One run, for two seconds at most."""
    engine = Engine(store, gate=StaticGate())
    return asyncio.run(asyncio.wait_for(engine.run(definition, driver, saga="s-1"), 10))


class Odd:
    """A driver that proposes the first step, and then does something else."""

    def __init__(self, then: Any, *, name: str = "odd", immediate: bool = True) -> None:
        self._then, self.name, self.immediate = then, name, immediate

    async def propose(self, view: View) -> Decision:
        """The first step; later, something else."""
        if view.facts:
            await self._then()
        return await PlanDriver(lambda step, view: {}).propose(view)


async def hang() -> None:
    """For ever."""
    await asyncio.Event().wait()


async def run_late() -> None:
    """A time-out of its own."""
    raise TimeoutError("the model did not answer")


async def leave() -> None:
    """Out of the process, as if all were well."""
    raise SystemExit(0)


@pytest.mark.parametrize("immediate", [True, False])
def test_a_driver_that_hangs_is_waited_for_until_the_deadline(immediate: bool) -> None:
    store = open_store(":memory:")
    report = run(store, saga(deadline=0.3), Odd(hang, immediate=immediate))
    assert (report.status, report.state.rollback["code"]) == ("compensated_verified", "deadline")
    assert_certified(store, sagas=1)


@pytest.mark.parametrize("deadline", [None, 60.0])
def test_what_a_driver_raises_is_passed_on_with_whose_it_is(deadline: float | None) -> None:
    with pytest.raises(TimeoutError, match="the model did not answer") as raised:
        run(open_store(":memory:"), saga(deadline), Odd(run_late))
    assert raised.value.__notes__ == ["raised by the driver odd; mend it, then go on with saga s-1"]


def test_a_driver_that_would_end_the_process_is_a_fault() -> None:
    store = open_store(":memory:")
    with pytest.raises(RuntimeFault, match=r"would end this process \(SystemExit: 0\)"):
        run(store, saga(), Odd(leave))
    assert run(store, saga(), PlanDriver(lambda step, view: {})).status == "succeeded_verified"


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb"])
def test_a_name_that_no_line_can_hold_is_refused_before_the_first_line(name: str) -> None:
    store = open_store(":memory:")
    with pytest.raises(RuntimeFault, match="the driver's name is"):
        run(store, saga(), Odd(hang, name=name))
    assert asyncio.run(store.read("s-1")) == []


@pytest.mark.parametrize(("body", "words"), [("raise SystemExit(0)", "would end this process"), ("1 / 0", "mend it")])
def test_the_command_tells_a_driver_that_fails_from_a_success(body: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(MODULE.format(body=body), encoding="utf-8")
    command = [sys.executable, "-m", "agent_saga.cli", "run", "shop:odd", "--store", "s.db"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": "."}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr
