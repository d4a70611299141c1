"""Whether the answers given to one request are enough: persons, roles, time, separation of duties.

Pure: all that it needs is told. The gate of the runtime asks it before an effect, certify asks it again years later.

Source: docs/spec/approval-v1.md, "Answers and quorum".
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import IRREVERSIBLE_SECONDS
from agent_saga.approvals.proofs import Signed
from agent_saga.approvals.registry.model import Registry
from agent_saga.approvals.requests import Decision, Request
from agent_saga.approvals.schemes.evidence import Strength
from agent_saga.approvals.strengths import reaches
from agent_saga.approvals.windows import check_window, seconds_between

BREAK_GLASS: Final = "break-glass"
"""The role of those who may act without the quorum, and answer for it afterwards."""

DECIDERS: Final = ("decider",)
"""Roles of those who may say what became of a call that nobody can prove, as long as no policy names others."""


class Wanted(Struct, frozen=True):
    """What the approval.requested line asks for. prev: its leaf. strength: the least. not_after: an instant.

    proposer: the agent that proposed the step; its id, without ``agent:``.
    """

    step: str
    action: str
    prev: str
    quorum: int
    roles: Sequence[str]
    strength: Strength
    not_after: str
    proposer: str


class WantedDecision(Struct, frozen=True):
    """What a saga.paused line waits for, and who may give this verdict. prev: its leaf. agent: whose saga it is."""

    log: str
    start: str
    saga: str
    waiting: Sequence[str]
    prev: str
    roles: Sequence[str]
    strength: Strength
    agent: str


class Outcome(Struct, frozen=True):
    """Where a request stands. persons: who approved and counts. denied: who said no first, "" for nobody."""

    persons: tuple[str, ...] = ()
    denied: str = ""
    broken: str = ""
    """Who broke the glass; "" for nobody."""

    def enough(self, wanted: Wanted) -> bool:
        """Whether the effect may begin."""
        return not self.denied and (len(self.persons) >= wanted.quorum or bool(self.broken))

    def by_exception(self, wanted: Wanted) -> bool:
        """Whether it may begin only because somebody broke the glass: reported, reviewed, never a plain pass."""
        return self.enough(wanted) and len(self.persons) < wanted.quorum


def check_answer(signed: Signed[Request], wanted: Wanted, registry: Registry, at: str) -> None:
    """Check that one verified signature counts for this request at this instant (by the operator's clock).

    Raises NotApproved (``wrong-request``, ``wrong-step``, ``wrong-proposer``, ``self-approval``, ``unknown-agent``,
    ``wrong-role``, ``no-reason``, ``no-verification``, ``weak-key``, ``outside-window``, ``late``,
    ``window-too-long``). A denial needs no role: whoever has a key that holds may stop.
    """
    request = signed.about
    if request.prev != wanted.prev:
        raise NotApproved("wrong-request", "the signature answers another approval.requested line")
    if request.content.step != wanted.step:
        raise NotApproved("wrong-step", f"the signature is about step {request.content.step}: expected {wanted.step}")
    if request.action != wanted.action:
        raise NotApproved("wrong-request", "the signature approves another action than the one that was asked about")
    if request.proposer != wanted.proposer:
        raise NotApproved("wrong-proposer", f"signed as proposed by {request.proposer[:80]!r}, not {wanted.proposer!r}")
    _check_time(signed, wanted, at)
    if request.decision != "deny":
        check_duties(request.person, wanted.proposer, registry)
        _check_role(request, wanted, registry)
        check_strength(signed, wanted.strength)


def _check_time(signed: Signed[Request], wanted: Wanted, at: str) -> None:
    key, request = signed.key, signed.about
    check_window(key.not_before, key.not_after, at, "outside-window", f"key {key.id}")
    check_window(request.issued_at, min(request.not_after, wanted.not_after), at, "late", "the signed request")
    open_for = seconds_between(request.issued_at, request.not_after)
    irreversible = request.content.semantics == "irreversible" and request.decision != "deny"
    if irreversible and open_for > IRREVERSIBLE_SECONDS:
        raise NotApproved(
            "window-too-long", f"open for {open_for:.0f} s: for an irreversible step at most {IRREVERSIBLE_SECONDS} s"
        )


def check_duties(person: str, agent: str, registry: Registry) -> None:
    """Check that this person neither is nor owns the agent.

    Raises NotApproved (``unknown-agent``, ``self-approval``).
    """
    owner = registry.owner.get(agent)
    if owner is None:
        raise NotApproved("unknown-agent", f"the registry knows no agent {agent[:80]!r}: none can approve for it")
    if person in (agent, owner):
        raise NotApproved("self-approval", f"{person} owns or is the agent that proposed it")


def _check_role(request: Request, wanted: Wanted, registry: Registry) -> None:
    due = [BREAK_GLASS] if request.decision == "break_glass" else wanted.roles
    if not registry.in_role(request.person, due):
        raise NotApproved("wrong-role", f"{request.person} has none of the roles {', '.join(due)}")
    if request.decision == "break_glass" and request.reason is None:
        raise NotApproved("no-reason", "breaking the glass needs a reason")


def check_strength(signed: Signed[Request] | Signed[Decision], least: Strength) -> None:
    """Check the strength of a signature. Raises NotApproved (``no-verification``, ``weak-key``)."""
    if reaches(signed.strength, least):
        return
    if signed.key.attested and not signed.evidence.verified and least in "AB":
        raise NotApproved("no-verification", f"signed without PIN or biometry: strength {least} needs one")
    raise NotApproved("weak-key", f"a signature of strength {signed.strength}: {least} is asked for")


def check_decision(signed: Signed[Decision], wanted: WantedDecision, registry: Registry, at: str) -> None:
    """Check that a verified decision counts for this paused saga at this instant. Raises NotApproved.

    Reasons: ``wrong-saga``, ``wrong-request``, ``wrong-target``, ``outside-window``, ``late``, ``unknown-agent``,
    ``self-approval``, ``wrong-role``, ``no-verification``, ``weak-key``.
    """
    about = signed.about
    if (about.log, about.start, about.saga) != (wanted.log, wanted.start, wanted.saga):
        raise NotApproved("wrong-saga", "the decision is about another saga")
    if about.prev != wanted.prev:
        raise NotApproved("wrong-request", "the decision answers another saga.paused line")
    if about.target not in wanted.waiting:
        raise NotApproved("wrong-target", f"the saga does not wait for {about.target}")
    check_window(signed.key.not_before, signed.key.not_after, at, "outside-window", f"key {signed.key.id}")
    check_window(about.issued_at, about.not_after, at, "late", "the signed decision")
    check_duties(about.person, wanted.agent, registry)
    if not registry.in_role(about.person, wanted.roles):
        raise NotApproved("wrong-role", f"{about.person} has none of the roles {', '.join(wanted.roles)}")
    check_strength(signed, wanted.strength)


def count(answers: Iterable[Signed[Request]]) -> Outcome:
    """Count answers that were checked, in the order of the log: persons, not keys; a deny ends it for good."""
    persons: dict[str, None] = {}
    broken = ""
    for signed in answers:
        request = signed.about
        if request.decision == "deny":
            return Outcome(tuple(persons), denied=request.person)
        if request.decision == "break_glass":
            broken = broken or request.person
        else:
            persons[request.person] = None
    return Outcome(tuple(persons), broken=broken)


def settled(answers: Iterable[Signed[Decision]], quorum: int) -> str:
    """The verdict that as many persons gave, "" while none has it; answers were checked and are about one target.

    A person's first word stands. Once a verdict is settled, nothing that follows in the log changes it.
    """
    first: dict[str, str] = {}
    for signed in answers:
        first.setdefault(signed.about.person, signed.about.verdict)
        if list(first.values()).count(signed.about.verdict) >= quorum:
            return signed.about.verdict
    return ""
