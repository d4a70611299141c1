"""Whether the answers given to one request are enough: persons, roles, time, separation of duties.

Pure: all that it needs is told. The gate of the runtime asks it before an effect, certify asks it again years later.

Source: docs/spec/approval-v1.md, "Quorum".
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed
from agent_saga.approvals.registry.model import Registry
from agent_saga.approvals.requests import Request
from agent_saga.approvals.schemes.evidence import Strength

_RANK: Final = "DCBA"


class Wanted(Struct, frozen=True):
    """What the approval.requested line asks for. prev: its leaf. strength: the least. not_after: an instant."""

    step: str
    action: str
    prev: str
    quorum: int
    roles: Sequence[str]
    strength: Strength
    not_after: str
    proposer: str


class Outcome(Struct, frozen=True):
    """Where a request stands. persons: who approved and counts. denied: who said no first, "" for nobody."""

    persons: tuple[str, ...] = ()
    denied: str = ""
    broken: str = ""
    """Who broke the glass; "" for nobody."""

    def enough(self, wanted: Wanted) -> bool:
        """Whether the effect may begin."""
        return not self.denied and (len(self.persons) >= wanted.quorum or bool(self.broken))


def check_answer(
    signed: Signed, wanted: Wanted, registry: Registry, at: str, break_glass_role: str = "break-glass"
) -> None:
    """Check that one verified signature counts for this request at this instant. Raises NotApproved.

    Reasons: ``wrong-request``, ``wrong-step``, ``self-approval``, ``unknown-agent``, ``wrong-role``, ``weak-key``,
    ``outside-window``, ``late``, ``no-reason``.
    """
    request = signed.about
    if not isinstance(request, Request) or request.prev != wanted.prev or request.action != wanted.action:
        raise NotApproved("wrong-request", "the signature answers another request or approves another action")
    if request.content.step != wanted.step:
        raise NotApproved("wrong-step", f"the signature is about step {request.content.step}: expected {wanted.step}")
    _check_time(signed, request, wanted, at)
    if request.decision != "deny":
        _check_duties(request, wanted, registry)
        _check_role(request, wanted, registry, break_glass_role)
        if _RANK.index(signed.strength) < _RANK.index(wanted.strength):
            raise NotApproved("weak-key", f"a signature of strength {signed.strength}: {wanted.strength} is asked for")


def _check_time(signed: Signed, request: Request, wanted: Wanted, at: str) -> None:
    if not signed.key.not_before <= at <= signed.key.not_after:
        raise NotApproved("outside-window", f"key {signed.key.id} does not sign at {at}")
    if at > min(request.not_after, wanted.not_after) or at < request.issued_at:
        raise NotApproved("late", f"at {at} the request, open until {wanted.not_after}, was over or not yet made")


def _check_duties(request: Request, wanted: Wanted, registry: Registry) -> None:
    owner = registry.owner.get(wanted.proposer)
    if owner is None:
        raise NotApproved("unknown-agent", f"the registry knows no agent {wanted.proposer!r}: none can approve for it")
    if request.person in (wanted.proposer, owner):
        raise NotApproved("self-approval", f"{request.person} owns or is the agent that proposed it")


def _check_role(request: Request, wanted: Wanted, registry: Registry, break_glass_role: str) -> None:
    person = registry.person.get(request.person)
    due = {break_glass_role} if request.decision == "break_glass" else set(wanted.roles)
    if person is None or not due & set(person.roles):
        raise NotApproved("wrong-role", f"{request.person} has none of the roles {', '.join(sorted(due))}")
    if request.decision == "break_glass" and not request.reason:
        raise NotApproved("no-reason", "breaking the glass needs a reason")


def count(answers: Iterable[Signed]) -> Outcome:
    """Count answers that were checked, in the order of the log: persons, not keys; a deny ends it for good."""
    persons: dict[str, None] = {}
    broken = ""
    for signed in answers:
        request = signed.about
        assert isinstance(request, Request)
        if request.decision == "deny":
            return Outcome(tuple(persons), denied=request.person)
        if request.decision == "break_glass":
            broken = broken or request.person
        else:
            persons[request.person] = None
    return Outcome(tuple(persons), broken=broken)
