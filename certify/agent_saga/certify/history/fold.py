"""The fold: one event makes one change to the saga's history. A literal table, no judgement.

Rules look at the history before the event is folded in; the fold itself accepts every event, also a wrong one, and
takes the cautious reading: a call that was ever said to have happened has happened.

Source: docs/rules.md, "An effect, formally".
"""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.history.calls import begin, confirm, find, record_undo, settle, track, undone
from agent_saga.certify.history.compare import known, money
from agent_saga.certify.history.matching import matches
from agent_saga.certify.history.saga import FAILED, SUCCEEDED, UNKNOWN, Approval, Call, Effect, Saga, Step, Undo
from agent_saga.trace.events import (
    ApprovalRecorded,
    ApprovalRequested,
    BranchChosen,
    CheckEvaluated,
    EffectFailed,
    EffectIntended,
    EffectReconciled,
    EffectSucceeded,
    EffectUnknown,
    PersonDecided,
    SagaEnded,
    SagaPaused,
    SagaStarted,
    StepProposed,
    StepRefused,
    UndoFailed,
    UndoIntended,
    UndoReconciled,
    UndoSucceeded,
    UndoUnknown,
)

EffectOutcome = EffectSucceeded | EffectFailed | EffectUnknown
UndoOutcome = UndoSucceeded | UndoFailed | UndoUnknown
Fold = Callable[[Saga, Any, int, int, str], None]
"""Saga, event, line, traits of its payload, leaf."""


def _started(saga: Saga, event: SagaStarted, line: int, traits: int, leaf: str) -> None:
    saga.name, saga.parent, saga.pivot = event.name, event.parent, event.pivot
    saga.tools = None if saga.foreign else saga.common.catalogue(event.tools)
    if saga.pivot:
        saga.common.met.add("pivot")
    if saga.parent:
        saga.common.met.add("parent")
    if saga.tools:
        saga.common.met.add("catalogue")


def _proposed(saga: Saga, event: StepProposed, line: int, traits: int, leaf: str) -> None:
    args = known(event.args, saga.disclosures)
    saga.steps.setdefault(event.step, Step(line, event.tool, args, saga.common.allowed(event.allowed)))


def _refused(saga: Saga, event: StepRefused, line: int, traits: int, leaf: str) -> None:
    saga.refused.setdefault(event.step, line)


def _requested(saga: Saga, event: ApprovalRequested, line: int, traits: int, leaf: str) -> None:
    saga.requested[event.step] = line


def _answered(saga: Saga, event: ApprovalRecorded, line: int, traits: int, leaf: str) -> None:
    approval = Approval(line, leaf, event.step, event.action, event.decision, event.person)
    saga.answers.setdefault(event.step, []).append(approval)
    if leaf:
        saga.approvals[leaf] = approval
    saga.requested.pop(event.step, None)
    if event.decision == "deny":
        saga.refused.setdefault(event.step, line)


def _intended(saga: Saga, event: EffectIntended, line: int, traits: int, leaf: str) -> None:
    if event.reads:
        saga.common.met.add("reads")
        saga.reads += [(event.effect, line, read) for read in event.reads]
    effect = saga.effects.get(event.effect)
    if effect:
        _begin(saga, effect, event.attempt)
        _moved(saga, effect)
        return
    if saga.requested:
        saga.requested.pop(event.step, None)
    step = saga.steps.get(event.step)
    saga.common.met.add(event.semantics)
    effect = Effect(
        id=event.effect,
        tool=event.tool,
        key=event.key,
        args=step.args if step and step.args.says(event.args) else known(event.args, saga.disclosures),
        amount=money(event.amount, saga.disclosures),
        line=line,
        highest=event.attempt,
        step=event.step,
        semantics=event.semantics,
        after=event.after,
        order=len(saga.effects),
        branch=event.branch or "",
    )
    saga.effects[event.effect] = effect
    if event.semantics != "preview":
        saga.latest[event.step] = effect
    if saga.order is not None:
        saga.order.add(effect)


def _begin(saga: Saga, call: Call, attempt: int) -> None:
    begin(call, attempt)
    if len(call.attempts) > 1:
        saga.common.met.add("retry")


def _moved(saga: Saga, effect: Effect) -> None:
    """What follows from a change of an effect's outcome."""
    if effect.landed and effect.step == saga.pivot:
        saga.pivoted = True
    if saga.order is not None:
        saga.order.touch(effect)


def _told(saga: Saga, effect: Effect, line: int) -> None:
    if not effect.preview:
        saga.last_outcome, saga.proven = line, False
    _moved(saga, effect)


def _outcome(letter: int) -> Fold:
    def apply(saga: Saga, event: EffectOutcome, line: int, traits: int, leaf: str) -> None:
        effect = saga.effects.get(event.effect)
        if effect:
            record_undo(saga, effect, event, line)
            settle(effect, event.attempt, letter, line)
            _told(saga, effect, line)

    return apply


