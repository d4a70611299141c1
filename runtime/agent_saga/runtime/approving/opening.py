"""The request or decision that one person would sign about what waits.

Source: docs/spec/approval-v1.md, "The request" and "A decision".
"""

from typing import Any, Final, Literal

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import IRREVERSIBLE_SECONDS
from agent_saga.approvals.requests import Decision, Request, as_written, parse_decision, parse_request
from agent_saga.approvals.windows import shifted
from agent_saga.runtime.approving.waits import Paused, Pending
from agent_saga.trace.forms import Verdict

DECISION_SECONDS: Final = 900
"""Seconds for which a signed decision may be handed in: fifteen minutes, as for what is irreversible."""


def open_request(
    pending: Pending,
    person: str,
    key_id: str,
    decision: Literal["approve", "deny", "break_glass"],
    nonce: str,
    now: str,
    reason: Any = "",
) -> Request:
    """The request that this person would sign with this key.

    nonce: 22 base64url characters (128 bits), fresh for each approver. now: an instant. reason: why; "" for none. Of an
    irreversible step it ends after fifteen minutes, and never later than the wait itself.
    Raises NotApproved (``wrong-action``, ``late``, ``no-reason``, ``bad-request``).
    """
    if pending.wrong:
        raise NotApproved("wrong-action", f"step {pending.step} of saga {pending.saga}: {pending.wrong}")
    until = pending.requested.not_after
    if now > until:
        raise NotApproved("late", f"the wait of step {pending.step} ended at {until}")
    if pending.content.semantics == "irreversible":
        until = min(until, shifted(now, IRREVERSIBLE_SECONDS))
    if decision == "break_glass" and reason in ("", None):
        raise NotApproved("no-reason", "breaking the glass needs a reason")
    request = Request(
        v=1,
        decision=decision,
        action=pending.content.action(),
        content=pending.content,
        person=person,
        proposer=pending.proposer,
        key_id=key_id,
        nonce=nonce,
        issued_at=now,
        not_after=until,
        prev=pending.leaf,
        reason=None if reason == "" else reason,
    )
    return parse_request(as_written(request))


def open_decision(
    paused: Paused, target: str, verdict: Verdict, person: str, key_id: str, nonce: str, now: str, reason: Any
) -> Decision:
    """The decision that this person would sign about one target of a saga that waits.

    nonce, now: as for :func:`open_request`. reason: why, as it will stand on the line.
    Raises NotApproved (``wrong-target``, ``no-reason``, ``bad-request``).
    """
    if target not in paused.targets:
        raise NotApproved("wrong-target", f"saga {paused.saga} does not wait for {target}")
    if reason in ("", None):
        raise NotApproved("no-reason", "a decision needs a reason")
    decision = Decision(
        v=1,
        log=paused.log,
        start=paused.start,
        saga=paused.saga,
        target=target,
        verdict=verdict,
        reason=reason,
        prev=paused.prev,
        person=person,
        key_id=key_id,
        nonce=nonce,
        issued_at=now,
        not_after=shifted(now, DECISION_SECONDS),
    )
    return parse_decision(as_written(decision))
