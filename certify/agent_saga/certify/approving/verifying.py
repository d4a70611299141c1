"""The approvals of one intent, verified for exactly the call that it says is about to be made.

Apart from :mod:`~.using`, so that only a trace with signed approvals loads what verifies them.

Source: docs/spec/approval-v1.md, "Verifying" and "Answers and quorum".
"""

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed, verify_recorded
from agent_saga.approvals.quorum import Wanted, check_answer
from agent_saga.approvals.registry.model import Registry
from agent_saga.approvals.requests import Content, Exact, Request, ToolOfAction
from agent_saga.approvals.windows import Moment, check_window
from agent_saga.certify.approving.reasons import code_of
from agent_saga.certify.approving.use import Answer, Use


def call_of(use: Use) -> Exact:
    """The action, built anew from the call that the line says is about to be made."""
    saga, event, standing = use.saga, use.event, use.standing
    spec = saga.tools.get(event.tool) if saga.tools else None
    history = saga.common.authority.history
    return Content(
        log=saga.common.origin or (history.last.log if history else saga.log),
        start=saga.start,
        saga=saga.id,
        step=event.step,
        tool=ToolOfAction(event.tool, spec.version if spec else "", spec.schema if spec else None),
        args=event.args,
        semantics=event.semantics,
        policy=standing.policy,
        keys=standing.keys,
        key=event.key,
    ).exact()


def verify(use: Use, answer: Answer, call: Exact, registry: Registry) -> None:
    """Verify one answer, and whether it counts; note in it what is wrong."""
    try:
        answer.signed = verify_recorded(answer.approval.event, registry, call)
    except NotApproved as fault:
        answer.code, answer.because = code_of(fault.reason), f"{fault} ({fault.reason})"
        return
    try:
        _check_counts(use, answer, answer.signed, registry)
    except NotApproved as fault:
        answer.code, answer.because = code_of(fault.reason, counting=True), f"{fault} ({fault.reason})"


def _check_counts(use: Use, answer: Answer, signed: Signed[Request], registry: Registry) -> None:
    """Check that a verified answer counted when it was given and when it was used. Raises NotApproved."""
    if use.asked is None:
        return
    due, request, recorded = use.asked.event, signed.about, answer.approval.event.at
    step = use.saga.steps.get(use.event.step)
    by = step.by if step else ""
    wanted = Wanted(due.step, due.action, use.asked.leaf, due.quorum, due.roles, due.strength, due.not_after, by)
    check_window(request.issued_at, request.not_after, recorded, "late", "the signed request")
    authority = use.saga.common.authority
    if authority.history is not None:
        authority.history.check_key(signed.key.id, authority.place(use.line), Moment(recorded))
    check_answer(signed, wanted, registry, use.event.at)
