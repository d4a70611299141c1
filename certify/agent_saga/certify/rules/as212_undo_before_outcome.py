"""AS212 undo-before-outcome."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import UndoIntended


def _check(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or effect.outcome or effect.preview or event.undo in saga.undos:
        return None
    return Draft(
        f"undo {event.undo}",
        f"line {line} undoes {named(effect)} before any line says what became of it",
        f"effect.succeeded, effect.unknown or effect.reconciled {effect.id} first",
        (intent_of(effect), at(line, f"undo.intended {event.undo} {event.tool}")),
    )


RULE = Rule(
    code="AS212",
    name="undo-before-outcome",
    what="An undo begins before the effect has any outcome.",
    why="The undo may overtake the call: the refund finds no charge, and then the charge lands.",
    bad="""\
effect.intended e1
undo.intended u1 of e1
""",
    good="""\
effect.intended e1
effect.unknown e1
undo.intended u1 of e1
""",
    fix="Wait for the outcome or a time-out, write it, ask the provider, and only then undo.",
    on={"undo.intended": _check},
)
