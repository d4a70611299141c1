"""Which of their records becomes what of ours: the whole table, and what is done with a record before it is looked up.

Source: docs/sources/agent-saga-log.md, "Mapping"; a test holds the two together.
"""

import difflib
import json
import re
from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log import ends, others, rollback, steps, tentative
from agent_saga.certify.importers.agent_saga_log.mapper import Mapper
from agent_saga.certify.importers.agent_saga_log.records import Record
from agent_saga.certify.importers.agent_saga_log.withheld import Stub
from agent_saga.certify.source import Fault
from agent_saga.trace.errors import LineError

Handler = Callable[[Mapper, int, str, dict[str, Any]], None]

HANDLERS: Final[dict[str, Handler]] = {
    "SAGA_START": steps.started,
    "STEP_INTENT": steps.intended,
    "STEP_COMMITTED": steps.committed,
    "STEP_UNKNOWN": steps.unknown,
    "COMPLETED_VIA_FALLBACK": steps.fallen_back,
    "SAGA_ABORT_CAUSE": rollback.caused,
    "ROLLBACK_START": rollback.rolling_back,
    "COMPENSATED": rollback.compensated,
    "COMPENSATION_SUCCESS": rollback.compensated,
    "COMPENSATION_FAILED": rollback.not_compensated,
    "STEP_ORPHANED": rollback.orphaned,
    "ROLLBACK_END": rollback.rolled_back,
    "RECOVERY_ATTEMPT": rollback.attempted,
    "COMPENSATION_ATTEMPT": rollback.attempted,
    "RECOVERY_SUCCESS": rollback.compensated,
    "RECOVERY_FAILED": rollback.not_compensated,
    "RECOVERY_ESCALATED": rollback.escalated,
    "SAGA_COMPLETE": ends.completed,
    "SAGA_ABORTED": ends.aborted,
    "SAGA_CONTINUED_AS_NEW": ends.continued,
    "TENTATIVE_REGISTERED": tentative.registered,
    "TENTATIVE_RESOLVED": tentative.resolved,
    "TENTATIVE_UNRESOLVED": tentative.unresolved,
    "APPROVAL_REQUESTED": others.requested,
    "APPROVAL_GRANTED": others.granted,
    "APPROVAL_BREAK_GLASS": others.noted,
    "APPROVAL_DENIED": others.denied,
    "APPROVAL_EXPIRED": others.denied,
    "APPROVAL_ERROR": others.failed,
    "APPROVAL_ESCALATED": others.noted,
    "SAGA_QUARANTINED": others.quarantined,
    "SAGA_RELEASED": others.noted,
    "KILLSWITCH_ENGAGED": others.noted,
    "KILLSWITCH_RELEASED": others.noted,
    "RECONCILE_DRIFT": others.drifted,
    "RECONCILE_CONFIRMED": others.noted,
    "RECONCILE_UNVERIFIABLE": others.noted,
    "WAL_CHAIN_GAP": others.gap,
    "SAGA_LEASE": others.noted,
    "RECOVERY_DRY_RUN": others.noted,
    "RECOVERY_SKIPPED_QUARANTINED": others.noted,
    "REPAIR_OPENED": others.noted,
    "REPAIR_RESUMED": others.noted,
    "REPAIR_ABANDONED": others.noted,
    "CIRCUIT_OPEN": others.noted,
    "CIRCUIT_HALF_OPEN": others.noted,
    "CIRCUIT_CLOSED": others.noted,
    "CIRCUIT_RESET": others.noted,
    "AGENT_DECISION": others.noted,
    "LLM_ROUTED": others.noted,
    "CASCADE_RESOLVED": others.noted,
    "CONTEXT_PACKED": others.noted,
    "ANSWER_GROUNDED": others.noted,
    "KEY_ROTATED": others.noted,
}
"""Every record that the format's versions 0.3.1 to 2.3.11 write."""

_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch
_SUGGESTIONS: dict[str, str] = {}
_KNOWN_LIMIT: Final = 1000


def take(mapper: Mapper, record: Record, line: int) -> None:
    """Turn one record into events and faults, left in ``mapper.out``. Never raises for what the record holds."""
    event = record.event
    handler = HANDLERS.get(event) if type(event) is str else None
    if handler is None:
        mapper.out.append(_unknown(line, event))
        return
    try:
        at = mapper.clock.at(record.ts)
        if record.redacted is None:
            handler(mapper, line, at, record.payload)
        else:
            mapper.withheld.add(event, Stub(line, at, _digest(record)))
    except LineError as fault:
        mapper.out.append(refused(line, event, fault))


def refused(line: int, event: str, fault: LineError) -> Fault:
    """The fault of a record that its mapping cannot take."""
    return Fault(line, fault.code, f"{event}: {fault.message}", what=event)


def _digest(record: Record) -> str:
    if type(record.digest) is str and _HEX64(record.digest):
        return record.digest
    raise LineError("AS102", "a redacted record without its content digest _cd")


def _unknown(line: int, event: Any) -> Fault:
    if type(event) is not str:
        return Fault(line, "AS102", "member 'event' is missing or no text; expected the name of a record")
    if event not in _SUGGESTIONS:
        if len(_SUGGESTIONS) >= _KNOWN_LIMIT:
            _SUGGESTIONS.clear()
        near = difflib.get_close_matches(event[:80].upper(), list(HANDLERS), n=1)
        _SUGGESTIONS[event] = f"; did you mean {near[0]!r}?" if near else ""
    shown = f"event {json.dumps(event[:80])}"
    expected = "a record that agent-saga 0.3.1 to 2.3.11 writes"
    return Fault(line, "AS103", f"unknown {shown}{_SUGGESTIONS[event]}", subject=shown, expected=expected)
