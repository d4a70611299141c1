"""AS218 losing-branch-residue."""

from collections.abc import Iterator

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of, expected_undo, named, outcome_of


def _check(saga: Saga) -> Iterator[Draft]:
    for effect in saga.effects.values() if saga.winners else ():
        chosen = saga.lost(effect)
        if chosen and effect.in_force and effect.applied and not (effect.undos or effect.kept or effect.faulted):
            yield Draft(
                f"effect {effect.id}",
                f"{named(effect)} of branch {effect.branch} lost at line {chosen} and was still in force when the saga ended",
                expected_undo(effect),
                (outcome_of(effect), at(chosen, "branch.chosen"), end_of(saga)),
            )


RULE = Rule(
    code="AS218",
    name="losing-branch-residue",
    what="An effect of a branch that lost is still in force at the end.",
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
    at_end=_check,
    needs=("branch.chosen",),
)
