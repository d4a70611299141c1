"""The fold: one line makes one change to the state. A literal table.

The runtime and its recovery know a saga only through this.

Source: docs/spec/trace-v1.md, "What the members mean together".
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from agent_saga.runtime.kernel.hiding import opened
from agent_saga.runtime.kernel.state import (
    ABSENT,
    APPLIED,
    FAILED,
    OPEN,
    UNKNOWN,
    Answer,
    Call,
    Effect,
    Proposed,
    Refusal,
    Request,
    State,
    Undo,
    plan_of,
)
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.values import CONCEALS
from agent_saga.trace.writer import Written

UNDO_CHECK: Final = "undone-"
"""A check whose id begins so proves that an undo took; the effect's id follows."""

_FOUND: Final = {"landed": APPLIED, "absent": ABSENT}


def fold(lines: Iterable[bytes], disclosures: Disclosures | None = None) -> State:
    """The state that these lines tell, from the first on. Raises LineError when one is none.

    disclosures: what opens their concealed values; those that nothing opens stand sealed in the state.
    """
    state = State()
    for line in lines:
        apply(state, line, disclosures)
    return state


def apply(state: State, line: bytes, disclosures: Disclosures | None = None) -> None:
    """Fold one more line into the state, in place. disclosures: as for :func:`fold`."""
    change(state, Written(line, *decode(line), leaf_hash(line)), disclosures)


def change(state: State, written: Written, disclosures: Disclosures | None = None) -> None:
    """:func:`apply` for a line that was decoded before."""
    event: Any
    _, event, traits, leaf = written
    if disclosures is not None and traits & CONCEALS:
        event, texts = opened(event, disclosures)
        state.concealed |= texts
    FOLD[event.type](state, event, leaf)
    state.saga, state.seq, state.head, state.at = event.saga, event.seq + 1, leaf, event.at


def _started(state: State, event: Any, leaf: str) -> None:
    state.started, state.start = event, leaf


def _proposed(state: State, event: Any, leaf: str) -> None:
    if event.step not in state.steps:
        name = plan_of(event.step)
        state.asked[name] = state.asked.get(name, 0) + 1
    state.steps[event.step] = Proposed(event.tool, event.args)
    state.turns += 1


def _refused(state: State, event: Any, leaf: str) -> None:
    step = state.steps.get(event.step)
    state.refusals.append(Refusal(event.step, step.tool if step else "", event.code, event.reason, event.at))
    state.in_row += 1
    state.refused.add(event.step)
    state.requests.pop(event.step, None)


def _requested(state: State, event: Any, leaf: str) -> None:
    state.requests[event.step] = Request(leaf, event)
    state.in_row = 0


def _answered(state: State, event: Any, leaf: str) -> None:
    state.answers.setdefault(event.step, []).append(Answer(leaf, event.decision, event.person))
    if event.decision == "deny":
        state.refused.add(event.step)
        state.requests.pop(event.step, None)


def _again(call: Call, event: Any) -> None:
    call.attempt, call.state, call.at = event.attempt, OPEN, event.at
    call.tries, call.asked = call.tries + 1, 0


def _intended(state: State, event: Any, leaf: str) -> None:
    state.calls += 1
    state.in_row = 0
    state.requests.pop(event.step, None)
    if event.effect in state.effects:
        _again(state.effects[event.effect], event)
        state.sort(state.effects[event.effect])
        return
    effect = state.effects[event.effect] = Effect(
        id=event.effect,
        tool=event.tool,
        args=event.args,
        key=event.key,
        amount=event.amount,
        at=event.at,
        step=event.step,
        semantics=event.semantics,
        after=event.after,
        order=len(state.effects),
        resource=event.resource,
        fallback_of=event.fallback_of,
        branch=event.branch,
        action=event.action,
        approvals=event.approvals,
    )
    state.by_plan.setdefault(effect.plan, []).append(effect)
    state.sort(effect)


def _undo_intended(state: State, event: Any, leaf: str) -> None:
    if event.undo in state.undos:
        _again(state.undos[event.undo], event)
        return
    state.undos[event.undo] = Undo(
        id=event.undo,
        tool=event.tool,
        args=event.args,
        key=event.key,
        amount=event.amount,
        at=event.at,
        effect=event.effect,
    )
    state.effects[event.effect].undos.append(event.undo)


