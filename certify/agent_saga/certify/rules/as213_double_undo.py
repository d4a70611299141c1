"""AS213 double-undo."""

from agent_saga.certify.history import Effect, Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import named, outcome_of
from agent_saga.trace.events import UndoIntended, UndoReconciled, UndoSucceeded


def _intended(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or not effect.undone or event.undo in saga.undos:
        return None
    return _again(saga, effect, event.undo, line, event.type)


def _confirmed(saga: Saga, event: UndoSucceeded | UndoReconciled, line: int) -> Draft | None:
    undo = saga.undos.get(event.undo)
    effect = saga.effects.get(undo.effect) if undo else None
    if undo is None or effect is None or not effect.undone or undo.landed or undo.line > effect.undone:
        return None
    if isinstance(event, UndoReconciled) and event.found != "landed":
        return None
    return _again(saga, effect, event.undo, line, event.type)


def _again(saga: Saga, effect: Effect, undo: str, line: int, what: str) -> Draft:
    first = next((saga.undos[name] for name in effect.undos if saga.undos[name].landed == effect.undone), None)
    before = outcome_of(first) if first else at(effect.undone, "person.decided undone")
    return Draft(
        f"undo {undo}",
        f"{named(effect)} was fully undone at line {effect.undone}, and line {line} undoes it again",
        "one undo",
        (before, at(line, f"{what} {undo}")),
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
    on={"undo.intended": _intended, "undo.succeeded": _confirmed, "undo.reconciled": _confirmed},
)
