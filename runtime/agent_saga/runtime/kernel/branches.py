"""Alternatives that are tried side by side: which option of a group has won, which is beaten, which is out.

Source: docs/spec/trace-v1.md, "Branches".
"""

from collections.abc import Iterator

from agent_saga.runtime.definition import SagaDefinition, Step
from agent_saga.runtime.kernel.state import State


def beaten(state: State, step: Step | None) -> bool:
    """Whether another option of the step's group has won."""
    if step is None or step.branch is None:
        return False
    group, option = step.branch.split(".")
    return state.winners.get(group, option) != option


def beaten_effects(state: State, definition: SagaDefinition) -> frozenset[str]:
    """The effects of options that lost: they must be undone."""
    decided = ((definition.groups.get(group, {}), winner) for group, winner in state.winners.items())
    beaten = (steps for options, winner in decided for option, steps in options.items() if option != winner)
    effects = (one for steps in beaten for step in steps for one in state.of_step(step))
    return frozenset(one.id for one in effects if one.branch is not None)


def winners(state: State, definition: SagaDefinition) -> Iterator[tuple[str, str]]:
    """Groups that are not decided yet though an option is done, and that option: the first that was."""
    for group, options in definition.groups.items():
        done = {option: steps for option, steps in options.items() if steps <= state.done}
        if done and group not in state.winners:
            yield group, min(done, key=lambda option: max(_landed(state, step) for step in done[option]))


def _landed(state: State, step: str) -> int:
    """When a step took effect: the seq of the line that says so."""
    return min(one.landed for one in state.of_step(step) if one.landed)