def _outcome(word: str) -> Callable[[State, Any, str], None]:
    """An attempt's outcome: what is applied stays so."""

    def change(state: State, event: Any, leaf: str) -> None:
        call = _call_of(state, event)
        call.at = event.at
        call.error = getattr(event, "error", None)
        _settle(state, call, word, event)

    return change


def _reconciled(state: State, event: Any, leaf: str) -> None:
    call = _call_of(state, event)
    call.at = event.at
    if event.found == "unresolved":
        call.asked += 1
        return
    _settle(state, call, _FOUND[event.found], event)


def _call_of(state: State, event: Any) -> Call:
    return state.undos[event.undo] if event.type.startswith("undo.") else state.effects[event.effect]


def _settle(state: State, call: Call, word: str, event: Any) -> None:
    if call.state != APPLIED:
        call.state = word
    if word == APPLIED:
        call.result = getattr(event, "result", None)
    if isinstance(call, Effect):
        if word == APPLIED:
            call.landed = call.landed or state.seq
        call.undo = getattr(event, "undo", None) or call.undo
        if call.semantics != "preview":
            state.fresh.clear()
        state.sort(call)
    elif isinstance(call, Undo) and call.state == APPLIED:
        state.effects[call.effect].undone = True


def _checked(state: State, event: Any, leaf: str) -> None:
    state.checks += 1
    if event.check.startswith(UNDO_CHECK):
        state.verified[plan_of(event.check.removeprefix(UNDO_CHECK))] = event.passed
    else:
        state.fresh[plan_of(event.check)] = event.passed


def _rolled_back(state: State, event: Any, leaf: str) -> None:
    state.rollback = event.cause
    state.stopped = None
    state.requests.clear()


def _stopped(state: State, event: Any, leaf: str) -> None:
    state.stopped = event.reason if event.reason is not None else "stopped"


def _paused(state: State, event: Any, leaf: str) -> None:
    state.pause, state.paused_at, state.waiting = leaf, event.at, event.waiting


def _decided(state: State, event: Any, leaf: str) -> None:
    """A person's word resolves what is unknown, or settles an effect; the machine may then try anew."""
    state.stopped, state.resumed, state.in_row = None, state.turns, 0
    state.waiting = tuple(name for name in state.waiting if name != event.target)
    call = state.undos.get(event.target) or state.effects.get(event.target)
    if call is None:  # about the saga as a whole: "kept" goes on, "undone" rolls back
        state.abandoned = event.verdict == "undone"
        return
    call.tries = call.asked = 0
    effect = state.effects[call.effect] if isinstance(call, Undo) else call
    if event.verdict in _FOUND and call.state == UNKNOWN:
        _settle(state, call, _FOUND[event.verdict], event)
    elif isinstance(effect, Effect) and event.verdict in ("undone", "kept"):
        effect.settled = event.verdict
        effect.undone = effect.undone or event.verdict == "undone"
        state.sort(effect)


def _ended(state: State, event: Any, leaf: str) -> None:
    state.ended = event


def _chosen(state: State, event: Any, leaf: str) -> None:
    state.winners.setdefault(event.branch, event.winner)


FOLD: Final[dict[str, Callable[[State, Any, str], None]]] = {
    "saga.started": _started,
    "step.proposed": _proposed,
    "step.refused": _refused,
    "approval.requested": _requested,
    "approval.recorded": _answered,
    "effect.intended": _intended,
    "effect.succeeded": _outcome(APPLIED),
    "effect.failed": _outcome(FAILED),
    "effect.unknown": _outcome(UNKNOWN),
    "effect.reconciled": _reconciled,
    "undo.intended": _undo_intended,
    "undo.succeeded": _outcome(APPLIED),
    "undo.failed": _outcome(FAILED),
    "undo.unknown": _outcome(UNKNOWN),
    "undo.reconciled": _reconciled,
    "check.evaluated": _checked,
    "rollback.started": _rolled_back,
    "branch.chosen": _chosen,
    "saga.halted": _stopped,
    "saga.escalated": _stopped,
    "saga.paused": _paused,
    "person.decided": _decided,
    "saga.ended": _ended,
}
"""Every line type of a saga and what it changes."""
