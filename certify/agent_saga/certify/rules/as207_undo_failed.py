"""AS207 undo-failed."""

from agent_saga.certify.history.effects import Effect, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule
from agent_saga.certify.words import end_of, ended_as, named, outcome_of


def _check(saga: Saga, effect: Effect) -> Draft:
    undo = saga.undos[effect.undos[-1]]
    return Draft(
        f"effect {effect.id}",
        f"{named(undo)} was to undo {named(effect)} and {_state(undo)} when saga {saga.id} {ended_as(saga)}",
        _expected(undo),
        (outcome_of(undo), end_of(saga)),
    )


def _expected(undo: Undo) -> str:
    if undo.unknown:
        return f"undo.reconciled {undo.id} landed, or undo.succeeded {undo.id}, before saga.ended"
    return f"undo.intended {undo.id} attempt {undo.highest + 1} and its undo.succeeded, before saga.ended"


def _state(undo: Undo) -> str:
    if undo.unknown:
        return f"was not known to have worked (line {undo.outcome or undo.line})"
    return f"had failed (line {undo.outcome})" if undo.absent else "did not undo it"


RULE = Rule(
    code="AS207",
    name="undo-failed",
    what="An undo was tried, was not confirmed, and the saga ended all the same.",
    why=("A refund that may not have arrived is money owed. The saga must wait for a person instead of ending."),
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
    on_left=_check,
    needs=("undo.intended",),
)
