"""From a proposal to an intent: is it allowed, are its arguments sound, what does the gate say?"""

import re
from typing import Any

from msgspec.structs import replace

from agent_saga.runtime.definition import Step
from agent_saga.runtime.gate import Allow, Answer, NeedsApproval, Refuse
from agent_saga.runtime.gate import Request as GateRequest
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.action import content_asked, written_args
from agent_saga.runtime.kernel.actions import FRESH, Draft, Moment
from agent_saga.runtime.kernel.asking import request_of
from agent_saga.runtime.kernel.consent import denied, used
from agent_saga.runtime.kernel.hiding import sealed, shown
from agent_saga.runtime.kernel.intending import intent
from agent_saga.runtime.kernel.money import overdrawn
from agent_saga.runtime.kernel.payload import unsound
from agent_saga.runtime.kernel.proposals import UNNAMED, Proposal
from agent_saga.runtime.kernel.soundness import Case, fault
from agent_saga.runtime.kernel.state import Request, plan_of
from agent_saga.runtime.kernel.waiting import halted
from agent_saga.runtime.times import later
from agent_saga.runtime.tools import Tool

_TOOL_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,128}").fullmatch


def propose(case: Case, proposals: tuple[Proposal, ...]) -> tuple[Draft, ...]:
    """The lines that answer what the agent proposed: each step with its refusal, its request or its intent.

    Everything may have been stopped while the agent thought: then nothing that it proposed is begun.
    """
    if case.moment.stop:
        return (halted(case.definition, case.moment),)
    return tuple(draft for proposal in proposals for draft in _answer(case, proposal))


def _answer(case: Case, proposal: Proposal) -> list[Draft]:
    step = _step_of(case, proposal)
    name = _step_id(case, step)
    wrong, args = fault(case, proposal, step)
    case.take(name)
    proposed = _proposed(case, proposal, name, args)
    if wrong:
        return [proposed, _refused(name, *wrong)]
    return [proposed, gated(case, case.definition.catalogue[proposal.tool], name, args)]


def calls_of(case: Case, proposals: tuple[Proposal, ...]) -> list[GateRequest]:
    """What the gate will be asked when this is proposed, so that it can be told before what is used of its limits."""
    found = []
    for proposal in proposals:
        step = _step_of(case, proposal)
        name = _step_id(case, step)
        wrong, args = fault(case, proposal, step)
        case.take(name)
        if not wrong:
            found.append(request_of(case, case.definition.catalogue[proposal.tool], name, args))
    return found


def _step_of(case: Case, proposal: Proposal) -> Step | None:
    """The step of the plan that a proposal means: by its name, else the first that is ready for its tool."""
    if proposal.step:
        return case.definition.plan.get(proposal.step)
    pairs = case.choices.pairs
    names = (name for name, tool in pairs if tool == proposal.tool and name and name not in case.taken)
    return case.definition.plan.get(next(names, ""))


def _step_id(case: Case, step: Step | None) -> str:
    if step is None:
        return f"turn-{case.state.turns + case.number + 1}"
    count = case.state.asked.get(step.name, 0) + case.taken.get(step.name, 0)
    return f"{step.name}.{count + 1}" if count else step.name


def _refused(step: str, code: str, reason: Any, rule: str | None = None) -> Draft:
    members = {"step": step, "code": code, "reason": reason}
    return Draft("step.refused", members | ({"rule": rule} if rule else {}))


def _refused_by(answer: Refuse, step: str) -> Draft:
    return replace(_refused(step, answer.code, answer.reason, answer.rule), record=answer.record)


def _proposed(case: Case, proposal: Proposal, name: str, args: dict[str, Any]) -> Draft:
    members: dict[str, Any] = {
        "step": name,
        "tool": proposal.tool if proposal.tool in case.definition.catalogue or _TOOL_NAME(proposal.tool) else UNNAMED,
        "args": args,
        "allowed": case.choices.tools,
        "driver": case.driver,
    }
    if proposal.options:
        members |= _options(proposal, args)
    if proposal.why is not None and not unsound(proposal.why):
        members["why"] = proposal.why
    return Draft("step.proposed", members, f"agent:{case.driver}")


