"""Records that belong to no saga, or say something about one from outside.

Source: docs/sources/agent-saga-log.md, "Approvals" and "Other records".
"""

from typing import Any

from agent_saga.certify.importers.agent_saga_log.approvals import Answer, moment
from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper, text
from agent_saga.certify.importers.agent_saga_log.values import clean, fit, fit_saga, fit_text, fit_tool
from agent_saga.trace.events import SagaHalted


def requested(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """APPROVAL_REQUESTED: kept for the call that it is for."""
    request = mapper.approvals.request(text(payload, "request_id"), fit_tool(text(payload, "tool")), line, at)
    request.asked, request.rule = True, fit_text(str(payload.get("rule") or ""))
    context = payload.get("context")
    request.context = context if type(context) is dict else {}
    expires = moment(payload.get("expires_at"))
    request.expires = mapper.clock.at(expires) if expires is not None else ""


def _answered(mapper: Mapper, line: int, at: str, payload: dict[str, Any], decision: str, event: str) -> None:
    request = mapper.approvals.request(text(payload, "request_id"), fit_tool(text(payload, "tool")), line, at)
    person = payload.get("approver")
    request.answers.append(Answer(line, at, decision, person if type(person) is str else "", event))
    del request.answers[100:]


def granted(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """APPROVAL_GRANTED: approval.recorded, approve or break_glass."""
    decision = "break_glass" if payload.get("break_glass") is True else "approve"
    _answered(mapper, line, at, payload, decision, "APPROVAL_GRANTED")


def denied(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """APPROVAL_DENIED, APPROVAL_EXPIRED: approval.recorded, deny."""
    _answered(mapper, line, at, payload, "deny", "APPROVAL_DENIED")


def failed(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """APPROVAL_ERROR: a refusal of a request that has no id."""
    _answered(mapper, line, at, {"request_id": f"error at line {line}", **payload}, "deny", "APPROVAL_ERROR")


def quarantined(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_QUARANTINED: saga.halted, if that saga is open in this log."""
    state = mapper.sagas.get(text(payload, "saga_id"))
    if state is not None:
        reason, traits = clean(payload.get("reason"))
        mapper.emit(state, line, at, SagaHalted, RUNTIME, traits, reason=reason)


def drifted(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """RECONCILE_DRIFT: the log's own reconciliation says that an effect stands that should not, or the reverse."""
    saga, step, tool = text(payload, "saga_id"), text(payload, "step_id"), payload.get("tool")
    named = fit_tool(tool) if type(tool) is str else "a tool"
    message = f"the log's own reconciliation found that step {fit(step)} of {named} is not as the records say"
    expected = "a later reconciliation that finds the provider as the records say"
    mapper.fault(line, "AS201", message, fit_saga(saga), f"effect {fit(step)}", "RECONCILE_DRIFT", expected)


def gap(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """WAL_CHAIN_GAP: compaction owns up to missing records."""
    fault = mapper.gaps.attest(line, payload)
    if fault:
        mapper.out.append(fault)


def noted(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """A record that is chained evidence of something that no rule judges."""
