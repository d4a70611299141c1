"""AS207 undo-failed."""

from collections.abc import Iterator

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule
from agent_saga.certify.words import end_of, named, outcome_of


def _check(saga: Saga) -> Iterator[Draft]:
    for effect in saga.effects.values():
        tried = [saga.undos[name] for name in effect.undos]
        if not effect.in_force or not tried or effect.kept or effect.faulted or any(undo.applied for undo in tried):
            continue
        undo = tried[-1]
        state = "is not known to have worked" if undo.unknown else "failed"
        yield Draft(
            f"effect {effect.id}",
            f"{named(undo)} was to undo {named(effect)} and {state}; the effect was still in force when the saga ended",
            f"undo.succeeded {undo.id}, or undo.reconciled landed, or a signed decision, before saga.ended",
            (outcome_of(undo), end_of(saga)),
        )


RULE = Rule(
    code="AS207",
    name="undo-failed",
    what="An undo was tried, was not confirmed, and the saga ended all the same.",
    why=(
        "A refund that may not have arrived is money owed. The saga must wait for a person "
        "instead of ending."
    ),
    bad="""\
undo.failed u1
saga.ended compensated_verified
""",
    good="""\
undo.failed u1 attempt 1
undo.intended u1 attempt 2
undo.succeeded u1 attempt 2
saga.ended compensated_verified
""",
    fix=(
        "Ask the provider whether the undo took; repeat it under its own key if it did not; pause "
        "for a person if nobody can tell."
    ),
    at_end=_check,
    needs=("undo.intended",),
)
