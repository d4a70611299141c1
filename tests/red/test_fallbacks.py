"""Several fallbacks of one step: one at a time, so that one call is never made twice under two names."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from runtime_exploring import PERSON, Clock, Lines, _no_sleep
from runtime_world import LOST_ABSENT, LOST_LANDED, NEVER, NOW, OK, RETRY, World, pair

from agent_saga.certify.run import certify
from agent_saga.runtime import (
    Checked,
    DefinitionError,
    Engine,
    Facts,
    Limits,
    PlanDriver,
    SagaDefinition,
    StaticGate,
    Step,
)

STEPS = (
    Step("a", "a"),
    Step("f1", "b", fallback_for="a"),
    Step("f2", "c", fallback_for="a"),
    Step("f3", "d", fallback_for="f1"),
    Step("z", "e"),
)


def reached(facts: Facts) -> Checked:
    """The goal holds whatever was done: it is the count of calls that is looked at."""
    return Checked(True, sorted(facts.results))


def played(behaviour: dict[str, str], together: bool, gate: StaticGate | None = None) -> tuple[Any, World, list[bytes]]:
    """What a run reports, what stands in the world after it, and its lines."""
    world, store = World(behaviour), Lines()
    NOW.set(world)
    tools = [pair(name)[0] for name in ("a", "b", "c", "d", "e")]
    definition = SagaDefinition("order", tools, [reached], STEPS, Limits(backoff=0.0))
    driver = PlanDriver(lambda step, view: {"item": step}, together=together)
    gate = gate or StaticGate(persons=frozenset({PERSON}))
    engine = Engine(store, gate=gate, clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    report = asyncio.run(engine.run(definition, driver, saga="s-1"))
    return report, world, store.kept["s-1"]


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "side by side"])
@pytest.mark.parametrize("told", list(product((OK, NEVER, RETRY, LOST_LANDED, LOST_ABSENT), repeat=3)), ids=repr)
def test_at_most_one_call_stands_for_a_step(told: tuple[str, ...], together: bool, tmp_path: Path) -> None:
    report, world, lines = played({"a": NEVER, **dict(zip("bcd", told, strict=True))}, together)
    standing = [name for name in "abcd" if world.standing.get(name)]
    succeeded = report.status == "succeeded_verified"
    assert succeeded is any(one != NEVER for one in told)
    assert len(standing) == (1 if succeeded else 0), standing
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(b"".join(line + b"\n" for line in lines))
    assert not certify([str(trace)]).findings


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "side by side"])
def test_a_fallback_that_the_gate_refuses_lets_the_next_one_go_first(together: bool) -> None:
    gate = StaticGate(refuse={"b": ("no", "not this one")}, persons=frozenset({PERSON}))
    report, world, _ = played({"a": NEVER}, together, gate)
    assert report.status == "succeeded_verified"
    assert world.standing == {"c": 1, "e": 1}


def test_fallbacks_of_each_other_are_no_plan() -> None:
    steps = [Step("p", "a", fallback_for="q"), Step("q", "b", fallback_for="p"), Step("z", "e")]
    tools = [pair(name)[0] for name in ("a", "b", "e")]
    with pytest.raises(DefinitionError, match="wait for each other"):
        SagaDefinition("order", tools, [reached], steps)
