"""AS218 losing-branch-residue."""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of, ended_as, expected_undo, named, outcome_of, rival_of


def _check(saga: Saga, effect: Effect) -> Draft:
    chosen = saga.lost(effect)
    if not chosen:
        return _undecided(saga, effect)
    return Draft(
        f"effect {effect.id}",
        f"{named(effect)} belongs to branch {effect.branch}, which lost at line {chosen}, and nothing undid it "
        f"before saga {saga.id} {ended_as(saga)}",
        expected_undo(effect),
        (outcome_of(effect), at(chosen, "branch.chosen"), end_of(saga)),
    )


def _undecided(saga: Saga, effect: Effect) -> Draft:
    other, witness = rival_of(saga, effect)
    return Draft(
        f"effect {effect.id}",
        f"{named(effect)} of branch {effect.branch} and {named(other)} of branch {other.branch} are both in force when "
        f"saga {saga.id} {ended_as(saga)}, and no branch.chosen says which of these alternatives won",
        f"branch.chosen, and {expected_undo(effect)}",
        witness,
    )


RULE = Rule(
    code="AS218",
    name="losing-branch-residue",
    what=(
        "An effect of a branch that lost is still in force at the end; or effects of two alternatives are, and no line "
        "says which of them won."
    ),
    why="Both carriers were booked, one won, and the other still sends its invoice.",
    bad="""\
effect.succeeded e2 branch ship.slow
branch.chosen ship winner fast
saga.ended succeeded_verified
""",
    good="""\
effect.succeeded e2 branch ship.slow
branch.chosen ship winner fast
undo.succeeded u2 of e2
saga.ended succeeded_verified
""",
    fix="Undo the loser's effects as soon as the winner is known.",
    on_left=_check,
    needs=("branch.chosen", "branch"),
)
