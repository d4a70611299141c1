"""Where the plan stands: which steps are done, which failed for good, and which the agent may choose now."""

from collections.abc import Set
from itertools import filterfalse

from agent_saga.runtime.definition import SagaDefinition, Step
from agent_saga.runtime.kernel.actions import Allowed, View
from agent_saga.runtime.kernel.branches import beaten
from agent_saga.runtime.kernel.frontier import near
from agent_saga.runtime.kernel.hiding import sealed
from agent_saga.runtime.kernel.payload import copied
from agent_saga.runtime.kernel.state import UNKNOWN, Effect, State, plan_of


def dead(effect: Effect, definition: SagaDefinition) -> bool:
    """It did not happen and will not be tried again (erased arguments cannot be), or a person settled it."""
    if effect.settled or (effect.absent and sealed(effect.args)):
        return True
    if effect.semantics == "preview" and effect.state == UNKNOWN:
        return effect.tries >= definition.catalogue[effect.tool].attempts
    return effect.absent and (effect.final or effect.tries >= definition.catalogue[effect.tool].attempts)


def done(state: State, definition: SagaDefinition, step: str) -> bool:
    """The step, or a fallback of it, took effect."""
    if step in state.done:
        return True
    return any(done(state, definition, other.name) for other in definition.fallbacks(step))


def failed(state: State, definition: SagaDefinition, step: str) -> bool:
    """The step did not happen and will not, nor did its fallbacks."""
    effects = state.of_step(step)
    if not effects or not all(dead(effect, definition) for effect in effects):
        return False
    return all(failed(state, definition, other.name) for other in definition.fallbacks(step))


def lost(state: State, definition: SagaDefinition) -> str:
    """The first step that the goal needs and that failed; "" when there is none."""
    if not state.loose:
        return ""
    suspects = (definition.plan[name] for name in _loose(state) if name in definition.main)
    gone = (step for step in suspects if not step.optional and failed(state, definition, step.name))
    lost = [step.name for step in gone if not _replaceable(state, definition, step)]
    return min(lost, key=definition.places.__getitem__, default="")


def _loose(state: State) -> set[str]:
    """The steps that have an effect which is not simply done: only those can have failed, or have fallbacks."""
    return {effect.plan for effect in state.loose.values()}


def _replaceable(state: State, definition: SagaDefinition, step: Step) -> bool:
    """Whether the goal can be reached without a step that failed: another option of its group has won, or may yet."""
    if step.branch is None or beaten(state, step):
        return step.branch is not None
    options = definition.groups[step.branch.split(".")[0]].values()
    return any(not any(failed(state, definition, name) for name in steps) for steps in options)


def out(state: State, definition: SagaDefinition, step: Step) -> bool:
    """Whether a step belongs to an option that has lost, or cannot be done any more."""
    if step.branch is None:
        return False
    group, option = step.branch.split(".")
    return group in state.winners or any(failed(state, definition, name) for name in definition.groups[group][option])


def passed(state: State, definition: SagaDefinition) -> Set[str]:
    """The steps that need not be waited for: done, by a fallback too, failed where optional, or beaten.

    One that is not done itself has an effect that did not happen, or belongs to a group that is decided.
    """
    if not definition.replaceable or not (state.loose or state.winners):
        return state.done
    names = definition.replaceable.keys() & _loose(state)
    names.update(*(steps for group in state.winners for steps in definition.groups.get(group, {}).values()))
    return state.done.union(name for name in names if _passed(state, definition, definition.plan[name]))


def _passed(state: State, definition: SagaDefinition, step: Step) -> bool:
    if done(state, definition, step.name) or beaten(state, step):
        return True
    return step.optional and failed(state, definition, step.name)


def finished(state: State, definition: SagaDefinition) -> bool:
    """There is a plan, and everything in it is done or, where optional, failed."""
    return bool(definition.main) and definition.main <= passed(state, definition)


def complete(state: State, definition: SagaDefinition) -> bool:
    """Every step that the goal needs is done."""
    needed = (step for step in definition.steps if step.name in definition.main and not step.optional)
    return all(done(state, definition, step.name) or beaten(state, step) for step in needed)


def ready(state: State, definition: SagaDefinition) -> list[Step]:
    """The steps that may be proposed now, in the order of the plan."""
    behind = passed(state, definition)
    asked = {plan_of(name) for name in state.requests}
    found = [step for step in _in_line(definition, behind) if step.name not in state.by_plan and step.name not in asked]
    if not definition.apart:
        return found
    found += [
        step
        for step in (near(state, definition) if behind is state.done else _behind(state, definition, behind))
        if step.name not in asked
        and (step.fallback_for is None or _replaced(state, definition, step.fallback_for))
        and not out(state, definition, step)
    ]
    found.sort(key=lambda step: definition.places[step.name])
    return [step for step in found if step.fallback_for is None or _its_turn(state, definition, step, found, asked)]


def _behind(state: State, definition: SagaDefinition, behind: Set[str]) -> list[Step]:
    """The steps apart, not begun, whose needs need not be waited for."""
    fresh = (step for name, step in definition.apart.items() if name not in state.by_plan)
    return [step for step in fresh if definition.needs[step.name] <= behind]


def _in_line(definition: SagaDefinition, behind: Set[str]) -> tuple[Step, ...]:
    """The step that simply follows all before it and whose turn it is: those behind it wait for it in their turn."""
    if len(definition.apart) == len(definition.steps):
        return ()
    name = next(filterfalse(behind.__contains__, definition.order), None)
    return () if name is None or name in definition.apart else (definition.plan[name],)


def _its_turn(state: State, definition: SagaDefinition, step: Step, found: list[Step], asked: set[str]) -> bool:
    """Whether this is the one fallback that may stand in now: two for one step would be two calls for one.

    They are tried one after another, in the order of the plan; one that was refused lets those behind it go first.
    asked: the steps that wait for persons.
    """
    root = definition.stands_for(step)
    others = [one for one in definition.steps if one.fallback_for is not None and definition.stands_for(one) == root]
    begun = [one.name for one in others if one.name in state.by_plan]
    if any(one.name in asked for one in others) or not all(_replaced(state, definition, name) for name in begun):
        return False
    return step is min((one for one in others if one in found), key=lambda one: state.asked.get(one.name, 0))


def _replaced(state: State, definition: SagaDefinition, name: str) -> bool:
    effects = state.of_step(name)
    return bool(effects) and all(dead(effect, definition) and not effect.in_force for effect in effects)


def allowed(state: State, definition: SagaDefinition) -> tuple[Allowed, ...]:
    """What the agent may choose now."""
    offers = definition.offers
    return tuple(offers[step.name] for step in ready(state, definition)) if definition.steps else tuple(offers.values())


def view(state: State, definition: SagaDefinition) -> View:
    """What the agent sees."""
    return View(
        saga=state.saga,
        name=definition.name,
        summary=definition.summary,
        goal=copied(state.started.goal) if state.started else None,
        turn=state.turns,
        allowed=allowed(state, definition),
        facts=state.facts.copy(),
        failures={effect.step: copied(effect.error) for effect in state.unsettled() if effect.absent},
        refusals=tuple(state.refusals),
        turns_left=definition.limits.turns - state.turns,
    )
