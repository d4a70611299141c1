"""AS201 uncompensated-effect."""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule
from agent_saga.certify.words import end_of, ended_as, expected_undo, named, outcome_of


def _check(saga: Saga, effect: Effect) -> Draft:
    return Draft(
        f"effect {effect.id}",
        f"{named(effect)} took effect at line {effect.landed}, and nothing undid it before saga {saga.id} "
        f"{ended_as(saga)}",
        expected_undo(effect),
        (outcome_of(effect), end_of(saga)),
    )


RULE = Rule(
    code="AS201",
    name="uncompensated-effect",
    what="An effect took place, the saga did not reach its goal, and nothing undid the effect.",
    why="This is the money that was charged for an order that was never delivered.",
    bad="""\
effect.succeeded e1 payments.charge
rollback.started
saga.ended compensated_verified
""",
    good="""\
effect.succeeded e1 payments.charge
rollback.started
undo.intended u1 of e1
undo.succeeded u1
saga.ended compensated_verified
""",
    fix=(
        "Undo the effect now by hand, with the call that the outcome recorded; then find out why "
        "the rollback left it out."
    ),
    on_left=_check,
    needs=("saga.ended",),
)
