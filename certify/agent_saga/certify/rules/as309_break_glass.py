"""AS309 break-glass."""

from collections.abc import Iterable, Iterator

from agent_saga.certify.approving.telling import intent
from agent_saga.certify.approving.use import Use
from agent_saga.certify.findings import Severity
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at


def _note(use: Use) -> tuple[Draft, ...]:
    """Keep it: whether a review is recorded is known only at the end of the saga."""
    for answer in use.answers:
        if answer.approval.event.decision == "break_glass" and not answer.code:
            use.saga.broken += ((use.event.effect, intent(use), answer.approval),)
    return ()


def _end(saga: Saga) -> Iterable[Draft]:
    return _reviewed(saga) if saga.broken else ()


def _reviewed(saga: Saga) -> Iterator[Draft]:
    for effect, intended, approval in saga.broken:
        by = sorted(person for target, person in saga.reviewed if target == effect and person != approval.person)
        told = f"reviewed by {by[0]}" if by else "and no review is recorded"
        yield Draft(
            f"effect {effect}",
            f"{approval.person} broke the glass for effect {effect} (approval at line {approval.line}), {told}",
            "person.decided kept, signed by another person who may decide",
            (at(approval.line, "approval.recorded break_glass"), intended),
            severity=Severity.WARNING if by else None,
        )


RULE = Rule(
    code="AS309",
    name="break-glass",
    what="An effect was begun because somebody broke the glass, instead of waiting for the quorum.",
    why=("That can be right, and is never a plain pass: somebody else has to look at it, and sign that they did."),
    bad="""\
approval.recorded s1 break_glass by p-eve
effect.intended e1 approvals [that leaf]
""",
    good="""\
approval.recorded s1 approve by p-ana
effect.intended e1 approvals [that leaf]
""",
    fix=(
        "Review it within a week, and record a signed decision about the effect, kept, by another "
        "person: this is then a warning."
    ),
    on_use=_note,
    at_end=_end,
    at_open=_end,
    needs=("approval.recorded",),
)
