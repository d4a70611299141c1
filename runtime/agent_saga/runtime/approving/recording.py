"""A person's signed answer or decision, verified before it becomes a line.

Source: docs/spec/approval-v1.md, "Verifying".
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed, verify_decided
from agent_saga.approvals.quorum import DECIDERS, WantedDecision, check_decision
from agent_saga.approvals.requests import parse_request
from agent_saga.policies.model import Approve
from agent_saga.runtime.approving.waits import Paused, paused_of
from agent_saga.runtime.errors import StaleDecision
from agent_saga.runtime.kernel.action import content_asked, is_proposed
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.runtime.kernel.consent import Authority, check, denied, wanted_of
from agent_saga.runtime.kernel.hiding import shown
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.events import ApprovalRecorded, PersonDecided

DECIDER: Final = Approve(roles=DECIDERS)
"""Who may decide as long as no policy says."""

L = TypeVar("L", ApprovalRecorded, PersonDecided)
Verified = tuple[Draft, Signed[Any] | None]
"""A line to be written, and the signature that it rests on."""


def recorded(state: State, proof: Mapping[str, Any], authority: Authority, at: str) -> Verified:
    """The line of a person's answer. at: an instant. Raises NotApproved, StaleDecision; then nothing is written."""
    asked = parse_request(proof.get("request"))
    step = asked.content.step
    request = state.requests.get(step)
    if state.ended or request is None or asked.content.saga != state.saga or not is_proposed(state, step):
        raise StaleDecision(f"step {step} of saga {asked.content.saga} waits for no approval in saga {state.saga}")
    if denied(state, step):
        raise StaleDecision(f"step {step} was denied by {denied(state, step)}: asking again needs a new step")
    members = {"step": step, "action": asked.action, "decision": asked.decision, "person": asked.person}
    draft = Draft("approval.recorded", members | {"proof": dict(proof)}, f"person:{asked.person}")
    before = ((authority.policy, authority.keys), *authority.before)
    call = content_asked(state, step, request, before)
    signed = check(_line(state, draft, at, ApprovalRecorded), wanted_of(state, step, request), call, authority, at)
    _check_new(state, step, signed.about.person, asked.decision)
    return draft, signed


def _check_new(state: State, step: str, person: str, decision: str) -> None:
    """One answer a person: a second one would count for nothing. Who approved may still deny."""
    if any(one.person == person and one.decision == decision for one in state.answers.get(step, ())):
        raise StaleDecision(f"{person} has answered about step {step} before; a quorum counts persons")


def check_signed(state: State, draft: Draft, authority: Authority, at: str, who: Approve = DECIDER) -> Verified:
    """Verify the signature of a person's decision before it becomes this line. at: an instant.

    who: may give this verdict, by role and strength. Raises NotApproved, StaleDecision.
    """
    paused = paused_of(state)
    if paused is None:
        raise StaleDecision(f"saga {state.saga} waits for no decision")
    registry = authority.registry(authority.keys)
    signed = verify_decided(_line(state, draft, at, PersonDecided), registry)
    if signed.key.id in authority.revoked:
        raise NotApproved("revoked", f"key {signed.key.id} was revoked")
    if not shown(signed.about.reason, state.concealed):
        raise NotApproved("bad-request", "the reason holds what may not stand in clear: sign one without it")
    check_decision(signed, _wanted(state, paused, signed.about.target, who), registry, at)
    return draft, signed


def _wanted(state: State, paused: Paused, target: str, who: Approve) -> WantedDecision:
    return WantedDecision(
        log=paused.log,
        start=paused.start,
        saga=paused.saga,
        waiting=paused.targets,
        prev=paused.prev,
        roles=who.roles,
        strength=who.strength,
        agent=_agent_of(state, target),
    )


def _agent_of(state: State, target: str) -> str:
    """The agent that proposed what a decision is about; of a saga as a whole, the agent that it began with."""
    undo = state.undos.get(target)
    effect = state.effects.get(undo.effect if undo else target)
    if effect is not None and effect.step in state.steps:
        return state.steps[effect.step].agent
    return (state.started.agent or "") if state.started else ""


def _line(state: State, draft: Draft, at: str, cls: type[L]) -> L:
    """What would stand on a line; its place in the saga plays no part. Raises NotApproved."""
    head = {"v": 1, "saga": state.saga, "seq": state.seq, "prev": state.head, "at": at, "by": draft.by}
    try:
        return msgspec.convert(head | {"type": draft.type} | draft.members, cls)
    except msgspec.ValidationError as fault:
        raise NotApproved("bad-proof", f"the answer makes no line: {fault}") from fault
