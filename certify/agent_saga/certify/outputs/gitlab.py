"""``gitlab``: a Code Quality report, which GitLab shows in merge requests.

GitLab keeps one entry a fingerprint, so a repeated one is numbered. An input that could not be judged, and a run
that judged nothing, are entries too: an empty list would read as all clear. So are the choices behind the verdict,
as ``info``.
"""

from typing import Any, Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.escape import dumps, shown
from agent_saga.certify.outputs.facts import choices_made, heaviest_first, title, unique_fingerprints, unread
from agent_saga.certify.report import Report, Verdict

_SEVERITY: Final = {"error": "critical", "warning": "minor", "note": "info"}


def render(report: Report, options: Options) -> str:
    """Write the findings as a Code Quality list, heaviest first."""
    ordered = heaviest_first(report.findings)
    named = {finding.source for finding in ordered}
    entries = [
        _entry("input-not-judged", unread(item), item.path, 1, "blocker", f"input {item.path}")
        for item in report.inputs
        if item.error and item.path not in named
    ]
    if report.verdict is Verdict.NOTHING:
        text = "There was nothing to check; this is not a pass."
        entries.append(_entry("nothing-to-check", text, ".", 1, "blocker", "nothing"))
    made = choices_made(report.choices)
    if made:
        text = f"The verdict was reached with {'; '.join(f'{name} {value}' for name, value in made)}"
        path = report.choices.config or next((item.path for item in report.inputs), ".")
        entries.append(_entry("choices-of-the-user", text, path, 1, "info", "choices"))
    marks = unique_fingerprints(ordered)
    return dumps([*entries, *(_finding(f, mark) for f, mark in zip(ordered, marks, strict=True))])


def _finding(finding: Finding, mark: str) -> dict[str, Any]:
    severity = "major" if finding.inconclusive else _SEVERITY[str(finding.severity)]
    text = f"{title(finding)}: {shown(finding.because)}"
    name = f"{finding.code} {finding.name}"
    return _entry(name, text, finding.source, finding.line, severity, mark)


def _entry(name: str, text: str, path: str, line: int, severity: str, mark: str) -> dict[str, Any]:
    return {
        "description": shown(text),
        "check_name": shown(name),
        "fingerprint": shown(mark),
        "severity": severity,
        "location": {"path": shown(path), "lines": {"begin": max(line, 1)}},
    }
