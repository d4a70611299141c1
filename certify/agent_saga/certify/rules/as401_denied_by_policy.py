"""AS401 denied-by-policy."""

from collections.abc import Iterator

from agent_saga.certify.policing.given import lacking
from agent_saga.certify.policing.police import Ruling
from agent_saga.certify.rule import Draft, Rule, at

_CODES = frozenset({"denied", "wrong_agent", "irreconcilable", "limit"})
_ELSEWHERE = frozenset({"undeclared_tool", "wrong_class"})
"""AS404 and AS405 say so, where the source has a catalogue."""

_TOLD = frozenset({"undeclared_tool", "wrong_class", "wrong_agent"})
"""Denials whose reason names nothing but tool, class and agent."""


def _check(ruling: Ruling) -> Iterator[Draft]:
    decision, named, event = ruling.certain, ruling.statute.named, ruling.event
    if decision.effect == "deny":
        if decision.code in _CODES or (ruling.saga.foreign and decision.code in _ELSEWHERE):
            withheld = ruling.saga.foreign and _withheld(event.tool)
            denied = decision.reason if decision.code in _TOLD else f"by {named} it is denied ({decision.rule})"
            yield _draft(ruling, denied, "no such call", withheld)
    elif decision.effect == "approve" and decision.approve is not None and not _told_by_as301(ruling):
        lack = lacking(decision.approve, ruling.given)
        if lack is not None:
            expected = f"approvals for step {event.step} as the policy asks, named in approvals"
            yield _draft(ruling, f"by {decision.rule} of {named} {lack.words}", expected, lack.open)


def _withheld(tool: str) -> bool:
    from agent_saga.certify.importers.agent_saga_log.withheld import WITHHELD  # loads the whole importer

    return tool == WITHHELD


def _told_by_as301(ruling: Ruling) -> bool:
    """That something irreversible names no approval at all needs no policy to be told."""
    nothing_named = not ruling.event.approvals and not ruling.saga.foreign
    return nothing_named and all(one.kind == "default" for one in ruling.decision.fired if one.binds)


def _draft(ruling: Ruling, why: str, expected: str, undecided: bool) -> Draft:
    event = ruling.event
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) was begun at line {ruling.line}, and {why}",
        expected,
        (at(ruling.line, f"effect.intended {event.effect} {event.tool}"),),
        inconclusive=undecided,
    )


RULE = Rule(
    code="AS401",
    name="denied-by-policy",
    what=(
        "A call was begun that the policy denies, or for which it asks for approvals that the call had not: none, "
        "fewer persons, other roles or weaker keys than the rule names."
    ),
    why="The policy is what a risk team signed. A call beside it is one that nobody allowed.",
    bad="""\
policy: wires above EUR 5,000.00 need two of treasury
effect.intended e1 bank.wire EUR 9,000.00 approvals [one leaf]
""",
    good="""\
policy: wires above EUR 5,000.00 need two of treasury
effect.intended e1 bank.wire EUR 9,000.00 approvals [two leaves]
""",
    fix="Find out how the call passed the gate; run the policy that you certify with in the runtime.",
    on_call=_check,
    needs=("policy",),
)
