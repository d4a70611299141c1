"""What to do next: a literal table of cases, the first that applies is taken.

Pure: the state comes from the trace alone, the time is an argument, keys are left to the engine. Recovery is the same
table over the same fold, after :func:`recovered` has said what is not known of the calls that were under way.
"""

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.kernel import plan, undoing
from agent_saga.runtime.kernel.actions import (
    Action,
    Append,
    Ask,
    CallEffects,
    CallUndo,
    Done,
    Draft,
    Moment,
    Reconcile,
    ReconcileUndo,
    RunCheck,
    Wait,
)
from agent_saga.runtime.kernel.branches import beaten_effects
from agent_saga.runtime.kernel.choosing import choose, undo_beaten
from agent_saga.runtime.kernel.hiding import sealed
from agent_saga.runtime.kernel.intending import retry
from agent_saga.runtime.kernel.intents import answered
from agent_saga.runtime.kernel.soundness import Case
from agent_saga.runtime.kernel.spending import limit, proven, retryable
from agent_saga.runtime.kernel.state import OPEN, UNKNOWN, Call, Effect, State
from agent_saga.runtime.kernel.waiting import asking, backoff, halted, paused
from agent_saga.runtime.times import later

Row = Callable[[State, SagaDefinition, Gate, Moment], Action | None]


