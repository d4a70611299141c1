"""Tentative resources: TENTATIVE_REGISTERED, TENTATIVE_RESOLVED, TENTATIVE_UNRESOLVED.

A registration says that something provisional may exist until it is committed or rolled back: an effect of unknown
outcome, on which no other effect depends and which depends on none.

Source: docs/sources/agent-saga-log.md, "Tentative resources".
"""

from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper, text
from agent_saga.certify.importers.agent_saga_log.rollback import undo_failed, undo_succeeded
from agent_saga.certify.importers.agent_saga_log.state import COMMITTED, UNKNOWN, SagaState, Step
from agent_saga.certify.importers.agent_saga_log.values import clean, fit, fit_tool
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EffectIntended, EffectReconciled, EffectUnknown, UndoCall

ROLLBACK: Final = "tentative.rollback"
"""Stands for a rollback that exists only inside the process: the registration names no handler."""
_PENDING: Final = "provisional until it is committed or rolled back"
_ROLLED_BACK: Final = "ROLLED_BACK"


def registered(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """TENTATIVE_REGISTERED: effect.intended and effect.unknown."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    raw = text(payload, "resource_id")
    handler, tool = payload.get("rollback_handler"), fit_tool(f"tentative:{raw}")
    args, traits = _object(payload.get("metadata"))
    undo_args, more = _object(payload.get("rollback_kwargs"))
    step = state.tentatives[raw] = Step(fit(raw, kind="tentative"), tool, line, outcome=UNKNOWN)
    step.undo = UndoCall(fit_tool(handler) if type(handler) is str and handler else ROLLBACK, undo_args)
    step.undo_traits = more
    named = {"effect": step.id, "step": step.id, "key": step.id, "attempt": 1, "after": ()}
    mapper.emit(state, line, at, EffectIntended, RUNTIME, traits, **named, tool=tool, semantics="reversible", args=args)
    mapper.emit(
        state, line, at, EffectUnknown, RUNTIME, more, effect=step.id, attempt=1, error=_PENDING, undo=step.undo
    )


def _object(value: Any) -> tuple[dict[str, Any], int]:
    found, traits = clean(value, 3) if type(value) is dict else ({}, 0)
    return (found if type(found) is dict else {"value": found}), traits


def resolved(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """TENTATIVE_RESOLVED: effect.reconciled (landed) when committed, an undo when rolled back."""
    found = _find(mapper, line, payload)
    if found is None:
        return
    state, step = found
    status = text(payload, "status")
    if status == _ROLLED_BACK:
        undo_succeeded(mapper, state, step, line, at)
    elif status == "COMMITTED":
        step.outcome = COMMITTED
        members = {"effect": step.id, "found": "landed", "undo": step.undo}
        mapper.emit(state, line, at, EffectReconciled, RUNTIME, step.undo_traits, **members)
    else:
        raise LineError("AS102", "member 'status' is neither 'COMMITTED' nor 'ROLLED_BACK'")


def unresolved(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """TENTATIVE_UNRESOLVED: a failed undo when it should be rolled back; else the outcome stays unknown."""
    found = _find(mapper, line, payload)
    if found and payload.get("target") == _ROLLED_BACK:
        undo_failed(mapper, *found, line, at, payload.get("error"))


def _find(mapper: Mapper, line: int, payload: dict[str, Any]) -> tuple[SagaState, Step] | None:
    state = mapper.saga(line, payload)
    if state is None:
        return None
    raw = text(payload, "resource_id")
    step = state.tentatives.get(raw)
    if step is None:
        found = f"tentative resource {raw[:80]} is resolved, and no record says that it was registered"
        mapper.fault(line, "AS203", found, state.id, f"effect {fit(raw, kind='tentative')}")
        return None
    return state, step
