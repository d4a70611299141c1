"""``github``: annotations for GitHub Actions, and the page for ``$GITHUB_STEP_SUMMARY``.

GitHub shows ten annotations of each level a step, so the heaviest stand first and the summary says how many there are.
What is undecided is a warning (an error with ``--inconclusive fail``, a notice with ``pass``).

Source: GitHub Actions, "Workflow commands" and "Job summaries".
"""

from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.outputs.facts import choices_made, heaviest_first, level, place, title, unread, verdict_line
from agent_saga.certify.outputs.markdown import page
from agent_saga.certify.report import Choices, Exit, Report

SHOWN_PER_LEVEL: Final = 10
"""Annotations of one level that GitHub shows for one step."""
SUMMARY_BYTES: Final = 900_000
"""GitHub takes 1 MiB a step; the rest is room for other steps' writing."""
_VERDICT: Final = {Exit.CERTIFIED: "notice", Exit.INCONCLUSIVE: "warning"}
_COMMAND: Final = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, options: Options) -> str:
    """Write one workflow command for the verdict and one a finding, heaviest first."""
    kind = _VERDICT.get(report.exit_code, "error")
    told = [verdict_line(report), *(f"{name}: {shown(value)}" for name, value in choices_made(report.choices))]
    lines = [_command(kind, {"title": "agent-saga certify"}, "\n".join(told))]
    named = {finding.source for finding in report.findings}
    for item in report.inputs:
        if item.error and item.path not in named:
            lines.append(_command("error", _where(item.path, 0) | {"title": "input not judged"}, shown(unread(item))))
    ordered = sorted(heaviest_first(report.findings), key=lambda f: -level(f, report.choices).rank)
    lines += [_annotation(finding, report.choices) for finding in ordered]
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding, choices: Choices) -> str:
    text = [shown(finding.because)]
    text += [f"{place(finding.source, w.line)} {shown(w.what)}" for w in finding.witness]
    text += [f"Expected next: {shown(finding.expected)}"] if finding.expected else []
    text += [f"Fix: {shown(finding.fix)}"] if finding.fix else []
    undecided = "undecided: " if finding.inconclusive else ""
    parameters = _where(finding.source, finding.line) | {"title": undecided + title(finding)}
    return _command(_COMMAND[str(level(finding, choices))], parameters, "\n".join(text))


def _where(source: str, line: int) -> dict[str, str]:
    if source in ("", "-"):
        return {}
    name = {"file": shown(source)}
    return name | {"line": str(line)} if line else name


def _command(kind: str, parameters: dict[str, str], message: str) -> str:
    written = ",".join(f"{name}={_parameter(value)}" for name, value in parameters.items())
    return f"::{kind} {written}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _parameter(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def job_summary(report: Report) -> str:
    """The Markdown page of the job: the verdict, the findings that fit, and how many annotations GitHub leaves out."""
    left = _left_out(report)
    note = ""
    if left:
        note = (
            f"GitHub shows {SHOWN_PER_LEVEL} annotations of each level a step; {left:,} more findings have none. "
            "They stand below and in the log."
        )
    return page(report, SUMMARY_BYTES, note)


def _left_out(report: Report) -> int:
    levels = [str(level(finding, report.choices)) for finding in report.findings]
    return sum(max(levels.count(name) - SHOWN_PER_LEVEL, 0) for name in _COMMAND)