def _options(proposal: Proposal, args: dict[str, Any]) -> dict[str, Any]:
    """The candidates of a closed choice; the one taken with its arguments as the step has them."""
    if unsound([option.args for option in proposal.options]):
        return {}
    chosen = {option.id: option.args for option in proposal.options} | {proposal.choice: args}
    options = [{"id": o.id, "tool": o.tool, "args": chosen[o.id], "p": o.p} for o in proposal.options]
    if not any(option.id == proposal.choice and option.tool == proposal.tool for option in proposal.options):
        return {"options": options}
    return {"options": options, "choice": proposal.choice, "confidence": proposal.confidence}


def gated(case: Case, tool: Tool, step: str, args: dict[str, Any]) -> Draft:
    """The line that answers a step whose arguments are sound: its refusal, its request or its intent."""
    over = overdrawn(case, tool, args)
    if over:
        return _refused(step, "money", over)
    answer = _ask(case, request_of(case, tool, step, args))
    if tool.semantics == "irreversible" and isinstance(answer, Allow):
        answer = NeedsApproval("irreversible", ("approver",), record=answer.record)
    if tool.semantics == "irreversible" and _before_pivot(case, step):
        answer = Refuse("before_pivot", f"nothing irreversible may happen before step {case.definition.pivot}")
    if isinstance(answer, Refuse):
        return _refused_by(answer, step)
    if isinstance(answer, NeedsApproval):
        return _asks(answer, step, case.moment)
    return intent(case, tool, step, args, answer)


def _ask(case: Case, request: GateRequest) -> Answer:
    """The gate's answer; one that cannot answer refuses."""
    try:
        answer: object = case.gate.judge(request)
    except Exception as error:
        return Refuse("gate_failed", f"the gate cannot tell ({type(error).__name__})")
    if isinstance(answer, Allow | Refuse | NeedsApproval):
        return answer
    return Refuse("gate_failed", f"the gate answered with a {type(answer).__name__}")


def _before_pivot(case: Case, step: str) -> bool:
    pivot = case.definition.pivot
    return pivot is not None and plan_of(step) != pivot and not plan.done(case.state, case.definition, pivot)


def _asks(answer: NeedsApproval, step: str, moment: Moment) -> Draft:
    members = {
        "step": step,
        "action": FRESH,
        "rule": answer.rule,
        "quorum": answer.quorum,
        "roles": list(answer.roles),
        "strength": answer.strength,
        "not_after": later(moment.at, answer.seconds),
    }
    return Draft("approval.requested", members, record=answer.record)


def answered(case: Case, step: str, request: Request) -> tuple[Draft, ...]:
    """The lines with which a request ends: denied, too late, or approved; nothing while it waits."""
    person = denied(case.state, step)
    if person:
        return (_refused(step, "denied", f"{person} denied it"),)
    if request.event.not_after < case.moment.at:
        return (_refused(step, "approval_expired", "the request for approval ended without enough answers"),)
    return _approved(case, step, request)


def _approved(case: Case, step: str, request: Request) -> tuple[Draft, ...]:
    """The intent of a step whose approvals suffice. The action is made anew from the call that would be made."""
    proposed, written = case.state.steps[step], written_args(case.state, step)
    tool, authority = case.definition.catalogue[proposed.tool], case.moment.authority
    before = ((authority.policy, authority.keys), *authority.before)
    call = content_asked(case.state, step, request, before, tool.spec)
    leaves = used(case.state, step, request, call, authority, case.moment.at)
    if not leaves:
        return ()
    if sealed(proposed.args) or not shown(written, case.state.concealed):
        return (_refused(step, "concealed", "what was approved cannot be opened any more, or not be shown"),)
    asking = request_of(case, tool, step, proposed.args, request, call.action(), leaves)
    answer = _ask(case, asking)
    if isinstance(answer, Refuse):
        return (_refused_by(answer, step),)
    if isinstance(answer, NeedsApproval):
        return ()
    over = overdrawn(case, tool, proposed.args)
    if over:
        return (_refused(step, "money", over),)
    burned = {"args": written, "key": call.key, "action": call.action(), "approvals": list(leaves)}
    return (intent(case, tool, step, proposed.args, answer, burned),)
