"""AS210 undo-out-of-order."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import UndoIntended


def _check(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or event.undo in saga.undos:
        return None
    later = saga.ordered().blocking(effect)
    if later is None:
        return None
    return Draft(
        f"undo {event.undo}",
        f"line {line} undoes {named(effect)} while {named(later)}, which came after it, is still in force",
        f"{later.id} undone before {effect.id}, or after on effect {later.id} that leaves {effect.id} out",
        (intent_of(effect), intent_of(later), at(line, f"undo.intended {event.undo} of {effect.id}")),
    )


RULE = Rule(
    code="AS210",
    name="undo-out-of-order",
    what="An effect is undone while another one that was built on it still stands.",
    why=("Releasing the stock before the delivery is cancelled ships what somebody else has bought."),
    bad="""\
effect e1 reserve stock
effect e2 ship it
undo.intended u1 of e1
""",
    good="""\
undo.intended u2 of e2
undo.succeeded u2
undo.intended u1 of e1
""",
    fix=(
        "Undo in the reverse of the order in which effects depend on each other; declare parallel effects with after."
    ),
    on={"undo.intended": _check},
)
