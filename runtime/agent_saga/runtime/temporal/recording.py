"""A person's word, written once although the activity that writes it may be tried again."""

from collections.abc import Awaitable

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from agent_saga.approvals.errors import NotApproved
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.errors import NotEntitled, StaleDecision, UnknownSaga
from agent_saga.runtime.kernel.deciding import PersonDecision
from agent_saga.runtime.temporal.messages import Decision, Record
from agent_saga.trace.codec import decode
from agent_saga.trace.events import ApprovalRecorded
from agent_saga.trace.events import PersonDecided as Decided


async def record(engine: Engine, wanted: Record) -> None:
    """Verify and write it.

    Raises ApplicationError, not to be tried again, for what is refused; SagaBusy and StoreError.
    """
    try:
        await _written(engine, wanted)
    except StaleDecision as stale:
        if not await _stands(engine, wanted):  # an earlier attempt may have written it and not said so
            raise _refused(stale) from stale
    except (NotApproved, NotEntitled, UnknownSaga) as fault:
        raise _refused(fault) from fault


def _written(engine: Engine, wanted: Record) -> Awaitable[None]:
    if wanted.decision is None:
        return engine.approve(wanted.saga, wanted.proof)
    return engine.decide(wanted.saga, person_decision(wanted.decision))


def person_decision(given: Decision) -> PersonDecision:
    """The decision as the kernel judges it."""
    verdict = given.verdict
    return PersonDecision(given.target, verdict, given.person, given.reason, given.pause, given.proof)  # type: ignore[arg-type]


async def _stands(engine: Engine, wanted: Record) -> bool:
    """Whether the saga's lines hold this very word."""
    for line in await engine.store.read(wanted.saga):
        event, _ = decode(line)
        if wanted.decision is None:
            if isinstance(event, ApprovalRecorded) and event.proof == wanted.proof:
                return True
        elif isinstance(event, Decided) and _same(event, wanted.decision):
            return True
    return False


def _same(event: Decided, decision: Decision) -> bool:
    """Whether a line says it. Where there is no proof, its pause cannot be told from the line: that one is refused."""
    if not decision.proof:
        return False
    return event.target == decision.target and event.proof == decision.proof


def _refused(fault: Exception) -> ApplicationError:
    details = (fault.reason,) if isinstance(fault, NotApproved) else ()
    expected = ApplicationErrorCategory.BENIGN  # to say no is no fault of the worker's
    return ApplicationError(str(fault), *details, type=type(fault).__name__, non_retryable=True, category=expected)
