"""How a saga begins, and whether a process may go on with one that it did not begin."""

import re
from collections.abc import Iterable
from typing import Any, Final, get_args

import msgspec

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.errors import RuntimeFault, UnknownSaga
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.kernel.payload import unsound
from agent_saga.runtime.kernel.state import State, plan_of
from agent_saga.trace.events import EffectRef
from agent_saga.trace.forms import Speaker
from agent_saga.trace.limits import FORMAT
from agent_saga.trace.store import Store

Saga = tuple[SagaDefinition, DecisionDriver]
_AGENT: Final = re.compile(get_args(Speaker)[1].pattern).fullmatch
LOCAL: Final = "local"
"""What a log is called that nobody has opened under an origin."""


def started(
    log: str | None, definition: SagaDefinition, agent: str, goal: Any, parent: EffectRef | None, authority: Authority
) -> Draft:
    """The first line: the catalogue that all later lines are judged by is inside the trace.

    log: the origin that the caller expects, None for that of the store's log. Raises RuntimeFault where it has another:
    approvals are for one log, and would count for nothing; and for the name of an agent that no line can hold.
    """
    if not _AGENT(f"agent:{agent}"):
        raise RuntimeFault(f"the driver's name is {agent[:40]!r}; expected 1-128 characters, no control characters")
    if log is not None and authority.log not in (None, log):
        raise RuntimeFault(f"the store holds the log {authority.log}, and this engine is of {log}: leave log= out")
    members: dict[str, Any] = {
        "log": log or authority.log or LOCAL,
        "name": definition.name,
        "format": FORMAT,
        "tools": {name: msgspec.to_builtins(tool.spec) for name, tool in definition.catalogue.items()},
        "agent": agent,
    }
    refers = None if parent is None else {"saga": parent.saga, "effect": parent.effect}
    optional = {"spec": definition.spec, "goal": goal, "parent": refers, "pivot": definition.pivot}
    optional |= {"policy": authority.policy, "keys": authority.keys}
    return Draft("saga.started", members | {name: value for name, value in optional.items() if value is not None})


def check_goal(goal: Any) -> None:
    """Raise RuntimeFault for a goal that cannot be written."""
    wrong = unsound(goal)
    if wrong:
        raise RuntimeFault(f"the goal is refused ({wrong[0]}): {wrong[1]}")


def with_children(sagas: Iterable[Saga]) -> dict[str, Saga]:
    """The sagas by name, and those that their tools run."""
    found: dict[str, Saga] = {}
    pending = list(sagas)
    while pending:
        saga = pending.pop()
        if saga[0].name not in found:
            found[saga[0].name] = saga
            pending += [tool.child for tool in saga[0].catalogue.values() if tool.child is not None]
    return found


async def stands(store: Store, parent: EffectRef) -> str:
    """Where the effect stands that a child saga carries out, as the parent's own trace tells it."""
    state = fold(await store.read(parent.saga))
    effect = state.effects.get(parent.effect)
    if effect is None or effect.undos or (effect.absent and state.ended):
        return "gone"
    return "open" if state.ended is None else "kept" if effect.in_force else "gone"


def check_same(state: State, definition: SagaDefinition) -> None:
    """A saga goes on under the catalogue that it began with. Raises UnknownSaga."""
    started = state.started
    assert started is not None
    if started.name != definition.name:
        raise UnknownSaga(f"saga {state.saga} is a {started.name}; got the definition of {definition.name}")
    if started.spec != definition.spec:
        raise UnknownSaga(f"saga {state.saga} began under another job ({started.spec}); got {definition.spec}")
    now = {name: tool.spec for name, tool in definition.catalogue.items()}
    changed = sorted(name for name in {*now, *started.tools} if now.get(name) != started.tools.get(name))
    if changed:
        names = ", ".join(changed[:5])
        raise UnknownSaga(f"saga {state.saga} began with other tools ({names}); go on with those that it began with")
    _check_steps(state, definition)


def _check_steps(state: State, definition: SagaDefinition) -> None:
    """What was begun is a step of the plan: under another name it would be done a second time."""
    asked = [(step, state.steps[step].tool) for step in state.requests if step in state.steps]
    for name, tool in [*((one.step, one.tool) for one in state.effects.values()), *asked]:
        step = definition.plan.get(plan_of(name))
        if not (step.tool == tool if step else not definition.plan and name.startswith("turn-")):
            raise UnknownSaga(
                f"saga {state.saga} began with another plan: {name} ({tool}) is no step of the one given; "
                "go on with the plan that it began with"
            )
