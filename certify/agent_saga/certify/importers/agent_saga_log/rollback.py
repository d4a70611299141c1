"""Undoing: SAGA_ABORT_CAUSE, ROLLBACK_START, COMPENSATED, COMPENSATION_FAILED, STEP_ORPHANED, ROLLBACK_END, RECOVERY_*.

The format records an undo once it is over, so its intent and its result come from one record. Tool and arguments are
those that the outcome described; nothing in the log says what was really called.

Source: docs/sources/agent-saga-log.md, "Undoing".
"""

from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper, missing
from agent_saga.certify.importers.agent_saga_log.state import SagaState, Step
from agent_saga.certify.importers.agent_saga_log.steps import compare_undo, find, withheld_commit
from agent_saga.certify.importers.agent_saga_log.values import clean
from agent_saga.certify.source import Observed
from agent_saga.trace.events import RollbackStarted, SagaEscalated, UndoFailed, UndoIntended, UndoSucceeded

UNDONE: Final = "COMPENSATED"
_COUNTS: Final = ("compensated", "failed", "orphaned", "unresolved")


def caused(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_ABORT_CAUSE: kept for rollback.started."""
    state = mapper.saga(line, payload)
    if state is not None:
        state.cause, _ = clean({"type": payload.get("cause_type"), "message": payload.get("cause")})


def rolling_back(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """ROLLBACK_START: rollback.started."""
    state = mapper.saga(line, payload)
    if state is not None:
        seq = mapper.turn(state, line, at)
        event = RollbackStarted(1, state.id, seq, "", at, "rollback.started", RUNTIME, state.cause)
        mapper.out.append(Observed(line, event))


def attempted(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """RECOVERY_ATTEMPT: undo.intended; its result is a record of its own."""
    state = mapper.saga(line, payload)
    if state is not None:
        step = _step(mapper, state, payload)
        step.undoing = intend_undo(mapper, state, step, line, at)


def compensated(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """COMPENSATED, RECOVERY_SUCCESS: undo.intended and undo.succeeded."""
    state = mapper.saga(line, payload)
    if state is not None:
        step = _step(mapper, state, payload)
        compare_undo(mapper, line, state, step, payload)
        if mapper.withheld.count:
            claim_undos(mapper, state, len(state.steps), step)
        undo_succeeded(mapper, state, step, line, at)
        state.compensated += 1


def not_compensated(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """COMPENSATION_FAILED, RECOVERY_FAILED: undo.intended and undo.failed."""
    state = mapper.saga(line, payload)
    if state is not None:
        undo_failed(mapper, state, _step(mapper, state, payload), line, at, payload.get("error"))
        state.failed += 1


def _step(mapper: Mapper, state: SagaState, payload: dict[str, Any]) -> Step:
    resource = payload.get("resource_id")
    if type(resource) is str and resource in state.tentatives:
        return state.tentatives[resource]
    step = find(mapper, state, payload)
    if not step.outcome:
        withheld_commit(mapper, state, step)
    return step


def undo_succeeded(mapper: Mapper, state: SagaState, step: Step, line: int, at: str) -> None:
    """Yield an undo that took effect."""
    name = step.undoing or intend_undo(mapper, state, step, line, at)
    step.undoing, step.undone, state.undone = "", step.undone + 1, True
    event = UndoSucceeded(1, state.id, mapper.turn(state, line, at), "", at, "undo.succeeded", RUNTIME, name, 1, None)
    mapper.out.append(Observed(line, event))


def undo_failed(mapper: Mapper, state: SagaState, step: Step, line: int, at: str, error: Any) -> None:
    """Yield an undo that failed."""
    name = step.undoing or intend_undo(mapper, state, step, line, at)
    step.undoing, step.failed = "", step.failed + 1
    value, traits = clean(error)
    mapper.emit(state, line, at, UndoFailed, RUNTIME, traits, undo=name, attempt=1, error=value)


def intend_undo(mapper: Mapper, state: SagaState, step: Step, line: int, at: str) -> str:
    """Yield undo.intended, as the outcome described the undo, and return its id."""
    state.undos += 1
    name = f"u{state.undos}"
    tool, args, traits = (step.undo.tool, step.undo.args, step.undo_traits) if step.undo else (step.tool, {}, 0)
    seq = mapper.turn(state, line, at)
    event = UndoIntended(1, state.id, seq, "", at, "undo.intended", RUNTIME, name, step.id, tool, args, name, 1)
    mapper.out.append(Observed(line, event, traits))
    return name


def orphaned(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """STEP_ORPHANED: no event; the effect stays in force, and no later record may hide that."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    step = find(mapper, state, payload)
    withheld_commit(mapper, state, step)
    state.orphaned += 1
    step.orphaned = line
    if not step.line:
        found = f"step {step.id} of {step.tool} is said to stay, and no record says that it was intended"
        mapper.fault(line, "AS203", found, state.id, f"effect {step.id}", "STEP_ORPHANED", "STEP_INTENT before it")


def escalated(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """RECOVERY_ESCALATED: saga.escalated."""
    state = mapper.saga(line, payload)
    if state is not None:
        reason, traits = clean(payload.get("reason"))
        mapper.emit(state, line, at, SagaEscalated, RUNTIME, traits, reason=reason)


def rolled_back(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """ROLLBACK_END: no event; what it claims is compared with the records."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    claimed = {name: _count(payload, name) for name in _COUNTS}
    claim_undos(mapper, state, claimed["compensated"] - state.compensated)
    clean_claim = state.clean = boolean(payload, "clean")
    for name in _COUNTS[:3]:
        counted = getattr(state, name)
        if claimed[name] != counted:
            _false(mapper, state, line, f"{name} {claimed[name]}", f"{counted} such record(s) stand in the log")
    spoiled = bool(claimed["failed"] or claimed["orphaned"] or claimed["unresolved"])
    if clean_claim == (spoiled or bool(state.failed or state.orphaned)):
        _false(mapper, state, line, f"clean {str(clean_claim).lower()}", "the counts and records say the opposite")


def claim_undos(mapper: Mapper, state: SagaState, number: int, until: Step | None = None) -> None:
    """Give up to this many steps in force the redacted COMPENSATED that may be their own, the latest step first."""
    for step in reversed(state.steps.values()) if number > 0 and mapper.withheld.count else ():
        if step is until:
            return
        if not step.undone and number > 0 and (stub := mapper.withheld.claim(UNDONE, step.line)):
            withheld_commit(mapper, state, step)
            undo_succeeded(mapper, state, step, stub.line, stub.at)
            state.compensated += 1
            number -= 1


def _count(payload: dict[str, Any], name: str) -> int:
    value = payload.get(name)
    if type(value) is not int or value < 0:
        raise missing(payload, name, "a count")
    return value


def boolean(payload: dict[str, Any], name: str) -> bool:
    """A member that must be true or false. Raises LineError (AS102)."""
    value = payload.get(name)
    if type(value) is not bool:
        raise missing(payload, name, "true or false")
    return value


def _false(mapper: Mapper, state: SagaState, line: int, claim: str, found: str) -> None:
    message = f"ROLLBACK_END claims {claim}; {found}"
    expected = "a summary that the records bear out"
    mapper.fault(line, "AS502", message, state.id, "rollback summary", "ROLLBACK_END", expected)
