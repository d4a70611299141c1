"""AS305 quorum-not-met."""

from agent_saga.certify.approving.telling import intent
from agent_saga.certify.approving.use import Use
from agent_saga.certify.findings import Witness
from agent_saga.certify.rule import Draft, Rule, at


def _check(use: Use) -> tuple[Draft, ...]:
    """Persons whose approval another rule has found wanting are not missed here once more."""
    event, asked = use.event, use.asked
    if asked is None:
        signed = any(answer.approval.signed for answer in use.answers)
        return (_draft(use, "no approval.requested line says how many must approve", ()),) if signed else ()
    answers = [one.approval.event for one in use.answers if one.code != "AS310"]
    persons = {one.person for one in answers}
    if len(persons) >= asked.event.quorum or any(one.decision == "break_glass" for one in answers):
        return ()
    if event.step in use.saga.refused or (not use.answers and event.semantics == "irreversible"):
        return ()
    found = f"{len(persons)} of {asked.event.quorum} persons approved it"
    return (_draft(use, found, (at(asked.line, f"approval.requested {event.step}"),)),)


def _draft(use: Use, found: str, asked: tuple[Witness, ...]) -> Draft:
    event = use.event
    because = f"{event.tool} (effect {event.effect}) at line {use.line} was begun, and {found}"
    expected = f"approval.recorded for step {event.step} by as many persons as were asked for, named in approvals"
    return Draft(f"effect {event.effect}", because, expected, (*asked, intent(use)))


RULE = Rule(
    code="AS305",
    name="quorum-not-met",
    what="Fewer persons approved than were asked for, or nobody was asked.",
    why=("A quorum counts persons, not keys and not signatures: one person twice is one person."),
    bad="""\
approval.requested s1 quorum 2
approval.recorded s1 by p-ana
effect.intended e1 approvals [that leaf]
""",
    good="""\
approval.requested s1 quorum 2
approval.recorded s1 by p-ana
approval.recorded s1 by p-ben
effect.intended e1 approvals [both leaves]
""",
    fix=("Let the executor count the persons again right before the call."),
    on_use=_check,
    needs=("approval.requested", "approval.recorded"),
)
