"""AS205 repeated-effect."""

from agent_saga.certify.history import SUCCEEDED, Call, Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named, outcome_of
from agent_saga.trace.events import EffectIntended, EffectSucceeded, UndoIntended, UndoSucceeded


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    call = saga.effects.get(event.effect)
    if call:
        return _rerun(call, event, line)
    other = saga.latest.get(event.step)
    if other and not (other.absent or other.preview) and event.fallback_of != other.id:
        return _second(other, f"effect {event.effect}", f"effect {event.effect} of the same step {event.step}", event, line)
    return None


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    call = saga.undos.get(event.undo)
    if call:
        return _rerun(call, event, line)
    effect = saga.effects.get(event.effect)
    if effect and effect.undos and not effect.undone:
        other = saga.undos[effect.undos[-1]]
        if other.unknown:
            return _second(other, f"undo {event.undo}", f"undo {event.undo} of the same effect", event, line)
    return None


def _rerun(call: Call, event: EffectIntended | UndoIntended, line: int) -> Draft | None:
    if call.absent or event.attempt <= len(call.attempts):
        return None
    state = "had taken effect" if call.applied else "was not known to have failed"
    return Draft(
        f"{event.type.split('.')[0]} {call.id}",
        f"attempt {event.attempt} of {named(call)} was made at line {line} although an earlier attempt {state}",
        "an earlier attempt proven failed, or reconciled as absent, before the next",
        (outcome_of(call), at(line, f"{event.type} {call.id} attempt {event.attempt}")),
    )


def _second(other: Call, subject: str, again: str, event: EffectIntended | UndoIntended, line: int) -> Draft:
    return Draft(
        subject,
        f"{named(other)} is not known to be absent, and line {line} makes the call again as {again}, under another key",
        f"{other.id} reconciled as absent first, or a retry under its own key",
        (intent_of(other), at(line, f"{event.type} {event.tool}")),
    )


def _success(saga: Saga, event: EffectSucceeded | UndoSucceeded, line: int) -> Draft | None:
    call: Call | None = (
        saga.undos.get(event.undo) if isinstance(event, UndoSucceeded) else saga.effects.get(event.effect)
    )
    if call is None or not call.applied or event.attempt > len(call.attempts):
        return None
    if call.attempts[event.attempt - 1] != SUCCEEDED and len(call.attempts) == 1:
        return None  # a late reply to what reconciliation already found
    return Draft(
        f"{event.type.split('.')[0]} {call.id}",
        f"{named(call)} took effect at line {call.landed} and again at line {line}",
        "one success for one effect",
        (outcome_of(call), at(line, f"{event.type} {call.id}")),
    )


RULE = Rule(
    code="AS205",
    name="repeated-effect",
    what="A call was made again although an earlier one had happened or might have.",
    why="This is the customer who is charged twice.",
    bad="""\
effect.intended e1 attempt 1
effect.unknown e1 attempt 1
effect.intended e1 attempt 2
""",
    good="""\
effect.intended e1 attempt 1
effect.unknown e1 attempt 1
effect.reconciled e1 absent
effect.intended e1 attempt 2
""",
    fix=(
        "Ask the provider about the key before trying again; refund the second call if both "
        "landed."
    ),
    on={
        "effect.intended": _effect,
        "undo.intended": _undo,
        "effect.succeeded": _success,
        "undo.succeeded": _success,
    },
)
