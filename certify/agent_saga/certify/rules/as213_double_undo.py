"""AS213 double-undo."""

from agent_saga.certify.history.calls import confirmed_by
from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import named, outcome_of
from agent_saga.trace.events import PersonDecided, UndoIntended, UndoReconciled, UndoSucceeded

_UNDONE = ("undo.succeeded", "undo.reconciled", "person.decided")
"""Lines that may complete the undoing of an effect."""


def _intended(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect, undo = saga.effects.get(event.effect), saga.undos.get(event.undo)
    if effect is None or not effect.undone or (undo and undo.landed):
        return None
    return _again(saga, effect, event.undo, line, event.type)


def _confirmed(saga: Saga, event: UndoSucceeded | UndoReconciled | PersonDecided, line: int) -> Draft | None:
    found = confirmed_by(saga, event)
    if found is None or not found[1].undone or found[0].line > found[1].undone:
        return None
    return _again(saga, found[1], found[0].id, line, event.type)


def _again(saga: Saga, effect: Effect, undo: str, line: int, what: str) -> Draft:
    first = saga.undos.get(effect.undone_by)
    return Draft(
        f"undo {undo}",
        f"{named(effect)} was fully undone at line {effect.undone}, and undo {undo} at line {line} undoes it again",
        f"no undo of {effect.id} after line {effect.undone}",
        (outcome_of(first) if first else at(effect.undone, "person.decided undone"), at(line, f"{what} {undo}")),
    )


RULE = Rule(
    code="AS213",
    name="double-undo",
    what="An effect that was already undone is undone again.",
    why="The second refund is a loss, and may be taken from somebody else's money.",
    bad="""\
undo.succeeded u1 of e1
undo.intended u2 of e1
""",
    good="""\
undo.succeeded u1 of e1
saga.ended compensated_verified
""",
    fix="Claim the second refund back; keep one undo id and one key for each effect.",
    on={
        "undo.intended": _intended,
        "undo.succeeded": _confirmed,
        "undo.reconciled": _confirmed,
        "person.decided": _confirmed,
    },
    only_after={"undo.intended": _UNDONE, "undo.succeeded": _UNDONE, "undo.reconciled": _UNDONE},
)