def _reconciled(saga: Saga, event: EffectReconciled, line: int, traits: int, leaf: str) -> None:
    effect = saga.effects.get(event.effect)
    if effect:
        record_undo(saga, effect, event, line)
        find(effect, event.found, line)
        _told(saga, effect, line)


def _undo_intended(saga: Saga, event: UndoIntended, line: int, traits: int, leaf: str) -> None:
    undo, effect = saga.undos.get(event.undo), saga.effects.get(event.effect)
    if undo:
        _begin(saga, undo, event.attempt)
        effect = saga.effects.get(undo.effect)
    else:
        undo = saga.undos[event.undo] = _new_undo(saga, effect, event, line)
        if effect:
            effect.undos.append(event.undo)
    if effect:
        track(effect, undo)


def _new_undo(saga: Saga, effect: Effect | None, event: UndoIntended, line: int) -> Undo:
    args = known(event.args, saga.disclosures)
    return Undo(
        id=event.undo,
        tool=event.tool,
        key=event.key,
        args=args,
        amount=money(event.amount, saga.disclosures),
        line=line,
        highest=event.attempt,
        effect=event.effect,
        matches=matches(saga, effect, event.tool, args) if effect else False,
    )


def _undo_told(saga: Saga, undo: Undo, before: int) -> None:
    """What follows from the outcome of an undo: one that has just been confirmed counts, once."""
    effect = saga.effects.get(undo.effect)
    if effect:
        track(effect, undo)
        if undo.landed and not before:
            confirm(saga, effect, undo)
            _moved(saga, effect)


def _undo_outcome(letter: int) -> Fold:
    def apply(saga: Saga, event: UndoOutcome, line: int, traits: int, leaf: str) -> None:
        undo = saga.undos.get(event.undo)
        if undo:
            before = undo.landed
            settle(undo, event.attempt, letter, line)
            _undo_told(saga, undo, before)

    return apply


def _undo_reconciled(saga: Saga, event: UndoReconciled, line: int, traits: int, leaf: str) -> None:
    undo = saga.undos.get(event.undo)
    if undo:
        before = undo.landed
        find(undo, event.found, line)
        _undo_told(saga, undo, before)


def _checked(saga: Saga, event: CheckEvaluated, line: int, traits: int, leaf: str) -> None:
    saga.checks.setdefault(event.check, line)
    saga.last_check, saga.proven = (line, event.passed), event.passed


def _rolled_back(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.rollback = saga.rollback or line


def _branched(saga: Saga, event: BranchChosen, line: int, traits: int, leaf: str) -> None:
    saga.winners.setdefault(event.branch, (event.winner, line))


def _stopped(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.stopped = line


def _paused(saga: Saga, event: SagaPaused, line: int, traits: int, leaf: str) -> None:
    saga.paused, saga.waiting = line, dict.fromkeys(event.waiting)


def _decided(saga: Saga, event: PersonDecided, line: int, traits: int, leaf: str) -> None:
    """A person's word resolves what is unknown; it never overturns what was recorded."""
    saga.stopped = 0
    saga.waiting.pop(event.target, None)
    if not saga.waiting:
        saga.paused = 0
    undo, effect = saga.undos.get(event.target), saga.effects.get(event.target)
    call = undo or effect
    if call and call.unknown and event.verdict in ("landed", "absent"):
        find(call, event.verdict, line)
        if undo:
            _undo_told(saga, undo, 0)
    owner = saga.effects.get(undo.effect) if undo else effect
    if owner and event.verdict == "undone":
        undone(owner, line)
    elif owner and event.verdict == "kept":
        owner.kept = line
    if owner:
        _moved(saga, owner)


def _ended(saga: Saga, event: SagaEnded, line: int, traits: int, leaf: str) -> None:
    if saga.ended is None:
        saga.ended, saga.ended_line = event, line


def _nothing(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    pass


FOLD: Final[dict[str, Fold]] = {
    "saga.started": _started,
    "step.proposed": _proposed,
    "step.refused": _refused,
    "approval.requested": _requested,
    "approval.recorded": _answered,
    "effect.intended": _intended,
    "effect.succeeded": _outcome(SUCCEEDED),
    "effect.failed": _outcome(FAILED),
    "effect.unknown": _outcome(UNKNOWN),
    "effect.reconciled": _reconciled,
    "undo.intended": _undo_intended,
    "undo.succeeded": _undo_outcome(SUCCEEDED),
    "undo.failed": _undo_outcome(FAILED),
    "undo.unknown": _undo_outcome(UNKNOWN),
    "undo.reconciled": _undo_reconciled,
    "check.evaluated": _checked,
    "rollback.started": _rolled_back,
    "branch.chosen": _branched,
    "saga.halted": _stopped,
    "saga.escalated": _stopped,
    "saga.paused": _paused,
    "person.decided": _decided,
    "saga.ended": _ended,
    "log.opened": _nothing,
    "log.indexed": _nothing,
    "keys.enrolled": _nothing,
    "keys.revoked": _nothing,
    "policy.adopted": _nothing,
}
"""Every line type and what it changes."""
