"""AS219 undo-of-irreversible."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import UndoIntended


def _check(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or effect.semantics != "irreversible" or event.undo in saga.undos:
        return None
    effect.faulted = effect.faulted or "AS219"
    return Draft(
        f"undo {event.undo}",
        f"{event.tool} (undo {event.undo}) at line {line} claims to undo {named(effect)}, which is irreversible",
        "no undo of an irreversible effect; an effect of its own if there is a remedy",
        (intent_of(effect), at(line, f"undo.intended {event.undo} {event.tool}")),
    )


RULE = Rule(
    code="AS219",
    name="undo-of-irreversible",
    what="An effect that was declared irreversible is said to be undone.",
    why=(
        "Either the class is wrong and approvals were asked for without need, or the undo is a "
        "fiction. A wire does not come back."
    ),
    bad="""\
effect.intended e1 bank.wire irreversible
undo.intended u1 of e1
""",
    good="""\
effect.intended e1 bank.wire irreversible (approved)
saga.ended succeeded_verified
""",
    fix=("Correct the class in the tool's definition, or record the remedy as an effect of its own."),
    on={"undo.intended": _check},
    needs=("irreversible",),
)
