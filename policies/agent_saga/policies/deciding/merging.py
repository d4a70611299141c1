"""From all that fired to one answer: the strictest effect wins, and several approvals become one that satisfies each.

    deny > approve > allow
    approve + approve = the greatest quorum, the strongest strength, the shortest time, the roles that both name

Source: docs/spec/policy-v1.md, "Merging".
"""

from collections.abc import Sequence

from agent_saga.policies.answers import Decision, Fired
from agent_saga.policies.model import Approve


def merge(asked: Sequence[Approve]) -> Approve | None:
    """One request that satisfies all of them; None where no role is in all: nobody could ever answer it."""
    roles = [role for role in asked[0].roles if all(role in one.roles for one in asked)]
    if not roles:
        return None
    return Approve(
        quorum=max(one.quorum for one in asked),
        roles=tuple(roles),
        strength=min(one.strength for one in asked),  # A is the strongest
        within=min(one.within for one in asked),
    )


def conclude(fired: Sequence[Fired], digest: str = "") -> Decision:
    """The answer to a call of which this fired, in the order of deciding: limits before rules.

    Of several denials the first definite one is told; one that is only undecidable where there is no other. What is
    waived, advisory or evaluated has no effect.
    """
    binding = [one for one in fired if one.binds]
    denied = [one for one in binding if one.effect == "deny"]
    if denied:
        first = next((one for one in denied if one.outcome != "undecidable"), denied[0])
        return Decision("deny", _code(first), first.id, words(first), None, tuple(fired), digest)
    asking = [one for one in binding if one.approve is not None]
    if not asking:
        return Decision("allow", fired=tuple(fired), digest=digest)
    approve = merge([one.approve for one in asking if one.approve is not None])
    if approve is None:
        names = ", ".join(one.id for one in asking)
        reason = f"{names} ask for approvals by persons of no common role: nobody could give them"
        return Decision("deny", "irreconcilable", asking[0].id, reason, None, tuple(fired), digest)
    return Decision("approve", "", asking[0].id, words(asking[0]), approve, tuple(fired), digest)


def _code(fired: Fired) -> str:
    if fired.outcome == "undecidable":
        return "undecidable"
    return "limit" if fired.kind == "limit" else "denied"


def words(fired: Fired) -> str:
    """Why something fired, as a sentence."""
    if fired.outcome == "undecidable":
        return f"{fired.kind} {fired.id} cannot be decided: {fired.why}"
    if fired.kind == "limit":
        sums = f"limit {fired.id}: {fired.used} of {fired.max} is used, and this call adds {fired.asked}"
        return f"{sums}. {fired.why}" if fired.why else sums
    return fired.why or f"{fired.kind} {fired.id} says so"
