"""The approvals that an intent relies on: each verified once, against what was in force, for exactly this call.

Source: docs/spec/approval-v1.md, "Verifying" and "Answers and quorum"; docs/rules.md, "Approvals".
"""

from agent_saga.certify.approving.use import Answer, Use
from agent_saga.certify.history.people import Approval
from agent_saga.certify.history.saga import Saga
from agent_saga.trace.events import EffectIntended


def use_of(saga: Saga, event: EffectIntended, line: int) -> Use | None:
    """What an intent relies on; None where it asks nobody, names nobody, or is a further attempt."""
    asked = saga.asked.get(event.step)
    if saga.foreign or event.effect in saga.effects or not (event.approvals or asked):
        return None
    standing = saga.common.authority.standing(asked.line if asked else line, saga.keys, saga.policy)
    use = Use(saga, event, line, asked, standing, "")
    answers = [Answer(one, "" if one.signed else "AS312") for one in saga.named(event) if one.event.decision != "deny"]
    if "" in [one.code for one in answers]:
        _judge_signed(use, answers)
    use.answers, use.faulty = answers, any(one.code for one in answers)
    return use


def _judge_signed(use: Use, answers: list[Answer]) -> None:
    """Note of each approval that carries a signature the first thing that is wrong with it."""
    from agent_saga.certify.approving.verifying import call_of, verify

    call, standing = call_of(use), use.standing
    use.saga.common.authority.met = True
    use.action = call.digest
    for answer in answers:
        if answer.code:
            continue
        answer.because = _another(use, answer.approval)
        if answer.because:
            answer.code = "AS303"
        elif standing.registry is None:
            answer.code = "AS306" if standing.wrong else "AS312"
            answer.because, answer.open = standing.why, not standing.wrong
        else:
            verify(use, answer, call, standing.registry)


def _another(use: Use, approval: Approval) -> str:
    """What the approval is for, where that is not this call; "" where it is."""
    if approval.step != use.event.step:
        return f"step {approval.step}"
    if approval.action != use.action:
        return f"action {approval.action[:16]}..."
    if use.event.action != use.action:
        return "another action than the line itself names"
    if approval.event.proof["request"].get("action") != use.action:
        return "another action by what was signed"
    return ""
