"""AS602 value-withheld."""

from agent_saga.certify.history.calls import SEALED, confirmed_by, weigh
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at, withheld
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import PersonDecided, UndoReconciled, UndoSucceeded


def _check(saga: Saga, event: UndoSucceeded | UndoReconciled | PersonDecided, line: int) -> Draft | None:
    """Sealed amounts of undos. The other comparisons say for themselves, under this code, what they cannot tell."""
    found = confirmed_by(saga, event)
    if found is None or found[1].undone or weigh(saga, found[1], found[0]) != SEALED:
        return None
    undo, effect = found
    return withheld(
        f"undo {undo.id}",
        f"whether {named(undo)} gives back all of {named(effect)} cannot be told: amounts or arguments are concealed",
        "disclosures of the amounts and arguments of both",
        (intent_of(effect), intent_of(undo), at(line, f"{event.type} {undo.id}")),
    )


RULE = Rule(
    code="AS602",
    name="value-withheld",
    what="A value that a rule needs is concealed or redacted, and no disclosure opens it. The verdict is inconclusive.",
    why="What cannot be compared was not compared. The verdict says so instead of guessing.",
    bad='undo.intended u1 amount {"...":"DIGEST"}, no disclosure',
    good="the same with --disclosures FILE that opens it",
    fix="Give certify the disclosures (--disclosures FILE), or accept an inconclusive verdict.",
    on={"undo.succeeded": _check, "undo.reconciled": _check, "person.decided": _check},
)
