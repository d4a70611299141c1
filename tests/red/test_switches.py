"""A kill switch that gives no answer in words is one that cannot be read: nothing is begun, and the probe says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from runtime_exploring import Clock, _no_sleep

from agent_saga.runtime import Engine, Facts, PlanDriver, SagaDefinition, StaticGate, Step, tool
from agent_saga.runtime.guarantees import probe
from agent_saga.trace.store import open_store


def leave() -> None:
    """Out of the process, as if all were well."""
    raise SystemExit(0)


ANSWERS: dict[str, tuple[Any, str]] = {
    "words": (lambda: "quarantine", "quarantine"),
    "yes": (lambda: True, "kill_switch_unreadable"),
    "no words": (object, "kill_switch_unreadable"),
    "an end": (leave, "kill_switch_unreadable"),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_switch_stops_whatever_it_answers_but_no(answer: str) -> None:
    said, reason = ANSWERS[answer]
    calls = []

    @tool(name="look", semantics="preview")
    def look() -> None:
        calls.append("look")

    def reached(facts: Facts) -> bool:
        return True

    definition = SagaDefinition("look", [look], [reached], [Step("look", "look")])
    engine = Engine(
        open_store(":memory:"), gate=StaticGate(), stop=lambda saga, name: said(), clock=Clock(), sleep=_no_sleep
    )
    report = asyncio.run(engine.run(definition, PlanDriver(lambda step, view: {})))
    assert (report.status, report.state.stopped, calls) == ("stopped", {"code": reason}, [])


@pytest.mark.parametrize(("said", "holds"), [("", True), ("maintenance", True), (object(), False), (True, False)])
def test_the_probe_of_the_switch_holds_only_where_it_answers_in_words(said: Any, holds: bool) -> None:
    assert asyncio.run(probe("kill-switch", open_store(":memory:"), lambda saga, name: said)) is holds
