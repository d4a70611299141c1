"""What a person decided about a paused saga: whether that person signed it, and was entitled to.

Source: docs/spec/approval-v1.md, "A decision"; docs/rules.md, "Approvals".
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from agent_saga.certify.history.people import carries_signature
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.standing.authority import Standing
from agent_saga.trace.events import PersonDecided

if TYPE_CHECKING:
    from agent_saga.policies.model import Policy

EXCEPTIONS: Final = ("undone", "kept")
"""Verdicts that are counted in the report: a person's word stands where no proof does."""


class Judged(NamedTuple):
    """What became of a decision. because: why nothing shows that it is that person's, "" when something does."""

    because: str
    open: bool = False


def judge_decision(saga: Saga, event: PersonDecided, line: int, policy: "Policy | None") -> Judged:
    """Verify a decision; one that holds is noted in its saga and in what the whole log is judged by.

    policy: the one that calls at the line are judged by, which says who may decide; None without one.
    """
    if saga.foreign or not carries_signature(event.proof):
        return Judged("nothing in it can be verified as that person's signature")
    authority = saga.common.authority
    authority.met = True
    since = saga.paused or saga.stopped or line
    standing = authority.standing(since, saga.keys, saga.policy)
    if standing.registry is None:
        return Judged(f"whose signature it carries cannot be told: {standing.why}", open=not standing.wrong)
    return Judged(_fault(saga, event, line, standing, policy))


def _fault(saga: Saga, event: PersonDecided, line: int, standing: Standing, policy: "Policy | None") -> str:
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.proofs import verify_decided
    from agent_saga.approvals.quorum import DECIDERS, WantedDecision, check_decision
    from agent_saga.approvals.windows import Moment
    from agent_saga.policies.model import Approve

    assert standing.registry is not None
    waiting = tuple(saga.waiting) if saga.paused else (event.target,) if saga.stopped else ()
    agent = _agent(saga, event.target)
    who = policy.decide.get(event.verdict) if policy else Approve(roles=DECIDERS)
    if who is None or who.quorum > 1:
        least = "nobody" if who is None else f"no one person ({who.quorum} are asked for)"
        return f"by the policy {least} may decide {event.verdict}"
    wanted = WantedDecision(_log(saga), saga.start, saga.id, waiting, saga.stop, who.roles, who.strength, agent)
    history = saga.common.authority.history
    try:
        signed = verify_decided(event, standing.registry)
        check_decision(signed, wanted, standing.registry, event.at)
        if history is not None:
            history.check_key(signed.key.id, saga.common.authority.place(line), Moment(event.at))
    except NotApproved as fault:
        return f"its signature does not hold: {fault} ({fault.reason})"
    saga.common.uses.decided(saga.id, event, line, signed)
    if event.verdict in EXCEPTIONS:
        saga.common.uses.exceptions += 1
        saga.reviewed += ((event.target, event.person),)
    return ""


def _log(saga: Saga) -> str:
    history = saga.common.authority.history
    return saga.common.origin or (history.last.log if history else saga.log)


def _agent(saga: Saga, target: str) -> str:
    """The agent whose call the decision is about; of a saga as a whole, the one that it began with."""
    undo = saga.undos.get(target)
    effect = saga.effects.get(undo.effect if undo else target)
    if effect is None and saga.agent:
        return saga.agent
    step = saga.steps.get(effect.step) if effect else next(iter(saga.steps.values()), None)
    return step.by if step else ""
