"""AS202 unknown-outcome."""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule
from agent_saga.certify.words import end_of, ended_as, named, outcome_of


def _check(saga: Saga, effect: Effect) -> Draft:
    return Draft(
        f"effect {effect.id}",
        f"nobody knows whether {named(effect)} took effect: it was neither reconciled nor undone before saga "
        f"{saga.id} {ended_as(saga)}",
        f"effect.reconciled {effect.id} landed or absent, or its undo, before saga.ended",
        (outcome_of(effect), end_of(saga)),
    )


RULE = Rule(
    code="AS202",
    name="unknown-outcome",
    what="A call whose reply was lost was neither reconciled nor undone before the saga ended.",
    why=(
        "The charge may have happened. Taking it for a failure charges the customer for nothing; "
        "taking it for a success ships without pay."
    ),
    bad="""\
effect.unknown e1
saga.ended aborted_clean
""",
    good="""\
effect.unknown e1
effect.reconciled e1 absent
saga.ended aborted_clean
""",
    fix=("Ask the provider about the idempotency key that stands on effect.intended, then undo what landed."),
    on_left=_check,
    needs=("saga.ended",),
)
