"""A finding before its rule and place are added, and the few words that all rules share."""

from typing import NamedTuple

from agent_saga.certify.findings import Severity, Witness


class Draft(NamedTuple):
    """A finding before its rule and place are added.

    subject: what it is about, without line numbers. skip: the line is no part of the saga's history (a copy, a fork).
    severity: overrides the rule's own. code: overrides the rule, where a sealed value keeps its answer open (AS602).
    """

    subject: str
    because: str
    expected: str
    witness: tuple[Witness, ...]
    inconclusive: bool = False
    skip: bool = False
    severity: Severity | None = None
    code: str = ""


def at(line: int, what: str) -> Witness:
    """A witness line. what: ``type id tool``, never a payload value."""
    return Witness(line, what)


def withheld(subject: str, because: str, expected: str, witness: tuple[Witness, ...]) -> Draft:
    """What a rule says when the value that it needs is concealed and no disclosure opens it."""
    return Draft(subject, because, expected, witness, inconclusive=True, code="AS602")
