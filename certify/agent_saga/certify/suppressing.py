"""Which findings do not count: left out by a choice, or known to the baseline. Each is reported with what did it.

Source: docs/rules.md, "A finding".
"""

from collections.abc import Iterable

from agent_saga.certify.baseline import Baseline, Key, key_of
from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Choices, Suppressed


def selected(code: str, choices: Choices) -> bool:
    """Whether findings of this code were asked for."""
    return not choices.selected or code in choices.selected


def suppress(
    findings: Iterable[Finding], choices: Choices, baseline: Baseline | None
) -> tuple[list[Finding], list[Suppressed], tuple[str, ...]]:
    """The findings that count, those that do not and by what, and the baseline's entries that none was met of."""
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    known, used = baseline.covered(findings) if baseline else frozenset[Key](), set[Key]()
    for finding in sorted(findings, key=lambda one: one.order):
        by = _suppressed_by(finding, choices, known)
        if by == "baseline":
            used.add(key_of(finding))
        if by:
            suppressed.append(Suppressed(finding, by))
        else:
            kept.append(finding)
    return kept, suppressed, baseline.stale(used) if baseline else ()


def _suppressed_by(finding: Finding, choices: Choices, known: frozenset[Key]) -> str:
    if finding.code in choices.ignored:
        return f"--ignore {finding.code}"
    if not selected(finding.code, choices):
        return "--select"
    return "baseline" if known and key_of(finding) in known else ""
