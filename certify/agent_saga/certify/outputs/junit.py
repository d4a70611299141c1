"""``junit``: JUnit XML. A suite an input, a case a saga, and one case for the verdict (see :mod:`.cases`).

The verdict's suite is the last and has the verdict and the choices behind it as properties.

A case has at most one ``failure`` or ``error`` element, which holds all of its findings, the heaviest first: several
readers show only the first element of a case. Lighter findings stand in ``system-out``.
"""

from collections.abc import Iterator
from itertools import groupby

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.cases import VERDICT_SUITE, Case, Outcome, cases, details
from agent_saga.certify.outputs.escape import xml
from agent_saga.certify.outputs.facts import assumptions, choices_made, not_assessable, verdict_line
from agent_saga.certify.report import Report

_ELEMENT = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.SKIPPED: "skipped"}


def render(report: Report, options: Options) -> str:
    """Write the report as JUnit XML."""
    found = cases(report)
    suites = [(name, list(part)) for name, part in groupby(found, key=lambda case: case.suite)]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="agent-saga certify" {_totals(found)}>']
    for name, part in suites:
        lines.append(f'  <testsuite name="{xml(name)}" {_totals(part)}>')
        lines += _properties(properties(report) if name == VERDICT_SUITE else _input_properties(report, name))
        lines += [line for case in part for line in _case(case)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _totals(found: list[Case]) -> str:
    number = {outcome: sum(case.outcome is outcome for case in found) for outcome in Outcome}
    return (
        f'tests="{len(found)}" failures="{number[Outcome.FAILED]}" '
        f'errors="{number[Outcome.ERROR]}" skipped="{number[Outcome.SKIPPED]}" time="0"'
    )


def _properties(rows: list[tuple[str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield "    <properties>"
    for name, value in rows:
        yield f'      <property name="{xml(name)}" value="{xml(value)}"/>'
    yield "    </properties>"


def _input_properties(report: Report, path: str) -> list[tuple[str, str]]:
    for item in report.inputs:
        if item.path == path:
            return [("format", item.format), ("lines", str(item.lines)), ("sha256", item.sha256)]
    return []


def properties(report: Report) -> list[tuple[str, str]]:
    """The verdict, what it stands on and the choices behind it."""
    rows = [
        ("verdict", str(report.verdict)),
        ("headline", verdict_line(report)),
        ("exit_code", str(int(report.exit_code))),
        ("tool_version", report.tool_version),
        ("rule_set", report.rule_set),
        ("profile", report.choices.profile),
    ]
    rows += [(f"choice {name}", value) for name, value in choices_made(report.choices)]
    rows += [("not assessable", f"{', '.join(c)}: {reason} ({f})") for reason, f, c in not_assessable(report)]
    rows += [("stale baseline entry", entry) for entry in report.stale_baseline]
    return [*rows, *(("assumption", sentence) for sentence in assumptions(report))]


def _case(case: Case) -> Iterator[str]:
    head = f'    <testcase classname="{xml(case.suite)}" name="{xml(case.name)}" time="0"'
    told = [line for finding in case.findings for line in details(finding)]
    if case.outcome is Outcome.PASSED and not told:
        yield f"{head}/>"
        return
    yield f"{head}>"
    yield from _element(case, told)
    yield "    </testcase>"


def _element(case: Case, told: list[str]) -> Iterator[str]:
    body = "\n".join(xml(line) for line in told)
    name = _ELEMENT.get(case.outcome)
    if name is None:
        yield f"      <system-out>{body}</system-out>"
    elif name == "skipped":
        yield f'      <skipped message="{xml(case.reason)}"/>'
        yield f"      <system-out>{body}</system-out>"
    else:
        yield f'      <{name} type="{xml(_type(case.findings, name))}" message="{xml(case.reason)}">{body}</{name}>'


def _type(findings: tuple[Finding, ...], name: str) -> str:
    return findings[0].code if findings else name
