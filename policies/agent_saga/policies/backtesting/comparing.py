"""What changes for one call between two answers: that of the trace or of an old policy, and that of the new one.

Source: docs/guide/backtest.md, "The four numbers".
"""

from typing import Final, Literal, NamedTuple

from agent_saga.policies.answers import Decision, Effect
from agent_saga.policies.backtesting.reading import Event
from agent_saga.policies.model import Approve

Change = Literal["deny", "ask", "allow", "unchanged"]
"""deny: would be denied, and was not. ask: would need an approval, or a stricter one, than it had. allow: would go
through without asking anybody, and did not."""

CHANGES: Final[tuple[Change, ...]] = ("deny", "ask", "allow", "unchanged")


class Before(NamedTuple):
    """What was answered before. persons: at most so many approved; approve: what an old policy asked for."""

    effect: Effect
    persons: int = 0
    approve: Approve | None = None


def before_of(event: Event) -> Before:
    """What the trace itself shows: a call that was made, with as many approvals as it names, or a refusal."""
    if event.refused:
        return Before("deny")
    return Before("approve", event.approvals) if event.approvals else Before("allow")


def before_by(decision: Decision) -> Before:
    """What another policy answers to the same call."""
    return Before(decision.effect, decision.approve.quorum if decision.approve else 0, decision.approve)


def change(before: Before, after: Decision) -> Change:
    """What changes."""
    if after.effect == "deny":
        return "unchanged" if before.effect == "deny" else "deny"
    if after.effect == "approve" and after.approve is not None:
        return "unchanged" if before.effect == "approve" and not _stricter(after.approve, before) else "ask"
    return "unchanged" if before.effect == "allow" else "allow"


def _stricter(new: Approve, before: Before) -> bool:
    """Whether what was enough before may not be enough now. Of a trace only the number of approvals is compared."""
    if new.quorum > before.persons:
        return True
    old = before.approve
    if old is None:
        return False
    return new.strength < old.strength or new.within < old.within or not set(old.roles) <= set(new.roles)
