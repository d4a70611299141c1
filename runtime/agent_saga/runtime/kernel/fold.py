"""The fold: one line makes one change to the state. A literal table.

The runtime and its recovery know a saga only through this.

Source: docs/spec/trace-v1.md, "What the members mean together".
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from agent_saga.runtime.kernel.folding import FOUND, intended, outcome, reconciled, settle, undo_intended
from agent_saga.runtime.kernel.hiding import opened
from agent_saga.runtime.kernel.state import (
    APPLIED,
    FAILED,
    UNKNOWN,
    Answer,
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
    if traits & CONCEALS and event.type == "step.proposed":
        state.forms[event.step] = event.args
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
    state.steps[event.step] = Proposed(event.tool, event.args, leaf, event.by.removeprefix("agent:"))
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
    state.answers.setdefault(event.step, []).append(Answer(leaf, event.decision, event.person, event))


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
    state.stopped, state.stopped_at = (event.reason if event.reason is not None else "stopped"), leaf


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
    if event.verdict in FOUND and call.state == UNKNOWN:
        settle(state, call, FOUND[event.verdict], event)
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
    "effect.intended": intended,
    "effect.succeeded": outcome(APPLIED),
    "effect.failed": outcome(FAILED),
    "effect.unknown": outcome(UNKNOWN),
    "effect.reconciled": reconciled,
    "undo.intended": undo_intended,
    "undo.succeeded": outcome(APPLIED),
    "undo.failed": outcome(FAILED),
    "undo.unknown": outcome(UNKNOWN),
    "undo.reconciled": reconciled,
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
