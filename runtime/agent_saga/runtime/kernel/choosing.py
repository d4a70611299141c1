"""Two cases of the table: an option of a group is done, so it has won; what lost is undone while the saga goes on."""

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.kernel import undoing
from agent_saga.runtime.kernel.actions import Action, Append, Draft, Moment
from agent_saga.runtime.kernel.branches import beaten, beaten_effects, winners
from agent_saga.runtime.kernel.state import State, plan_of
from agent_saga.runtime.kernel.waiting import backoff, paused


def choose(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """The first option that is done wins; what still waits for an approval in the others is refused."""
    if not definition.groups or state.rollback is not None:
        return None
    drafts = [
        Draft("branch.chosen", {"branch": group, "winner": option}) for group, option in winners(state, definition)
    ]
    if drafts:
        return Append(tuple(drafts))
    late = [step for step in state.requests if beaten(state, definition.plan.get(plan_of(step)))]
    members = {"code": "branch_lost", "reason": "another option of its group has won"}
    return Append(tuple(Draft("step.refused", {"step": step} | members) for step in late)) if late else None


def undo_beaten(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """The effects of beaten options are undone before the saga goes on; what cannot be is put before a person."""
    if not state.winners or state.rollback is not None:
        return None
    effects = beaten_effects(state, definition)
    if effects.isdisjoint(state.standing) and not state.verified and not undoing.proves(definition):
        return None
    action = undoing.step(state, definition, moment, lambda tries: backoff(definition, tries), effects, gate)
    stuck = undoing.stuck(state, definition, effects)
    return action or paused(state, definition, tuple(stuck) or _needed(state, effects), gate)


def _needed(state: State, beaten: frozenset[str]) -> tuple[str, ...]:
    """What lost and something that stays depends on: it can be undone by no machine."""
    return tuple(one.id for one in state.effects.values() if one.id in beaten and one.stands and not one.settled)
