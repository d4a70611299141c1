"""Ends: SAGA_COMPLETE, SAGA_ABORTED, SAGA_CONTINUED_AS_NEW.

A completion is a claim without checks, so it becomes ``succeeded_unverified``: settled only if every effect is applied
or absent.

Source: docs/sources/agent-saga-log.md, "Ends".
"""

from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper, text
from agent_saga.certify.importers.agent_saga_log.rollback import boolean, claim_undos
from agent_saga.certify.importers.agent_saga_log.state import SagaState
from agent_saga.certify.importers.agent_saga_log.steps import withheld_commit
from agent_saga.certify.source import Observed
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import SUCCEEDED_UNVERIFIED, SagaEnded

COMPLETE: Final = "SAGA_COMPLETE"
ABORTED: Final = "SAGA_ABORTED"


def completed(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_COMPLETE: saga.ended, succeeded_unverified. The old id of a continued saga completes nothing."""
    state = mapper.saga(line, payload)
    if state is None or payload["saga_id"] in state.former:
        return
    _compare(mapper, state, line, payload, COMPLETE, True)
    _end(mapper, state, line, at, SUCCEEDED_UNVERIFIED)


def aborted(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_ABORTED: saga.ended, compensated_verified if anything was undone, else aborted_clean."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    if mapper.withheld.count:
        claim_undos(mapper, state, sum(not step.undone for step in state.steps.values()))
    _compare(mapper, state, line, payload, ABORTED, state.clean)
    _end(mapper, state, line, at, "compensated_verified" if state.undone else "aborted_clean")


def _compare(
    mapper: Mapper, state: SagaState, line: int, payload: dict[str, Any], event: str, expected: bool | None
) -> None:
    try:
        clean = boolean(payload, "clean")
    except LineError as fault:
        mapper.fault(line, fault.code, fault.message, state.id, "saga", event)
        return
    if expected is not None and clean != expected:
        found = f"{event} claims clean {str(clean).lower()}; what went before says {str(expected).lower()}"
        mapper.fault(line, "AS502", found, state.id, "saga", event, "a summary that the records bear out")


def _end(mapper: Mapper, state: SagaState, line: int, at: str, status: str) -> None:
    if mapper.withheld.count:
        for step in state.steps.values():
            withheld_commit(mapper, state, step)
    event = SagaEnded(1, state.id, mapper.turn(state, line, at), "", at, "saga.ended", RUNTIME, status, ())
    mapper.out.append(Observed(line, event))
    mapper.close(state)


def withheld_ends(mapper: Mapper) -> None:
    """At the end of the log: give sagas still open the redacted end that may be their own."""
    for state in _open(mapper) if mapper.withheld.count else ():
        for event, status in ((COMPLETE, SUCCEEDED_UNVERIFIED), (ABORTED, "")):
            stub = mapper.withheld.claim(event, state.line)
            if stub:
                status = status or ("compensated_verified" if state.undone else "aborted_clean")
                _end(mapper, state, stub.line, stub.at, status)
                break


def _open(mapper: Mapper) -> list[SagaState]:
    seen: dict[int, SagaState] = {id(state): state for state in mapper.sagas.values()}
    return list(seen.values())


def continued(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_CONTINUED_AS_NEW: the saga goes on under another id, with the steps it has; both are judged as one."""
    old, new = text(payload, "old_saga_id"), text(payload, "new_saga_id")
    state = mapper.sagas.get(old)
    if state is None or state.raw != old:
        raise LineError("AS102", f"saga {old[:80]} is said to continue, and no such saga is open")
    if new in mapper.sagas or hash(new) in mapper.ended:
        raise LineError("AS102", f"saga {old[:80]} is said to continue as {new[:80]}, which the log knows already")
    state.former, state.raw, state.resumed = (*state.former, old), new, False
    mapper.sagas[new] = state
