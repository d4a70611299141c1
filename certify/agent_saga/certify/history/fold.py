"""The fold: one event makes one change to the saga's history. A literal table, no judgement.

Rules look at the history before the event is folded in; the fold itself accepts every event, also a wrong one, and
takes the cautious reading: a call that was ever said to have happened has happened.

Source: docs/rules.md, "An effect, formally".
"""

from typing import Any, Final

from agent_saga.certify.history.attempts import (
    Fold,
    intended,
    moved,
    outcome,
    reconciled,
    undo_intended,
    undo_outcome,
    undo_reconciled,
    undo_told,
)
from agent_saga.certify.history.calls import find, undone
from agent_saga.certify.history.compare import known
from agent_saga.certify.history.effects import FAILED, SUCCEEDED, UNKNOWN
from agent_saga.certify.history.people import Approval, Asked, carries_signature
from agent_saga.certify.history.saga import Saga, Step
from agent_saga.trace.events import (
    ApprovalRecorded,
    ApprovalRequested,
    BranchChosen,
    CheckEvaluated,
    PersonDecided,
    SagaEnded,
    SagaPaused,
    SagaStarted,
    StepProposed,
    StepRefused,
)


def _started(saga: Saga, event: SagaStarted, line: int, traits: int, leaf: str) -> None:
    saga.name, saga.parent, saga.pivot = event.name, event.parent, event.pivot
    saga.log, saga.start, saga.keys, saga.policy = event.log, leaf, event.keys, event.policy
    saga.agent = event.agent or ""
    saga.tools = None if saga.foreign else saga.common.catalogue(event.tools)
    if saga.pivot:
        saga.common.met.add("pivot")
    if saga.parent:
        saga.common.met.add("parent")
    if saga.tools:
        saga.common.met.add("catalogue")


def _proposed(saga: Saga, event: StepProposed, line: int, traits: int, leaf: str) -> None:
    args = known(event.args, saga.disclosures)
    saga.steps.setdefault(
        event.step, Step(line, event.tool, args, saga.common.allowed(event.allowed), event.by.removeprefix("agent:"))
    )


def _refused(saga: Saga, event: StepRefused, line: int, traits: int, leaf: str) -> None:
    saga.refused.setdefault(event.step, line)
    saga.requested.pop(event.step, None)


def _requested(saga: Saga, event: ApprovalRequested, line: int, traits: int, leaf: str) -> None:
    saga.requested[event.step] = line
    saga.asked[event.step] = Asked(line, leaf, event)
    saga.persons[event.step] = set()


def _answered(saga: Saga, event: ApprovalRecorded, line: int, traits: int, leaf: str) -> None:
    approval = Approval(line, leaf, event, carries_signature(event.proof))
    saga.claims = saga.claims or saga.foreign or not approval.signed
    saga.answers.setdefault(event.step, []).append(approval)
    if leaf:
        saga.approvals[leaf] = approval
    if _answered_enough(saga, event):
        saga.requested.pop(event.step, None)
    if event.decision == "deny":
        saga.refused.setdefault(event.step, line)


def _answered_enough(saga: Saga, event: ApprovalRecorded) -> bool:
    """Whether nobody is waited for any more, for all that the lines say: a denial, or as many persons as were asked."""
    asked = saga.asked.get(event.step)
    if saga.foreign or asked is None or event.decision != "approve":
        return True
    persons = saga.persons[event.step]
    persons.add(event.person)
    return len(persons) >= asked.event.quorum


def _checked(saga: Saga, event: CheckEvaluated, line: int, traits: int, leaf: str) -> None:
    saga.checks.setdefault(event.check, line)
    saga.last_check, saga.proven = (line, event.passed), event.passed


def _rolled_back(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.rollback = saga.rollback or line


def _branched(saga: Saga, event: BranchChosen, line: int, traits: int, leaf: str) -> None:
    saga.winners.setdefault(event.branch, (event.winner, line))


def _stopped(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.stopped, saga.stop = line, leaf


def _paused(saga: Saga, event: SagaPaused, line: int, traits: int, leaf: str) -> None:
    saga.paused, saga.stop, saga.waiting = line, leaf, dict.fromkeys(event.waiting)


def _decided(saga: Saga, event: PersonDecided, line: int, traits: int, leaf: str) -> None:
    """A person's word resolves what is unknown; it never overturns what was recorded."""
    saga.stopped = 0
    saga.waiting.pop(event.target, None)
    if not saga.waiting:
        saga.paused = 0
    if event.target == saga.id:
        saga.back = line if event.verdict == "undone" else 0
    undo, effect = saga.undos.get(event.target), saga.effects.get(event.target)
    call = undo or effect
    if call and call.unknown and event.verdict in ("landed", "absent"):
        find(call, event.verdict, line)
        if undo:
            undo_told(saga, undo, 0)
    owner = saga.effects.get(undo.effect) if undo else effect
    if owner and event.verdict == "undone":
        undone(owner, line)
        saga.last_undone, saga.proven = line, False
    elif owner and event.verdict == "kept":
        owner.kept = line
    if owner:
        moved(saga, owner)


def _ended(saga: Saga, event: SagaEnded, line: int, traits: int, leaf: str) -> None:
    if saga.ended is None:
        saga.ended, saga.ended_line = event, line


def _of_the_log(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    saga.common.authority.hear(line, leaf, event)


def _nothing(saga: Saga, event: Any, line: int, traits: int, leaf: str) -> None:
    pass


FOLD: Final[dict[str, Fold]] = {
    "saga.started": _started,
    "step.proposed": _proposed,
    "step.refused": _refused,
    "approval.requested": _requested,
    "approval.recorded": _answered,
    "effect.intended": intended,
    "effect.succeeded": outcome(SUCCEEDED),
    "effect.failed": outcome(FAILED),
    "effect.unknown": outcome(UNKNOWN),
    "effect.reconciled": reconciled,
    "undo.intended": undo_intended,
    "undo.succeeded": undo_outcome(SUCCEEDED),
    "undo.failed": undo_outcome(FAILED),
    "undo.unknown": undo_outcome(UNKNOWN),
    "undo.reconciled": undo_reconciled,
    "check.evaluated": _checked,
    "rollback.started": _rolled_back,
    "branch.chosen": _branched,
    "saga.halted": _stopped,
    "saga.escalated": _stopped,
    "saga.paused": _paused,
    "person.decided": _decided,
    "saga.ended": _ended,
    "log.opened": _of_the_log,
    "log.indexed": _nothing,
    "keys.enrolled": _of_the_log,
    "keys.revoked": _of_the_log,
    "policy.adopted": _of_the_log,
}
"""Every line type and what it changes."""
