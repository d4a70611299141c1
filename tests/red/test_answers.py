"""Whatever a driver of somebody's own answers with, the run goes on: it is refused, or it is a proposal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from runtime_exploring import Clock, Lines, _no_sleep
from runtime_world import NOW, World, pair

from agent_saga.certify.run import certify
from agent_saga.runtime import (
    Checked,
    Engine,
    Facts,
    Limits,
    Proposal,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
)
from agent_saga.runtime.kernel.proposals import Candidate

ARGS = {"item": "i"}
SOUND = Candidate("1", "b", ARGS, "1.0")
ANSWERS: dict[str, Any] = {
    "args that are null": Proposal("b", None, step="b"),  # type: ignore[arg-type]
    "args that are a list": Proposal("b", [1], step="b"),  # type: ignore[arg-type]
    "args that are a text": Proposal("b", "x", step="b"),  # type: ignore[arg-type]
    "names that are numbers": Proposal("b", {1: 2}, step="b"),  # type: ignore[dict-item]
    "no tool": Proposal(None, ARGS, step="b"),  # type: ignore[arg-type]
    "a tool that is a number": Proposal(5, ARGS, step="b"),  # type: ignore[arg-type]
    "a step that is a number": Proposal("b", ARGS, step=5),  # type: ignore[arg-type]
    "an option that is none": Proposal("b", ARGS, step="b", options=(None,)),  # type: ignore[arg-type]
    "an option without args": Proposal("b", ARGS, options=(Candidate("1", "b", None, "1.0"),)),  # type: ignore[arg-type]
    "an option whose id is none": Proposal("b", ARGS, options=(Candidate("no id!", "b", ARGS, "1.0"),)),
    "a tool that no line can hold": Proposal("b", ARGS, options=(Candidate("1", "b\x00", ARGS, "1.0"),)),
    "a probability that is none": Proposal("b", ARGS, options=(Candidate("1", "b", ARGS, "1.5"),)),
    "a confidence that is none": Proposal("b", ARGS, options=(SOUND,), choice="1", confidence="high"),
    "a choice that is a number": Proposal("b", ARGS, options=(SOUND,), choice=1),  # type: ignore[arg-type]
    "a fault too long for a line": Proposal("b", ARGS, fault=("x" * 9999, "y")),
    "a fault that is no JSON": Proposal("b", ARGS, fault=("x", object())),  # type: ignore[arg-type]
    "a number": 5,
    "nothing": None,
    "an empty list": [],
    "a list with nothing in it": [None],
}


def reached(facts: Facts) -> Checked:
    """Both steps are done."""
    return Checked(set(facts.results) == {"a", "b"}, sorted(facts.results))


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_no_proposal_is_refused_and_the_agent_is_asked_again(name: str, tmp_path: Path) -> None:
    world, store = World(), Lines()
    NOW.set(world)
    definition = SagaDefinition(
        "order", [pair("a")[0], pair("b")[0]], [reached], (Step("a", "a"), Step("b", "b")), Limits(backoff=0.0)
    )
    script = [Proposal("a", ARGS, step="a"), lambda view: ANSWERS[name], Proposal("b", ARGS, step="b")]
    engine = Engine(store, gate=StaticGate(), clock=Clock(), sleep=_no_sleep)  # type: ignore[arg-type]
    report = asyncio.run(engine.run(definition, ScriptedDriver(script), saga="s-1"))
    assert report.status == "succeeded_verified"
    assert world.standing == {"a": 1, "b": 1}
    assert len([line for line in store.kept["s-1"] if b'"step.refused"' in line]) == 1
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(b"".join(line + b"\n" for line in store.kept["s-1"]))
    assert not certify([str(trace)]).findings
