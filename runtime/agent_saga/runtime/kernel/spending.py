"""What a saga has spent, and which limit it has reached."""

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.branches import beaten
from agent_saga.runtime.kernel.state import UNKNOWN, Effect, State
from agent_saga.runtime.times import seconds_between


def proven(state: State, definition: SagaDefinition) -> bool:
    """Every check of the goal passed after the last effect."""
    return bool(state.fresh) and all(state.fresh.get(name) for name in definition.goal_checks)


def limit(state: State, definition: SagaDefinition, at: str) -> str:
    """The limit that is reached: deadline, calls or turns; "" when none is. at: the time now."""
    limits = definition.limits
    if limits.deadline is not None and state.started and seconds_between(state.started.at, at) > limits.deadline:
        return "deadline"
    turns = limits.turns if definition.steps else limits.turns + 1  # without a plan, one more to say that it is done
    if (state.calls < limits.calls and state.turns < turns) or plan.finished(state, definition):
        return ""
    if state.calls >= limits.calls:
        return "calls"
    return "" if state.requests or retryable(state, definition) else "turns"


def retryable(state: State, definition: SagaDefinition) -> Effect | None:
    """An effect that is proven not to have happened and may be tried again."""
    for effect in state.unsettled():
        again = effect.absent or (effect.semantics == "preview" and effect.state == UNKNOWN)
        if again and not plan.dead(effect, definition) and effect.step not in state.refused:
            if beaten(state, definition.plan.get(effect.plan)):
                continue
            return effect
    return None
