"""Which of two answers is stricter.

    deny > approve > allow; an approval is stricter with a greater quorum, a stronger strength, less time, fewer roles.

Two approvals of which each is stricter in something are incomparable.
"""

from collections.abc import Iterable
from typing import Final, Literal

from agent_saga.policies.answers import Decision, Effect, Fired
from agent_saga.policies.deciding.merging import conclude
from agent_saga.policies.model import Approve

Direction = Literal["equivalent", "stricter", "looser", "incomparable"]
"""How the second policy stands to the first."""

Answer = tuple[Effect, Approve | None]
"""What is compared of a decision."""

ALLOW: Final[Answer] = ("allow", None)
_RANK: Final = {"allow": 0, "approve": 1, "deny": 2}


def direction(looser: bool, stricter: bool) -> Direction:
    """From whether something got looser, and whether something got stricter."""
    if looser:
        return "incomparable" if stricter else "looser"
    return "stricter" if stricter else "equivalent"


def joined(parts: Iterable[Direction]) -> Direction:
    """The direction of a whole, whose parts go these ways."""
    found = set(parts)
    mixed = "incomparable" in found
    return direction(mixed or "looser" in found, mixed or "stricter" in found)


def compare(before: Answer, after: Answer) -> Direction:
    """How the second answer stands to the first."""
    old, new = _RANK[before[0]], _RANK[after[0]]
    if old != new or before[1] is None or after[1] is None:
        return direction(new < old, new > old)
    return compare_approvals(before[1], after[1])


def compare_approvals(before: Approve, after: Approve) -> Direction:
    """How the second approval stands to the first. Strengths are letters: A is the strongest."""
    old, new = set(before.roles), set(after.roles)
    looser = after.quorum < before.quorum or after.strength > before.strength or after.within > before.within
    stricter = after.quorum > before.quorum or after.strength < before.strength or after.within < before.within
    return direction(looser or bool(new - old), stricter or bool(old - new))


def answer(decision: Decision) -> Answer:
    """What is compared of a decision."""
    return decision.effect, decision.approve


def answer_of(decision: Decision, ids: Iterable[str]) -> Answer:
    """What some rules and limits alone say of a call: the strictest of them, by their effect."""
    wanted = set(ids)
    return answer(conclude([one for one in decision.fired if one.id in wanted and _of_policy(one)]))


def _of_policy(one: Fired) -> bool:
    return one.kind in ("rule", "limit")
