"""What a step needs is what the guide says, and neither a plan nor its turns are gone through again and again."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from runtime_world import NO_WAIT, pair

from agent_saga.runtime import DefinitionError, SagaDefinition, Step
from agent_saga.runtime.defects import check_cycles
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.state import APPLIED, Effect, State
from agent_saga.runtime.needs import Needs
from agent_saga.runtime.steps import alternatives, rivals

TOOL = pair("a")[0]


def before(steps: list[Step], step: Step) -> set[str]:
    """Step by step: those named, or all main steps before it, or before the one that it stands in for."""
    if step.after is not None:
        found = set(step.after)
    else:
        names = [one.name for one in steps if one.fallback_for is None and not rivals(one, step)]
        own = step.fallback_for or step.name
        found = set(names[: names.index(own)]) if own in names else set()
    whole = {one.name: one.branch.partition(".")[0] for one in steps if one.branch}
    groups = {whole[name] for name in found if name in whole} - {whole.get(step.name)}
    return found | {name for name, group in whole.items() if group in groups}


def stuck(needs: dict[str, set[str]]) -> list[str]:
    """The steps that never have all they need behind them."""
    done: set[str] = set()
    while more := {name for name in needs.keys() - done if needs[name] <= done}:
        done |= more
    return sorted(needs.keys() - done)


def drawn(random: Random) -> list[Step]:
    """Steps of any kind, which may wait for later ones."""
    names = [f"s{number}" for number in range(random.randint(1, 8))]
    steps = []
    for name in names:
        others, options = [other for other in names if other != name], dict[str, Any]()
        if random.random() < 0.4:
            options["after"] = tuple(random.sample(others, random.randint(0, min(2, len(others)))))
        if others and random.random() < 0.2:
            options["fallback_for"] = random.choice(others)
        elif random.random() < 0.1:
            options["branch"] = f"g.{random.choice('xy')}"
        steps.append(Step(name, "a", **options))
    return steps


@pytest.mark.parametrize("seed", range(4))
def test_needs_and_circles_are_those_of_the_words(seed: int) -> None:
    random, circles = Random(seed), 0
    for _ in range(500):
        steps = drawn(random)
        needs, expected = Needs(steps, alternatives(steps)), {step.name: before(steps, step) for step in steps}
        assert {step.name: set(needs[step.name]) for step in steps} == expected
        told = ""
        try:
            check_cycles("s", Needs(steps, alternatives(steps)).links())
        except DefinitionError as fault:
            told, circles = str(fault), circles + 1
        names = stuck(expected)
        assert told == (f"saga s: the steps {', '.join(names)} wait for each other" if names else "")
    assert 50 < circles < 450


@pytest.mark.parametrize("after", [False, True])
def test_a_long_plan_is_defined_without_telling_all_that_each_step_needs(after: bool) -> None:
    steps = [Step(f"s{n}", "a", after=(f"s{n - 1}",) if after and n else None) for n in range(3000)]
    definition = SagaDefinition("s", [TOOL], [bool], steps, NO_WAIT)  # type: ignore[list-item]
    assert len(definition.needs) == 0
    assert sum(len(list(found)) for found in definition.needs.links().values()) < 4 * len(steps)
    assert definition.needs["s2999"] == ({"s2998"} if after else {f"s{n}" for n in range(2999)})


class Counted(dict[str, frozenset[str]]):
    """Needs that count how often they are looked at."""

    looks = 0

    def __getitem__(self, name: str) -> frozenset[str]:
        self.looks += 1
        return super().__getitem__(name)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_turn_looks_at_what_came_of_the_last_one_and_not_at_the_whole_chain(seed: int) -> None:
    steps = [Step(f"s{n}", "a", after=(f"s{n - 1}",) if n else ()) for n in range(300)]
    random = Random(seed)
    random.shuffle(steps)
    definition = SagaDefinition("s", [TOOL], [bool], steps, NO_WAIT)  # type: ignore[list-item]
    counted = Counted({step.name: definition.needs[step.name] for step in steps})
    object.__setattr__(definition, "needs", counted)
    state = State()
    for number in range(300):
        counted.looks = 0
        assert [step.name for step in plan.ready(state, definition)] == [f"s{number}"]
        assert counted.looks <= (300 if number == 0 else 3)
        one = Effect(f"e{number}", "a", {}, "k", None, "", step=f"s{number}", order=number)
        one.semantics, one.state = "compensable", APPLIED
        state.effects[one.id] = one
        state.by_plan[one.step] = [one]
        state.sort(one)
    assert plan.ready(state, definition) == []
