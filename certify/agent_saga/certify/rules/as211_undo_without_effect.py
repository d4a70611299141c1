"""AS211 undo-without-effect."""

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import outcome_of, named
from agent_saga.trace.events import UndoIntended


def _check(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if event.undo in saga.undos or (effect and not effect.preview and not effect.absent):
        return None
    if effect is None:
        why = f"undoes effect {event.effect}, which no line intended"
    else:
        why = f"undoes {named(effect)}, which " + ("only reads" if effect.preview else "is proven not to have happened")
    return Draft(
        f"undo {event.undo}",
        f"{event.tool} at line {line} {why}",
        "undos only of effects that took place or may have",
        ((outcome_of(effect),) if effect else ()) + (at(line, f"undo.intended {event.undo} {event.tool}"),),
    )


RULE = Rule(
    code="AS211",
    name="undo-without-effect",
    what="An undo is made for an effect that never was.",
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
    on={"undo.intended": _check},
)
