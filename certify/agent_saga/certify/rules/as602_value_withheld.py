"""AS602 value-withheld."""

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named, outcome_of
from agent_saga.trace.events import UndoReconciled, UndoSucceeded


def _check(saga: Saga, event: UndoSucceeded | UndoReconciled, line: int) -> Draft | None:
    undo = saga.undos.get(event.undo)
    effect = saga.effects.get(undo.effect) if undo else None
    if undo is None or effect is None or undo.landed or (isinstance(event, UndoReconciled) and event.found != "landed"):
        return None
    if undo.amount is not False and saga.target(effect) is not False:
        return None
    return Draft(
        f"effect {effect.id}",
        f"whether {named(undo)} gives back all of {named(effect)} cannot be told: an amount is concealed",
        "disclosures of both amounts",
        (outcome_of(effect), intent_of(undo), at(line, f"{event.type} {event.undo}")),
        inconclusive=True,
    )


RULE = Rule(
    code="AS602",
    name="value-withheld",
    what="A value that a rule needs is concealed or redacted, and no disclosure opens it.",
    why="What cannot be compared was not compared. The verdict says so instead of guessing.",
    bad="undo.intended u1 amount {\"...\":\"DIGEST\"}, no disclosure",
    good="the same with --disclosures FILE that opens it",
    fix="Give certify the disclosures (--disclosures FILE), or accept an inconclusive verdict.",
    on={"undo.succeeded": _check, "undo.reconciled": _check},
)