def decide(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action:
    """The next action of a saga that has begun."""
    for _, row in TABLE:
        action = row(state, definition, gate, moment)
        if action is not None:
            return action
    return Ask(plan.view(state, definition))


def recovered(state: State) -> tuple[Draft, ...]:
    """The lines that a new process writes first: what was under way may have happened."""
    error = {"code": "interrupted", "message": "the process ended before the outcome was written"}
    lost = [Draft("effect.unknown", _attempt("effect", one) | {"error": error}) for one in _open(state.unsettled())]
    return (
        *lost,
        *(Draft("undo.unknown", _attempt("undo", one) | {"error": error}) for one in _open(state.open_undos.values())),
    )


def _attempt(kind: str, call: Call) -> dict[str, Any]:
    return {kind: call.id, "attempt": call.attempt}


def _open(calls: Any) -> list[Any]:
    return [call for call in calls if call.state == OPEN]


def at_once(state: State) -> CallEffects | CallUndo | Done | None:
    """What :func:`decide` answers from the state alone, whatever the moment; None when it needs to know more."""
    return _ended(state) or _under_way(state)


def _ended(state: State, *_: Any) -> Done | None:
    return Done(state.ended.status, state.ended.held) if state.ended else None


def _under_way(state: State, *_: Any) -> CallEffects | CallUndo | None:
    if effects := [effect.id for effect in state.unsettled() if effect.state == OPEN]:
        return CallEffects(tuple(effects))
    if not state.open_undos:
        return None
    return next((CallUndo(undo.id) for undo in state.open_undos.values() if undo.state == OPEN), None)


def _paused(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    return Wait("paused", about=state.waiting) if state.waiting else None


def _unknown(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """The provider is asked before anything is repeated or undone; not about undos of what a person undid."""
    by_hand = {undo.id for undo in state.open_undos.values() if state.effects[undo.effect].settled == "undone"}
    for call in (*state.open_undos.values(), *state.unsettled()):
        if call.id in by_hand or not _askable(call, definition) or getattr(call, "semantics", "") == "preview":
            continue
        due = later(call.at, backoff(definition, call.asked)) if call.asked else ""
        if due > moment.at:
            return Wait("backoff", due, (call.id,))
        return Reconcile(call.id) if isinstance(call, Effect) else ReconcileUndo(call.id)
    return None


def _askable(call: Call, definition: SagaDefinition) -> bool:
    if call.state != UNKNOWN or (isinstance(call, Effect) and call.settled) or sealed(call.args):
        return False
    tool = definition.catalogue.get(call.tool)
    return tool is not None and tool.reconciler is not None and call.asked < definition.limits.reconciles


def _stopped(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """A halted or escalated saga does nothing until a person decides, and does not hear of it twice."""
    if state.rollback is not None:
        return None
    if state.stopped is not None:
        return Wait("stopped", about=(state.saga,))
    if moment.stop:
        return Append((halted(definition, moment),))
    return None


def _spent(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """A limit is reached: nothing new is begun, and what was done is undone."""
    if state.rollback is not None or proven(state, definition):
        return None
    refused = _refused_since(state) if state.refusals else 0
    if refused >= definition.limits.refusals:
        asks = asking(definition, {"code": "refusals", "refused": refused})
        return Append((Draft("saga.escalated", {"reason": asks}),))
    code = limit(state, definition, moment.at)
    if not code:
        return None
    reason = {"code": "deadline" if code == "deadline" else "budget", "limit": code}
    return Append((Draft("saga.halted", {"reason": reason}), Draft("rollback.started", {"cause": reason})))


def _refused_since(state: State) -> int:
    """Steps that were refused since a person last decided; losing to another option is no refusal."""
    known = set(islice(state.steps, state.resumed))
    return len([one for one in state.refusals if one.code != "branch_lost" and one.step not in known])


def _undo(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    if state.rollback is None:
        return None
    return undoing.step(state, definition, moment, lambda tries: backoff(definition, tries), gate=gate)


def _stuck(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """What nobody can prove is put before a person. While the saga goes forward, all is proven that is simply done."""
    if state.rollback is None and not state.loose:
        return None
    return paused(state, definition, tuple(undoing.stuck(state, definition)), gate)


def _rolled_back(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    if state.rollback is None:
        return None
    return Append((Draft("saga.ended", {"status": undoing.status(state), "held": list(state.held())}),))


def _retry(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    effect = retryable(state, definition)
    if effect is None:
        return None
    due = later(effect.at, backoff(definition, effect.tries)) if effect.tries else ""
    return Wait("backoff", due, (effect.id,)) if due > moment.at else Append((retry(state, effect),))


def _lost(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """A step that the goal needs cannot be done any more, or a person settled an effect as gone or doubtful."""
    cause = {"code": "parent_undone"} if moment.parent == "gone" else _cause(state, definition)
    return Append((Draft("rollback.started", {"cause": cause}),)) if cause else None


def _cause(state: State, definition: SagaDefinition) -> dict[str, Any] | None:
    if state.abandoned:
        return {"code": "person_decided"}
    if not state.loose:
        return None  # all that was begun is done
    name = plan.lost(state, definition)
    if name:
        return {"code": "step_failed", "step": name}
    gone = beaten_effects(state, definition)
    told = (one for one in state.unsettled() if one.settled and not (one.settled == "undone" and one.id in gone))
    settled = next((effect.step for effect in told), "")
    return {"code": "settled_by_person", "step": settled} if settled else None


def _approval(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    if not state.requests:
        return None
    agent = state.started.agent or "" if state.started else ""
    for step, request in state.requests.items():
        drafts = answered(Case(state, definition, gate, moment, agent), step, request)
        if drafts:
            return Append(drafts)
    return Wait("approval", min(one.event.not_after for one in state.requests.values()), tuple(state.requests))


def _goal(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """The plan is done, or a check was begun: the rest of the checks, then the end."""
    if state.fresh and False in state.fresh.values():
        name = next(name for name, passed in state.fresh.items() if not passed)
        return Append((Draft("rollback.started", {"cause": {"code": "check_failed", "check": name}}),))
    if not state.fresh and not plan.finished(state, definition):
        return None
    check = next_check(state, definition)
    if check is not None:
        return check
    if moment.parent == "open":  # once ended it could not be undone with its parent
        return Wait("parent")
    return Append((Draft("saga.ended", {"status": "succeeded_verified", "held": list(state.held())}),))


def _heal(state: State, definition: SagaDefinition, gate: Gate, moment: Moment) -> Action | None:
    """An agent whose proposals are refused is told why, and asked again after a while that doubles."""
    if not state.in_row:
        return None
    due = later(state.refusals[-1].at, backoff(definition, state.in_row))
    return Wait("backoff", due) if due > moment.at else None


def next_check(state: State, definition: SagaDefinition) -> RunCheck | None:
    """The next check of the goal that has not been evaluated since the last effect."""
    for name in definition.goal_checks:
        if name not in state.fresh:
            return RunCheck(name, f"{name}.{state.checks + 1}")
    return None


TABLE: Final[tuple[tuple[str, Row], ...]] = (
    ("ended", _ended),
    ("a call is under way: make it", _under_way),
    ("paused: a person must decide", _paused),
    ("a call may have happened: ask the provider", _unknown),
    ("rolling back: undo the newest, try again, or prove it", _undo),
    ("what cannot be proven: pause", _stuck),
    ("rolled back: end", _rolled_back),
    ("a person gave it up, or a step failed for good: roll back", _lost),
    ("halted, escalated or about to be", _stopped),
    ("a limit is reached", _spent),
    ("an option of a group is done: it has won", choose),
    ("an option lost: undo it, or pause", undo_beaten),
    ("an attempt failed: try again", _retry),
    ("an approval is waited for", _approval),
    ("the plan is done: check, end or roll back", _goal),
    ("a proposal was refused: wait before the agent is asked again", _heal),
)
"""Case by case, with its words; when none applies it is the agent's turn."""
