"""Where the plan stands is what going through every step of it at every turn would find."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from runtime_world import NO_WAIT, pair

from agent_saga.runtime import DefinitionError, SagaDefinition, Step
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.branches import beaten, winners
from agent_saga.runtime.kernel.state import ABSENT, APPLIED, FAILED, UNKNOWN, Effect, State

TOOL = pair("a")[0]
OUTCOMES = (APPLIED, APPLIED, APPLIED, FAILED, ABSENT, UNKNOWN)


def passed(state: State, definition: SagaDefinition) -> set[str]:
    """Step by step, as the words say it."""
    return {
        step.name
        for step in definition.steps
        if plan.done(state, definition, step.name)
        or beaten(state, step)
        or (step.optional and plan.failed(state, definition, step.name))
    }


def ready(state: State, definition: SagaDefinition) -> list[Step]:
    """Every step that is not begun, has what it needs behind it, and is not out; of fallbacks one at a time."""
    behind = passed(state, definition)
    found = [
        step
        for step in definition.steps
        if step.name not in state.by_plan
        and step.name not in state.requests
        and definition.needs[step.name] <= behind
        and (step.fallback_for is None or plan._replaced(state, definition, step.fallback_for))
        and not plan.out(state, definition, step)
    ]
    asked = set(state.requests)
    return [step for step in found if not step.fallback_for or plan._its_turn(state, definition, step, found, asked)]


def lost(state: State, definition: SagaDefinition) -> str:
    """The first of the needed steps, in the order of the plan, that failed."""
    needed = (step for step in definition.steps if step.fallback_for is None and not step.optional)
    gone = (step for step in needed if plan.failed(state, definition, step.name))
    return next((step.name for step in gone if not plan._replaceable(state, definition, step)), "")


def made(random: Random) -> SagaDefinition:
    """A plan of any kind: in line, with needs of their own, optional, with fallbacks, with options side by side."""
    kinds = random.choice(("line", "mixed", "apart"))
    steps: list[Step] = []
    for number in range(random.randint(1, 7)):
        name, earlier = f"s{number}", [step.name for step in steps]
        options: dict[str, Any] = {"optional": random.random() < 0.2}
        if kinds != "line" and random.random() < (0.5 if kinds == "mixed" else 1):
            options["after"] = tuple(random.sample(earlier, random.randint(0, min(2, len(earlier)))))
        chance = random.random()
        if earlier and chance < 0.2:
            options = {"fallback_for": random.choice(earlier), "after": options.get("after")}
        elif chance > 0.8:
            options = {"branch": f"g.{random.choice('xy')}"}
        steps.append(Step(name, "a", **options))
    random.shuffle(steps)
    return SagaDefinition("s", [TOOL], [yes], steps, NO_WAIT)


def yes(facts: Any) -> bool:
    return True


def happen(random: Random, state: State, definition: SagaDefinition) -> bool:
    """One thing that may happen to a saga; False when nothing can."""
    begun = [one for one in state.effects.values() if one.state != APPLIED or random.random() < 0.1]
    free = [step.name for step in ready(state, definition)]
    if begun and (not free or random.random() < 0.6):
        one = random.choice(begun)
        one.state = one.state if one.state == APPLIED else random.choice(OUTCOMES)
        state.seq, one.error = state.seq + 1, {"retry": random.random() < 0.3}
        one.landed = one.landed or (state.seq if one.state == APPLIED else 0)
        if random.random() < 0.1:
            one.settled = random.choice(("undone", "kept"))
            one.undone = one.settled == "undone"
        state.sort(one)
    elif free:
        name = random.choice(free)
        if random.random() < 0.15:
            state.requests[name] = None  # type: ignore[assignment]
            return True
        one = Effect(f"e{len(state.effects)}", "a", {}, "k", None, "", step=name, order=len(state.effects))
        one.semantics = "compensable"
        state.effects[one.id] = one
        state.by_plan.setdefault(name, []).append(one)
        state.sort(one)
    else:
        return bool(state.requests.popitem() if state.requests else ())
    if random.random() < 0.7:
        state.winners.update(winners(state, definition))
    return True


@pytest.mark.parametrize("seed", range(8))
def test_every_plan_at_every_turn(seed: int) -> None:
    random, looks, offered = Random(seed), 0, 0
    while looks < 4000:
        try:
            definition = made(random)
        except DefinitionError:
            continue
        state = State()
        for _ in range(25):
            assert plan.passed(state, definition) == passed(state, definition)
            assert plan.ready(state, definition) == ready(state, definition)
            assert plan.lost(state, definition) == lost(state, definition)
            looks, offered = looks + 1, offered + len(plan.ready(state, definition))
            if not happen(random, state, definition):
                break
    assert offered > 500
