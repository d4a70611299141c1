"""AS211 undo-without-effect."""

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.calls import confirmed_by
from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named, outcome_of
from agent_saga.trace.events import EffectReconciled, UndoIntended, UndoReconciled, UndoSucceeded


def _intended(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if event.undo in saga.undos or (effect and (effect.undone or not (effect.preview or effect.absent))):
        return None
    if effect is None:
        why = f"undoes effect {event.effect}, which no line intended"
    else:
        why = f"undoes {named(effect)}, which " + ("only reads" if effect.preview else "is proven not to have happened")
    return Draft(
        f"undo {event.undo}",
        f"{event.tool} (undo {event.undo}) at line {line} {why}",
        "undos only of effects that took place or may have",
        (_why_not(effect) if effect else ()) + (at(line, f"undo.intended {event.undo} {event.tool}"),),
    )


def _why_not(effect: Effect) -> tuple[Witness, ...]:
    return (intent_of(effect) if effect.preview else outcome_of(effect),)


def _confirmed(saga: Saga, event: UndoSucceeded | UndoReconciled, line: int) -> Draft | None:
    found = confirmed_by(saga, event)
    if found is None or not _never_was(found[1]):
        return None
    undo, effect = found
    return _gave_away(effect, undo.id, line, (outcome_of(effect), at(line, f"{event.type} {undo.id}")))


def _absent(saga: Saga, event: EffectReconciled, line: int) -> Draft | None:
    """Found absent although its undo worked. What was restored exactly cannot be found; an offset charge can."""
    effect = saga.effects.get(event.effect)
    if effect is None or event.found != "absent" or effect.landed or effect.semantics != "compensable":
        return None
    if not effect.undone_by:
        return None
    undo = saga.undos[effect.undone_by]
    return _gave_away(effect, undo.id, line, (outcome_of(undo), at(line, f"{event.type} {effect.id} absent")))


def _never_was(effect: Effect) -> bool:
    return effect.semantics == "compensable" and effect.absent and not effect.undone


def _gave_away(effect: Effect, undo: str, line: int, witness: tuple[Witness, ...]) -> Draft:
    return Draft(
        f"undo {undo}",
        f"undo {undo} took effect, and {named(effect)}, which it offsets, is proven not to have happened (line {line})",
        "undos only of effects that took place",
        witness,
    )


RULE = Rule(
    code="AS211",
    name="undo-without-effect",
    what="An undo is made for an effect that never was, or that is proven afterwards never to have been.",
    why="A refund without a charge gives money away.",
    bad="""\
effect.failed e1
undo.intended u1 of e1
""",
    good="""\
effect.failed e1
saga.ended aborted_clean
""",
    fix="Undo only what took place or may have; claim back what was given without reason.",
    on={
        "undo.intended": _intended,
        "undo.succeeded": _confirmed,
        "undo.reconciled": _confirmed,
        "effect.reconciled": _absent,
    },
)
