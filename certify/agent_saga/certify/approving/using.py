"""The approvals that an intent relies on: each verified once, against what was in force, for exactly this call.

Source: docs/spec/approval-v1.md, "Verifying" and "Answers and quorum"; docs/rules.md, "Approvals".
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent_saga.certify.approving.authority import Standing
from agent_saga.certify.approving.reasons import code_of
from agent_saga.certify.history.people import Approval, Asked
from agent_saga.certify.history.saga import Saga
from agent_saga.trace.events import EffectIntended

if TYPE_CHECKING:
    from agent_saga.approvals.proofs import Signed
    from agent_saga.approvals.requests import Request


@dataclass(slots=True)
class Answer:
    """One approval that an intent names. code: of the rule that says what is wrong with it, "" when it counts.

    open: only what is pinned is missing to tell. signed: once the signature was verified.
    """

    approval: Approval
    code: str = ""
    because: str = ""
    open: bool = False
    signed: "Signed[Request] | None" = None


@dataclass(slots=True)
class Use:
    """An intent, and what became of the approvals that it names. action: of the call as the line has it."""

    saga: Saga
    event: EffectIntended
    line: int
    asked: Asked | None
    standing: Standing
    action: str
    answers: list[Answer] = field(default_factory=list)


def use_of(saga: Saga, event: EffectIntended, line: int) -> Use | None:
    """What an intent relies on; None where it asks nobody, names nobody, or is a further attempt."""
    asked = saga.asked.get(event.step)
    if saga.foreign or event.effect in saga.effects or not (event.approvals or asked):
        return None
    named = [saga.approvals[leaf] for leaf in event.approvals if leaf in saga.approvals]
    since = asked.line if asked else line
    standing = saga.common.authority.standing(since, saga.keys, saga.policy)
    use = Use(saga, event, line, asked, standing, "")
    if any(one.signed for one in named):
        saga.common.authority.met = True
        use.action = _content(use).action()
    use.answers = [_answer(use, one) for one in named if one.decision != "deny"]
    return use


def _content(use: Use) -> Any:
    """The action, built anew from the call that the line says is about to be made."""
    from agent_saga.approvals.requests import Content, ToolOfAction

    saga, event = use.saga, use.event
    spec = (saga.tools or {}).get(event.tool)
    history = saga.common.authority.history
    return Content(
        log=saga.common.origin or (history.last.log if history else saga.log),
        start=saga.start,
        saga=saga.id,
        step=event.step,
        tool=ToolOfAction(event.tool, spec.version if spec else "", spec.schema if spec else None),
        args=event.args,
        semantics=event.semantics,
        policy=use.standing.policy,
        keys=use.standing.keys,
        key=event.key,
    )


def _answer(use: Use, approval: Approval) -> Answer:
    """What is to be said of one approval; the first thing that is wrong."""
    answer = Answer(approval)
    if not approval.signed:
        answer.code = "AS312"
        return answer
    answer.because = _another(use, approval)
    if answer.because:
        answer.code = "AS303"
        return answer
    if use.standing.registry is None:
        answer.code = "AS306" if use.standing.wrong else "AS312"
        answer.because, answer.open = use.standing.why, not use.standing.wrong
        return answer
    _verify(use, answer)
    return answer


def _another(use: Use, approval: Approval) -> str:
    """What the approval is for, where that is not this call; "" where it is."""
    if approval.step != use.event.step:
        return f"step {approval.step}"
    if approval.action != use.action:
        return f"action {approval.action[:16]}..."
    if use.event.action != use.action:
        return "another action than the line itself names"
    request = approval.event.proof["request"]
    if request.get("action") != use.action:
        return "another action by what was signed"
    return ""


def _verify(use: Use, answer: Answer) -> None:
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.proofs import verify_recorded

    assert use.standing.registry is not None
    try:
        signed = verify_recorded(answer.approval.event, use.standing.registry)
    except NotApproved as fault:
        answer.code, answer.because = code_of(fault.reason), f"{fault} ({fault.reason})"
        return
    answer.signed = signed
    try:
        _check_counts(use, signed, answer.approval)
    except NotApproved as fault:
        answer.code, answer.because = code_of(fault.reason, counting=True), f"{fault} ({fault.reason})"


def _check_counts(use: Use, signed: "Signed[Request]", approval: Approval) -> None:
    """Check that a verified answer counted when it was given and when it was used. Raises NotApproved."""
    from agent_saga.approvals.quorum import Wanted, check_answer
    from agent_saga.approvals.windows import Moment, check_window

    asked, request, registry = use.asked, signed.about, use.standing.registry
    if asked is None or registry is None:
        return
    step = use.saga.steps.get(use.event.step)
    due = asked.event
    wanted = Wanted(
        due.step, due.action, asked.leaf, due.quorum, due.roles, due.strength, due.not_after, step.by if step else ""
    )
    check_window(request.issued_at, request.not_after, approval.event.at, "late", "the signed request")
    history = use.saga.common.authority.history
    if history is not None:
        history.check_key(signed.key.id, use.saga.common.authority.place(use.line), Moment(approval.event.at))
    check_answer(signed, wanted, registry, use.event.at)
