"""The fold: one event makes one change to the saga's history. A literal table, no judgement.

Rules look at the history before the event is folded in; the fold itself accepts every event, also a wrong one, and
takes the cautious reading: a call that was ever said to have happened has happened.

Source: docs/rules.md, "An effect, formally".
"""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.compare import known, money
from agent_saga.certify.history import (
    ABSENT,
    FAILED,
    OPEN,
    SUCCEEDED,
    UNKNOWN,
    Approval,
    Call,
    Effect,
    Recorded,
    Saga,
    Step,
    Undo,
)
from agent_saga.certify.matching import matches
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


Fold = Callable[[Saga, Any, int, int, str], None]
"""Saga, event, line, traits of its payload, leaf."""


def _started(saga: Saga, event: SagaStarted, line: int, traits: int, leaf: str) -> None:
    saga.name, saga.parent, saga.pivot = event.name, event.parent, event.pivot
    saga.tools = None if saga.foreign else event.tools


def _proposed(saga: Saga, event: StepProposed, line: int, traits: int, leaf: str) -> None:
    args = known(event.args, saga.disclosures)
    saga.steps.setdefault(event.step, Step(line, event.tool, args, event.allowed))


def _refused(saga: Saga, event: StepRefused, line: int, traits: int, leaf: str) -> None:
    saga.refused.setdefault(event.step, line)


def _requested(saga: Saga, event: ApprovalRequested, line: int, traits: int, leaf: str) -> None:
    saga.requested[event.step] = line


def _answered(saga: Saga, event: ApprovalRecorded, line: int, traits: int, leaf: str) -> None:
    saga.approvals.append(Approval(line, leaf, event.step, event.action, event.decision, event.person))
    saga.requested.pop(event.step, None)
    if event.decision == "deny":
        saga.refused.setdefault(event.step, line)


def _intended(saga: Saga, event: EffectIntended, line: int, traits: int, leaf: str) -> None:
    effect = saga.effects.get(event.effect)
    if effect:
        effect.attempts = _resize(effect.attempts, event.attempt)
        return
    saga.requested.pop(event.step, None)
    effect = Effect(
        id=event.effect,
        tool=event.tool,
        key=event.key,
        args=known(event.args, saga.disclosures),
        amount=money(event.amount, saga.disclosures),
        line=line,
        step=event.step,
        semantics=event.semantics,
        after=event.after,
        order=len(saga.effects),
        branch=event.branch or "",
    )
    saga.effects[event.effect] = saga.latest[event.step] = effect
    if event.semantics != "preview":
        saga.live[event.effect] = effect


def _resize(attempts: str, attempt: int) -> str:
    """Open one more attempt; an attempt that skips numbers opens only the next one."""
    return attempts + OPEN if attempt > len(attempts) else attempts


def _settle(call: Call, attempt: int, letter: str, line: int) -> None:
    at = min(attempt, len(call.attempts)) - 1
    if call.attempts[at] != SUCCEEDED:
        call.attempts = call.attempts[:at] + letter + call.attempts[at + 1 :]
    call.outcome = line
    if letter == SUCCEEDED and not call.landed:
        call.landed = line


def _outcome(letter: str) -> Callable[[Saga, Any, int, int, str], None]:
    def apply(saga: Saga, event: EffectSucceeded | EffectFailed | EffectUnknown, line: int, traits: int, leaf: str) -> None:
        effect = saga.effects.get(event.effect)
        if effect:
            _settle(effect, event.attempt, letter, line)
            _record_undo(saga, effect, event, line, traits)
            saga.last_outcome = saga.last_outcome if effect.preview else line

    return apply


def _record_undo(saga: Saga, effect: Effect, event: Any, line: int, traits: int) -> None:
    call = getattr(event, "undo", None)
    if call is not None:
        args, amount = known(call.args, saga.disclosures), money(call.amount, saga.disclosures)
        effect.undo = Recorded(call.tool, args, amount, line)


def _reconciled(saga: Saga, event: EffectReconciled, line: int, traits: int, leaf: str) -> None:
    effect = saga.effects.get(event.effect)
    if effect:
        _find(effect, event.found, line)
        _record_undo(saga, effect, event, line, traits)
        saga.last_outcome = saga.last_outcome if effect.preview else line


