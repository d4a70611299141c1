"""AS205 repeated-effect."""

from agent_saga.certify.history.attempts import made_before
from agent_saga.certify.history.compare import Money
from agent_saga.certify.history.effects import SUCCEEDED, Call, Effect, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import given
from agent_saga.certify.rule import Draft, Rule, at, withheld
from agent_saga.certify.words import ended_as, intent_of, kind_of, named, outcome_of, rival_of
from agent_saga.trace.events import EffectIntended, EffectSucceeded, UndoIntended, UndoSucceeded


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    call = saga.effects.get(event.effect)
    if event.semantics == "preview" or (call and call.preview):
        return None  # reading twice does no harm
    if call:
        return _undone(saga, call, event, line) or _rerun(call, event, line)
    other = made_before(saga, event)
    if other is None:
        return None
    fallback = f", its fallback ({event.tool})" if other.id == event.fallback_of else ""
    again = f"step {event.step} as effect {event.effect}{fallback}"
    return _second(other, f"effect {event.effect}", again, event, line)


def _undone(saga: Saga, effect: Effect, event: EffectIntended, line: int) -> Draft | None:
    """A retry of what was proven absent, and of which an undo had begun: no undo of before undoes this attempt."""
    if event.attempt <= effect.highest or not effect.absent:
        return None
    if not (effect.undone or effect.pending or effect.confirmed or effect.sealed):
        return None
    undo = saga.undos[effect.undos[-1]] if effect.undos else None
    by = f"{named(undo)} had undone it or may have" if undo else "a person had decided that it is undone"
    return Draft(
        f"effect {effect.id}",
        f"attempt {event.attempt} of {named(effect)} was made at line {line} after {by}; that undoes no later attempt",
        "a proposal, an effect and a key of its own for a call after an undo",
        (
            intent_of(undo) if undo else at(effect.undone, f"person.decided {effect.id} undone"),
            at(line, f"{event.type} {effect.id} attempt {event.attempt}"),
        ),
    )


def _twice(saga: Saga, effect: Effect) -> Draft:
    """Both calls for one step are in force at the end: the first was absent when the second was made, and landed."""
    first, witness = rival_of(saga, effect)
    return Draft(
        f"effect {effect.id}",
        f"{named(first)} took effect at line {first.landed} and {named(effect)}, made for the same step, at line "
        f"{effect.landed}; both are in force when saga {saga.id} {ended_as(saga)}",
        f"undo.intended and undo.succeeded of {first.id} or {effect.id}, before saga.ended",
        witness,
    )


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    call = saga.undos.get(event.undo)
    if call:
        return _rerun(call, event, line)
    effect = saga.effects.get(event.effect)
    if effect is None or not effect.pending or effect.undone:
        return None
    fits = _fits(saga, effect, given(saga, effect, event))
    if fits:
        return None
    other = next(reversed(effect.pending.values()))
    if fits is False:
        return _second(other, f"undo {event.undo}", f"effect {effect.id} as undo {event.undo}", event, line)
    because = f"whether {named(other)} and undo {event.undo} at line {line} together give back too much cannot be told"
    witness = intent_of(other), at(line, f"{event.type} {event.tool}")
    return withheld(f"undo {event.undo}", because, "disclosures of their amounts", witness)


def _fits(saga: Saga, effect: Effect, amount: Money | None | bool) -> bool | None:
    """Tell whether one more part can be given back while others are under way; None when amounts are sealed."""
    parts = [amount, saga.target(effect)]
    if effect.pending and len(effect.pending) == 1:
        parts += [undo.worth for undo in effect.pending.values()]
    if None in parts:
        return False
    target = parts[1]
    if not isinstance(amount, Money) or not isinstance(target, Money) or False in parts:
        return None
    return effect.confirmed + effect.flight + amount.minor <= target.minor


def _rerun(call: Call, event: EffectIntended | UndoIntended, line: int) -> Draft | None:
    if call.absent or event.attempt <= call.highest:
        return None
    state = f"had taken effect (line {call.landed})" if call.applied else "was not known to have failed"
    return Draft(
        f"{kind_of(call)} {call.id}",
        f"attempt {event.attempt} of {named(call)} was made at line {line} although an earlier attempt {state}",
        f"{kind_of(call)}.failed, or {kind_of(call)}.reconciled absent, of {call.id} before it is tried again",
        (intent_of(call), at(line, f"{event.type} {call.id} attempt {event.attempt}")),
    )


def _second(other: Effect | Undo, subject: str, again: str, event: EffectIntended | UndoIntended, line: int) -> Draft:
    state = f"took effect at line {other.landed}" if other.applied else "is not known to be absent"
    return Draft(
        subject,
        f"{named(other)} {state}, and line {line} makes the call for {again}, under another key",
        f"{kind_of(other)}.failed or reconciled absent of {other.id} first, or a retry of it under its own key",
        (intent_of(other), at(line, f"{event.type} {event.tool}")),
    )


def _success(saga: Saga, event: EffectSucceeded | UndoSucceeded, line: int) -> Draft | None:
    call: Call | None = (
        saga.undos.get(event.undo) if isinstance(event, UndoSucceeded) else saga.effects.get(event.effect)
    )
    if call is None or not call.applied or event.attempt > call.highest:
        return None
    if SUCCEEDED not in call.attempts:
        return None  # a late reply to what reconciliation already found
    return Draft(
        f"{kind_of(call)} {call.id}",
        f"{named(call)} took effect at line {call.landed} and again at line {line}",
        f"one success of {kind_of(call)} {call.id}",
        (outcome_of(call), at(line, f"{event.type} {call.id}")),
    )


RULE = Rule(
    code="AS205",
    name="repeated-effect",
    what=(
        "A call was made again although an earlier one had happened or might have: as another attempt, as another "
        "effect of the step, as a fallback, or as another undo; or two calls for one step are in force at the end."
    ),
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
    fix=("Ask the provider about the key before trying again; refund the second call if both landed."),
    on={
        "effect.intended": _effect,
        "undo.intended": _undo,
        "effect.succeeded": _success,
        "undo.succeeded": _success,
    },
    only_after={
        "effect.intended": ("effect.intended",),
        "undo.intended": ("undo.intended",),
        "effect.succeeded": ("effect.succeeded", "effect.reconciled", "person.decided"),
        "undo.succeeded": ("undo.succeeded", "undo.reconciled", "person.decided"),
    },
    on_left=_twice,
)
