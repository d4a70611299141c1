"""What a report says of one control of a framework.

Source: docs/controls.md, "How a control is answered".
"""

from dataclasses import dataclass
from enum import StrEnum

from agent_saga.certify.findings import Finding


class Answer(StrEnum):
    """PASS: this run provides evidence for the control. It never says that anybody complies with it."""

    PASS = "PASS"
    FAIL = "FAIL"
    NOT_ASSESSABLE = "NOT ASSESSABLE"


@dataclass(frozen=True, slots=True)
class ControlResult:
    """One control's answer. reasons: sentences for people, what is missing and how to give it included.

    findings: those that make it FAIL, in the report's order. rules: the codes that bear on it.
    shows: what a PASS is evidence of; not_covered: what it is not.
    """

    framework: str
    control: str
    title: str
    answer: Answer
    reasons: tuple[str, ...]
    rules: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    shows: str = ""
    not_covered: str = ""