def _find(call: Call, found: str, line: int) -> None:
    call.outcome = line
    if found == "landed":
        call.landed = call.landed or line
    elif found == "absent":
        call.attempts = call.attempts.replace(OPEN, ABSENT).replace(UNKNOWN, ABSENT)


def _undo_intended(saga: Saga, event: UndoIntended, line: int, traits: int, leaf: str) -> None:
    undo = saga.undos.get(event.undo)
    if undo:
        undo.attempts = _resize(undo.attempts, event.attempt)
        return
    effect = saga.effects.get(event.effect)
    args = known(event.args, saga.disclosures)
    saga.undos[event.undo] = Undo(
        id=event.undo,
        tool=event.tool,
        key=event.key,
        args=args,
        amount=money(event.amount, saga.disclosures),
        line=line,
        effect=event.effect,
        matches=matches(saga, effect, event.tool, args) if effect else False,
    )
    if effect:
        effect.undos.append(event.undo)


def _undo_outcome(letter: str) -> Callable[[Saga, Any, int, int, str], None]:
    def apply(saga: Saga, event: UndoSucceeded | UndoFailed | UndoUnknown, line: int, traits: int, leaf: str) -> None:
        undo = saga.undos.get(event.undo)
        if undo:
            before = undo.landed
            _settle(undo, event.attempt, letter, line)
            _confirm(saga, undo, before)

    return apply


def _undo_reconciled(saga: Saga, event: UndoReconciled, line: int, traits: int, leaf: str) -> None:
    undo = saga.undos.get(event.undo)
    if undo:
        before = undo.landed
        _find(undo, event.found, line)
        _confirm(saga, undo, before)


def _confirm(saga: Saga, undo: Undo, before: int) -> None:
    """An undo that has just been confirmed counts towards its effect, once."""
    effect = saga.effects.get(undo.effect)
    if before or not undo.landed or effect is None or undo.matches is False or effect.semantics == "irreversible":
        return
    target = saga.target(effect)
    if target is None or target is False:
        effect.confirmed += 1
        _undone(saga, effect, undo.landed)
    elif undo.amount and undo.amount.currency == target.currency:  # type: ignore[union-attr]
        effect.confirmed += undo.amount.minor  # type: ignore[union-attr]
        if effect.confirmed == target.minor:  # type: ignore[union-attr]
            _undone(saga, effect, undo.landed)


def _undone(saga: Saga, effect: Effect, line: int) -> None:
    effect.undone = effect.undone or line
    saga.live.pop(effect.id, None)


def _checked(saga: Saga, event: CheckEvaluated, line: int, traits: int, leaf: str) -> None:
    saga.checks.add(event.check)
    saga.last_check = (line, event.passed)


def _rolled_back(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.rollback = saga.rollback or line


def _branched(saga: Saga, event: BranchChosen, line: int, traits: int, leaf: str) -> None:
    saga.winners.setdefault(event.branch, (event.winner, line))


def _stopped(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.stopped = line


def _paused(saga: Saga, event: SagaPaused, line: int, traits: int, leaf: str) -> None:
    saga.paused, saga.waiting = line, event.waiting


def _decided(saga: Saga, event: PersonDecided, line: int, traits: int, leaf: str) -> None:
    """A person's word resolves what is unknown; it never overturns what was recorded."""
    saga.stopped = 0
    saga.waiting = tuple(name for name in saga.waiting if name != event.target)
    if not saga.waiting:
        saga.paused = 0
    undo, effect = saga.undos.get(event.target), saga.effects.get(event.target)
    call = undo or effect
    if call and call.unknown and event.verdict in ("landed", "absent"):
        before = call.landed
        _find(call, event.verdict, line)
        if undo:
            _confirm(saga, undo, before)
    owner = effect or (saga.effects.get(undo.effect) if undo else None)
    if owner and event.verdict == "undone":
        _undone(saga, owner, line)
    elif owner and event.verdict == "kept":
        owner.kept = line


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
