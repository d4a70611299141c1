"""The report as test cases, for the formats of test runners (junit, tap).

Each input is a case, each saga of it is one, and the verdict is the last: whatever else a reader skips, an exit code
other than 0 leaves a case that is not green.

| outcome | when |
|---|---|
| failed | a finding at or above ``--fail-on``; the verdict is ``not certified`` |
| error | it could not be decided or judged: an inconclusive finding, an unreadable or empty input, nothing to check |
| skipped | inconclusive, and ``--inconclusive pass`` |
| passed | none of these; lighter findings are told in the case's output |
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.outputs.facts import (
    EXIT_MEANING,
    fails,
    heaviest_first,
    label,
    place,
    title,
    unread,
    verdict_line,
)
from agent_saga.certify.report import Choices, Exit, InputReport, Report


class Outcome(StrEnum):
    """What a test runner shows for a case."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a test report. findings: heaviest first; reason: one line, why it did not pass."""

    suite: str
    name: str
    outcome: Outcome
    reason: str = ""
    findings: tuple[Finding, ...] = ()


WHOLE_INPUT: Final = "(the input as a whole)"
VERDICT_SUITE: Final = "agent-saga certify"


def cases(report: Report) -> list[Case]:
    """Every case: input by input with its sagas, then the verdict."""
    found: dict[str, dict[str, list[Finding]]] = {item.path: {"": []} for item in report.inputs}
    for finding in report.findings:
        found.setdefault(finding.source, {"": []}).setdefault(finding.saga, []).append(finding)
    for saga in report.sagas:
        found.setdefault(saga.source, {"": []}).setdefault(saga.saga, [])
    inputs = {item.path: item for item in report.inputs}
    result: list[Case] = []
    for source, sagas in found.items():
        result.append(_input(source, inputs.get(source), sagas[""], report.choices))
        result += [_case(source, saga, f, report.choices) for saga, f in sagas.items() if saga]
    return [*result, _verdict(report)]


def _input(source: str, item: InputReport | None, findings: list[Finding], choices: Choices) -> Case:
    case = _case(source, "", findings, choices)
    if item is None or case.outcome is Outcome.FAILED:
        return case
    reason = unread(item) or ("" if item.sagas else "no saga in it")
    return Case(source, WHOLE_INPUT, Outcome.ERROR, reason, case.findings) if reason else case


def _case(source: str, saga: str, findings: list[Finding], choices: Choices) -> Case:
    ordered = heaviest_first(findings)
    failing = [f for f in ordered if fails(f, choices)]
    undecided = [f for f in ordered if f.inconclusive]
    outcome, because = Outcome.PASSED, list[Finding]()
    if failing:
        outcome, because = Outcome.FAILED, failing
    elif undecided:
        outcome = Outcome.SKIPPED if choices.inconclusive == "pass" else Outcome.ERROR
        because = undecided
    return Case(source, saga or WHOLE_INPUT, outcome, _reason(because), tuple(ordered))


def _reason(because: list[Finding]) -> str:
    if not because:
        return ""
    more = f" (and {len(because) - 1:,} more)" if len(because) > 1 else ""
    return f"{title(because[0])}: {because[0].because}{more}"


def _verdict(report: Report) -> Case:
    outcome = {Exit.CERTIFIED: Outcome.PASSED, Exit.NOT_CERTIFIED: Outcome.FAILED}.get(report.exit_code, Outcome.ERROR)
    reason = "" if outcome is Outcome.PASSED else f"{verdict_line(report)} (exit {int(report.exit_code)})"
    if report.exit_code is Exit.CERTIFIED and not report.saga_count:
        outcome, reason = Outcome.ERROR, EXIT_MEANING[Exit.NOTHING]
    return Case(VERDICT_SUITE, "verdict", outcome, reason)


def details(finding: Finding) -> list[str]:
    """A finding in plain lines: what and where, because, witness, expected, fix."""
    lines = [f"{label(finding)} {title(finding)} at {place(finding.source, finding.line)}"]
    lines.append(f"  because   {shown(finding.because)}")
    lines += [f"  witness   {place(finding.source, w.line)} {shown(w.what)}" for w in finding.witness]
    lines += [f"  expected  {shown(finding.expected)}"] if finding.expected else []
    return [*lines, f"  fix       {shown(finding.fix)}"] if finding.fix else lines
