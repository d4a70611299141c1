"""From what a rule says to the finding that is reported: the rule's own words, and the place, are added."""

from agent_saga.certify.findings import Finding
from agent_saga.certify.rule import Draft
from agent_saga.certify.rules import all_rules


def finding_of(code: str, source: str, saga: str, draft: Draft) -> Finding:
    """The finding of a draft. source: the input as the user named it. saga: "" for the input as a whole."""
    rule = all_rules()[code]
    return Finding(
        code=code,
        name=rule.name,
        severity=draft.severity or rule.severity,
        source=source,
        saga=saga,
        subject=draft.subject,
        because=draft.because,
        expected=draft.expected,
        fix=rule.fix,
        witness=draft.witness,
        inconclusive=draft.inconclusive,
    )
