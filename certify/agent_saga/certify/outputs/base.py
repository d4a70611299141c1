"""What every format gets beside the report: the reader's wishes and the catalogue of rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.report import Report


class RuleInfo(Protocol):
    """What a format reads of a rule (``agent_saga.certify.rules.Rule`` has it all)."""

    @property
    def code(self) -> str:
        """Such as ``AS201``."""

    @property
    def name(self) -> str:
        """Such as ``uncompensated-effect``."""

    @property
    def severity(self) -> Severity:
        """As shipped; ``--fail-on`` decides what counts."""

    @property
    def family(self) -> str:
        """Such as ``effects``."""

    @property
    def what(self) -> str:
        """What it finds, in a sentence."""

    @property
    def why(self) -> str:
        """Why that is bad."""

    @property
    def bad(self) -> str:
        """A bad example."""

    @property
    def good(self) -> str:
        """The same, done well."""

    @property
    def fix(self) -> str:
        """How to mend it."""


Rules = Mapping[str, RuleInfo]


@dataclass(frozen=True, slots=True)
class Options:
    """How the reader wants it. width and color: only for ``text``; verbose and show_suppressed: where they apply."""

    color: bool = False
    width: int = 100
    verbose: int = 0
    show_suppressed: bool = False
    rules: Rules = field(default_factory=dict)


Renderer = Callable[[Report, Options], str]
"""What turns a report into the text of one format."""


@dataclass(frozen=True, slots=True)
class UnknownRule:
    """Stands in for a rule that the catalogue does not hold, made from one of its findings."""

    code: str
    name: str
    severity: Severity
    what: str
    fix: str
    family: str = "other"
    why: str = ""
    bad: str = ""
    good: str = ""


def rules_of(report: Report, catalogue: Rules) -> dict[str, RuleInfo]:
    """The catalogue and a stand-in for each finding's rule that it lacks, by code in order."""
    found: dict[str, RuleInfo] = dict(catalogue)
    for finding in (*report.findings, *(item.finding for item in report.suppressed)):
        if finding.code not in found:
            found[finding.code] = _stand_in(finding)
    return dict(sorted(found.items()))


def _stand_in(finding: Finding) -> UnknownRule:
    what = f"{finding.name.replace('-', ' ')}."
    return UnknownRule(finding.code, finding.name, finding.severity, what[:1].upper() + what[1:], finding.fix)
