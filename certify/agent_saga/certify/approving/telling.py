"""What the rules about approvals say of one intent: the same few words, each with the lines that carry it."""

from collections.abc import Callable

from agent_saga.certify.approving.use import Answer, Use
from agent_saga.certify.draft import Draft, at
from agent_saga.certify.findings import Witness


def told_by(code: str, says: str, expected: str) -> Callable[[Use, Answer], Draft | None]:
    """The check of a rule that is about single approvals. says: what is wrong, before the reason."""

    def check(use: Use, answer: Answer) -> Draft | None:
        if answer.code != code or answer.open:
            return None
        return Draft(subject(use, answer), _because(use, answer, says), expected, witness(use, answer))

    return check


def subject(use: Use, answer: Answer) -> str:
    """What a finding about one approval of one effect is about."""
    return f"effect {use.event.effect} by {answer.approval.person}"


def witness(use: Use, answer: Answer) -> tuple[Witness, ...]:
    """The approval and the intent that relies on it."""
    return at(answer.approval.line, "approval.recorded"), intent(use)


def intent(use: Use) -> Witness:
    """The line of the intent."""
    return at(use.line, f"effect.intended {use.event.effect} {use.event.tool}")


def _because(use: Use, answer: Answer, says: str) -> str:
    which = f"the approval at line {answer.approval.line} by {answer.approval.person}"
    return f"{which} {says}, and {use.event.tool} (effect {use.event.effect}) relies on it: {answer.because}"
