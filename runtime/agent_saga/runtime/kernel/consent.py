"""Whether the answers to a request suffice: every signature is verified again for the very call that is to be made.

Nothing that stands in the trace is believed. An answer whose signature does not hold, or holds for another call, counts
for nobody; a denial counts in any case.

Source: docs/spec/approval-v1.md, "Answers and quorum" and "One use".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agent_saga.approvals.calls import check_call
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed, verify_recorded
from agent_saga.approvals.quorum import Wanted, check_answer, count
from agent_saga.approvals.registry import Registry
from agent_saga.approvals.requests import Content
from agent_saga.approvals.requests import Request as SignedRequest
from agent_saga.runtime.kernel.state import Answer, Request, State
from agent_saga.trace.events import ApprovalRecorded

Digests = tuple[str | None, str | None]
"""Of policy and registry; None where there is none."""


@dataclass(frozen=True, slots=True)
class Authority:
    """Who may approve now. policy, keys: the digests in force. revoked: ids of keys that no longer count.

    known: registries by digest: a request is judged by the one in force at its line, whatever was enrolled since.
    before: digests of policy and registry that were in force at some time, newest first. log: origin of the log, where
    its own lines tell it.
    """

    policy: str | None = None
    keys: str | None = None
    known: Mapping[str, Registry] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()
    before: tuple[Digests, ...] = ()
    log: str | None = None

    def registry(self, keys: str | None) -> Registry:
        """The registry of this digest; an empty one, by which nobody may do anything, where it is not known."""
        return self.known.get(keys, _EMPTY) if keys is not None else _EMPTY


_EMPTY: Final = Registry(v=1, version=1)
NOBODY: Final = Authority()
"""Where there is no registry, or it cannot be read: nobody may approve anything."""


def wanted_of(state: State, step: str, request: Request) -> Wanted:
    """What a request asks for, as its line says."""
    event = request.event
    return Wanted(
        step=step,
        action=event.action,
        prev=request.leaf,
        quorum=event.quorum,
        roles=event.roles,
        strength=event.strength,
        not_after=event.not_after,
        proposer=state.steps[step].agent,
    )


def check(
    line: ApprovalRecorded, wanted: Wanted, call: Content, authority: Authority, at: str
) -> Signed[SignedRequest]:
    """Verify one answer for the call that is to be made. at: an instant. Raises NotApproved."""
    registry = authority.registry(call.keys)
    signed = verify_recorded(line, registry)
    if signed.key.id in authority.revoked:
        raise NotApproved("revoked", f"key {signed.key.id} was revoked")
    check_call(signed.about, call)
    check_answer(signed, wanted, registry, at)
    return signed


def used(state: State, step: str, request: Request, call: Content, authority: Authority, at: str) -> tuple[str, ...]:
    """The leaves of the answers that allow the call, one a person; empty while they do not suffice.

    call: built anew from what is about to be called. at: an instant.
    """
    wanted = wanted_of(state, step, request)
    held = [
        (one, signed)
        for one in state.answers.get(step, ())
        if (signed := _holds(one, wanted, call, authority, at)) is not None
    ]
    outcome = count(signed for _, signed in held)
    if not outcome.enough(wanted):
        return ()
    due = ("break_glass", "approve") if outcome.by_exception(wanted) else ("approve",)
    first: dict[str, str] = {}
    for one, _ in held:
        if one.decision in due:
            first.setdefault(one.person, one.leaf)
    leaves = tuple(first.values())
    return leaves if _unused(state, leaves) else ()


def _holds(one: Answer, wanted: Wanted, call: Content, authority: Authority, at: str) -> Signed[SignedRequest] | None:
    try:
        return check(one.event, wanted, call, authority, at)
    except NotApproved:
        return None


def _unused(state: State, leaves: tuple[str, ...]) -> bool:
    """Whether none of these answers served another effect. What they sign is of this saga and this request alone."""
    return not any(leaf in effect.approvals for effect in state.effects.values() for leaf in leaves)


def denied(state: State, step: str) -> str:
    """Who said no to a step first; "" for nobody."""
    return next((one.person for one in state.answers.get(step, ()) if one.decision == "deny"), "")
