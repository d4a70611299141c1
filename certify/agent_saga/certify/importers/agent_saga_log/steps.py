"""Steps: SAGA_START, STEP_INTENT, STEP_COMMITTED, STEP_UNKNOWN, COMPLETED_VIA_FALLBACK.

Source: docs/sources/agent-saga-log.md, "Steps".
"""

from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.binding import approve
from agent_saga.certify.importers.agent_saga_log.mapper import RUNTIME, Mapper, missing, text
from agent_saga.certify.importers.agent_saga_log.state import COMMITTED, UNKNOWN, SagaState, Step
from agent_saga.certify.importers.agent_saga_log.values import clean, clean_object, fit, fit_tool
from agent_saga.certify.importers.agent_saga_log.withheld import WITHHELD, Stub
from agent_saga.certify.source import Observed
from agent_saga.trace.events import EffectIntended, EffectSucceeded, EffectUnknown, UndoCall
from agent_saga.trace.values import CONCEALS

SEMANTICS: Final = {
    "PREVIEW": "preview",
    "REVERSIBLE": "reversible",
    "COMPENSABLE": "compensable",
    "IRREVERSIBLE": "irreversible",
}
INTENT: Final = "STEP_INTENT"
COMMIT: Final = "STEP_COMMITTED"
_FALLBACK: Final = "the call failed and may have happened; a fallback completed the step (COMPLETED_VIA_FALLBACK)"


