"""The approval that is taken to be a call's own, as events before its intent.

Source: docs/sources/agent-saga-log.md, "Approvals".
"""

from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.approvals import Request
from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper
from agent_saga.certify.importers.agent_saga_log.state import SagaState, Step
from agent_saga.certify.importers.agent_saga_log.values import fit_text, fit_tool
from agent_saga.trace.events import ApprovalRecorded, ApprovalRequested

_NEVER: Final = "9999-12-31T23:59:59.999999Z"


def approve(mapper: Mapper, state: SagaState, step: Step, tool: str, kwargs: dict[str, Any]) -> str | None:
    """Yield the approval of a call, if the log has one; the digest that stands for the call's action, or None."""
    bound = mapper.approvals.bind(tool, kwargs, state.line)
    if bound is None:
        return None
    request, agrees = bound
    if request.asked:
        mapper.emit(
            state,
            request.line,
            request.at,
            ApprovalRequested,
            RUNTIME,
            step=step.id,
            action=request.action,
            rule=request.rule,
            quorum=1,
            roles=(),
            strength="D",
            not_after=request.expires or _NEVER,
        )
    _answer(mapper, state, step, request)
    return request.action if agrees else sha256(f"agent-saga step {step.id}".encode()).hexdigest()


def _answer(mapper: Mapper, state: SagaState, step: Step, request: Request) -> None:
    for answer in request.answers:
        mapper.emit(
            state,
            answer.line,
            answer.at,
            ApprovalRecorded,
            f"person:{fit_tool(answer.person)}" if answer.person else RUNTIME,
            step=step.id,
            action=request.action,
            decision=answer.decision,
            person=fit_text(answer.person),
            proof={},
        )
