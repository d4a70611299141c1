"""AS303 approval-for-another-action."""

from collections.abc import Iterable

from agent_saga.certify.approving.telling import intent, subject
from agent_saga.certify.approving.use import Answer, Use
from agent_saga.certify.history.people import Approval
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if not saga.claims or event.effect in saga.effects:
        return None
    for approval in _used(saga, event):
        other = _other(saga, event, approval)
        if other:
            action = f"action {event.action[:16]}..." if event.action else "and names no action"
            return Draft(
                f"effect {event.effect}",
                f"the approval at line {approval.line} is for {other}; {event.tool} (effect {event.effect}) at line "
                f"{line} is step {event.step}, {action}",
                "an approval of exactly this step, tool and arguments",
                (at(approval.line, "approval.recorded"), at(line, f"effect.intended {event.effect} {event.tool}")),
            )
    return None


def _other(saga: Saga, event: EffectIntended, approval: Approval) -> str:
    if approval.step != event.step:
        return f"step {approval.step}"
    if event.action == approval.action or (saga.foreign and not event.action):
        return ""
    return f"action {approval.action[:16]}..."


def _used(saga: Saga, event: EffectIntended) -> Iterable[Approval]:
    if saga.foreign:
        return saga.answers.get(event.step, ()) if event.semantics == "irreversible" else ()
    return [approval for approval in saga.named(event) if not approval.signed]


def _signed(use: Use, answer: Answer) -> Draft | None:
    """An approval with a signature: the action is computed anew from the line, and compared with what was signed."""
    if answer.code != "AS303":
        return None
    event, line = use.event, answer.approval.line
    return Draft(
        subject(use, answer),
        f"the approval at line {line} is for {answer.because}; {event.tool} (effect {event.effect}) at line "
        f"{use.line} is step {event.step}, and its call comes to action {use.action[:16]}...",
        "a signature over exactly this step, tool, version, arguments, policy and registry",
        (at(line, "approval.recorded"), intent(use)),
    )


RULE = Rule(
    code="AS303",
    name="approval-for-another-action",
    what="The approval that an effect relies on was given for something else.",
    why="A person approved a wire of 10 and the agent then wired 9,999,999.",
    bad="""\
approval.recorded s1 action A
effect.intended e1 action B approvals [that leaf]
""",
    good="""\
approval.recorded s1 action A
effect.intended e1 action A approvals [that leaf]
""",
    fix=("Let the executor compute the action from the call that it is about to make, and refuse when it differs."),
    on={"effect.intended": _check},
    only_after={"effect.intended": ("approval.recorded",)},
    on_answer=_signed,
    needs=("approval.recorded",),
)