def started(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """SAGA_START: the saga begins; a saga that continued under this id has begun already."""
    raw = text(payload, "saga_id")
    state = mapper.sagas.get(raw)
    if state and state.former and state.raw == raw and not state.resumed:
        state.resumed = True
        return
    if state:
        found = f"saga {raw[:80]} is started again at this record"
        mapper.fault(line, "AS106", found, state.id, "first line", "SAGA_START", "SAGA_START once")
        return
    name = payload.get("name")
    mapper.start(mapper.open(line, raw), line, at, name if type(name) is str else "")


def intended(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """STEP_INTENT: effect.intended, after the approval that is taken to be its own."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    raw, tool, semantics = text(payload, "step_id"), fit_tool(text(payload, "tool")), _semantics(payload)
    kwargs = payload.get("kwargs")
    if type(kwargs) is not dict:
        raise missing(payload, "kwargs", "an object")
    args, traits = clean_object(kwargs) if kwargs else (kwargs, 0)
    if type(args) is not dict:
        raise missing(payload, "kwargs", "an object without the name '...'")
    step = state.steps.get(raw)
    if state.suspect:
        _compare_first(mapper, line, state, raw)
    if step:
        found = f"step {step.id} of {tool} is intended again: the call ran a second time"
        mapper.fault(line, "AS205", found, state.id, f"effect {step.id}", INTENT, "one intent for each step")
        step.attempt, step.outcome = step.attempt + 1, ""
    else:
        step = state.steps[raw] = Step(fit(raw), tool, line)
    action = approve(mapper, state, step, tool, kwargs) if mapper.approvals.by_tool else None
    _intend(mapper, state, step, line, at, tool, semantics, args, traits, action)


def _compare_first(mapper: Mapper, line: int, state: SagaState, raw: str) -> None:
    """Tell a saga that only has the id of an ended one from a copy of it."""
    if not state.steps and hash(raw) == state.suspect:
        found = f"saga {state.raw[:80]} ended before, and its steps stand here again: a copy of its records"
        mapper.fault(line, "AS107", found, state.id, "after end", INTENT, "no record after the saga's last")
    state.suspect = 0


def _intend(
    mapper: Mapper,
    state: SagaState,
    step: Step,
    line: int,
    at: str,
    tool: str,
    semantics: str,
    args: dict[str, Any],
    traits: int,
    action: str | None = None,
) -> None:
    head = (1, state.id, mapper.turn(state, line, at), "", at, "effect.intended", RUNTIME)
    name = step.id
    event = EffectIntended(*head, name, name, tool, semantics, args, name, step.attempt, action)  # type: ignore[arg-type]
    mapper.out.append(Observed(line, event, traits))


def _semantics(payload: dict[str, Any]) -> str:
    value = payload.get("semantics")
    found = SEMANTICS.get(value) if type(value) is str else None
    if found is None:
        raise missing(payload, "semantics", "one of " + ", ".join(SEMANTICS))
    return found


def committed(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """STEP_COMMITTED: effect.succeeded with the undo that the record describes. A second one is a repeated effect."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    step = find(mapper, state, payload)
    undo, traits = undo_call(payload)
    if payload.get("tool") != step.tool:
        _compare(mapper, line, state, step, payload)
    if step.orphaned:
        found = f"line {step.orphaned} says that this effect of {step.tool} stays for good; a later commit hides that"
        mapper.fault(line, "AS502", found, state.id, f"effect {step.id}", COMMIT)
    if step.outcome == COMMITTED:
        found = f"step {step.id} of {step.tool} is committed twice: the call ran again without a new intent"
        mapper.fault(line, "AS205", found, state.id, f"effect {step.id}", COMMIT, "one outcome for each intent")
        return
    step.outcome, step.undo, step.undo_traits = COMMITTED, undo, traits
    step.undo_key = undo_key(payload.get("compensation"))
    _succeed(mapper, state, step, line, at)


def _succeed(mapper: Mapper, state: SagaState, step: Step, line: int, at: str) -> None:
    by, seq = f"tool:{step.tool}", mapper.turn(state, line, at)
    event = EffectSucceeded(1, state.id, seq, "", at, "effect.succeeded", by, step.id, step.attempt, None, step.undo)
    mapper.out.append(Observed(line, event, step.undo_traits))


def unknown(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """STEP_UNKNOWN: effect.unknown with the undo that the record describes."""
    state = mapper.saga(line, payload)
    if state is None:
        return
    step = find(mapper, state, payload)
    undo, traits = undo_call(payload)
    if payload.get("tool") != step.tool:
        _compare(mapper, line, state, step, payload)
    step.undo_key = undo_key(payload.get("compensation")) or step.undo_key
    error, more = clean(payload.get("error"))
    _unknown(mapper, state, step, line, at, error, undo, traits | more)


def fallen_back(mapper: Mapper, line: int, at: str, payload: dict[str, Any]) -> None:
    """COMPLETED_VIA_FALLBACK: effect.unknown; the log says that the call failed, not that it did not happen."""
    state = mapper.saga(line, payload)
    if state is not None:
        _unknown(mapper, state, find(mapper, state, payload), line, at, _FALLBACK, None, 0)


def _unknown(
    mapper: Mapper, state: SagaState, step: Step, line: int, at: str, error: Any, undo: UndoCall | None, traits: int
) -> None:
    step.outcome = step.outcome or UNKNOWN
    if undo:
        step.undo, step.undo_traits = undo, traits
    by, seq = f"tool:{step.tool}", mapper.turn(state, line, at)
    event = EffectUnknown(1, state.id, seq, "", at, "effect.unknown", by, step.id, step.attempt, error, undo)
    mapper.out.append(Observed(line, event, traits))


def find(mapper: Mapper, state: SagaState, payload: dict[str, Any]) -> Step:
    """The step that a record names. One never intended is kept apart, unless its intent may be a redacted record."""
    raw = payload.get("step_id")
    if type(raw) is str and raw in state.steps:
        return state.steps[raw]
    raw = text(payload, "step_id")
    tool = fit_tool(text(payload, "tool"))
    step = state.steps[raw] = Step(fit(raw), tool, 0)
    stub = mapper.withheld.claim(INTENT, state.line - 1)
    if stub:
        step.line = stub.line
        # a record of an undo does not repeat the semantics; with the rest withheld, compensable is what an undo implies
        semantics = _semantics(payload) if "semantics" in payload else "compensable"
        _intend(mapper, state, step, stub.line, stub.at, tool, semantics, stub.sealed, CONCEALS)
    return step


def withheld_commit(mapper: Mapper, state: SagaState, step: Step) -> None:
    """Give a step without an outcome the redacted STEP_COMMITTED that may be its own."""
    stub: Stub | None = None if step.outcome or not step.line else mapper.withheld.claim(COMMIT, step.line)
    if stub:
        step.outcome, step.undo, step.undo_traits = COMMITTED, UndoCall(WITHHELD, stub.sealed), CONCEALS
        _succeed(mapper, state, step, stub.line, stub.at)


def undo_call(payload: dict[str, Any]) -> tuple[UndoCall | None, int]:
    """The undo that a record describes. Only a descriptor that names what to call counts."""
    described = payload.get("compensation")
    if type(described) is not dict:
        if described is None:
            return None, 0
        raise missing(payload, "compensation", "an object or null")
    name = described.get("handler") or described.get("fn")
    if type(name) is not str or not name:
        return None, 0
    kwargs = described.get("kwargs")
    args, traits = clean_object(kwargs, 3) if type(kwargs) is dict and kwargs else ({}, 0)
    return UndoCall(fit_tool(name), args if type(args) is dict else {"kwargs": args}), traits


def undo_key(described: Any) -> str:
    """The idempotency key in the description of an undo, or in the record of one; "" for none."""
    key = described.get("idempotency_key") if type(described) is dict else None
    return key if type(key) is str else ""


def compare_undo(mapper: Mapper, line: int, state: SagaState, step: Step, payload: dict[str, Any]) -> None:
    """The record of an undo repeats the step's tool and the key that its outcome recorded."""
    tool, key = payload.get("tool"), undo_key(payload)
    if type(tool) is str and fit_tool(tool) != step.tool:
        found = f"the undo of step {step.id} names tool {tool[:80]}, its intent {step.tool}"
    elif key and step.undo_key and key != step.undo_key:
        found = f"the undo of step {step.id} bears another idempotency key than its outcome recorded"
    else:
        return
    mapper.fault(line, "AS102", found, state.id, f"effect {step.id}", "undo", "the undo that the outcome recorded")


def _compare(mapper: Mapper, line: int, state: SagaState, step: Step, payload: dict[str, Any]) -> None:
    tool = payload.get("tool")
    if type(tool) is str and fit_tool(tool) != step.tool:
        found = f"the outcome of step {step.id} names tool {tool[:80]}, its intent {step.tool}"
        mapper.fault(line, "AS102", found, state.id, f"effect {step.id}")
