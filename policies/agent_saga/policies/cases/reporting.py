"""A report of tests for programs: as JSON, and as JUnit XML for a CI system.

Source: docs/spec/policy-v1.md, "Tests"; the JUnit form is the one that Jenkins and GitLab read.
"""

from typing import Any
from xml.etree import ElementTree

from agent_saga.policies.cases.running import Report, Result, words
from agent_saga.trace.printing import visible


def as_json(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    found = report.coverage
    gaps = [{"line": gap.place.line, "column": gap.place.column, "what": str(gap)} for gap in found.gaps]
    return {
        "policy": report.policy.policy,
        "version": report.policy.version,
        "digest": report.policy.digest,
        "tests": [_test(one) for one in report.results],
        "coverage": {"seen": found.seen, "total": found.total, "percent": found.percent, "gaps": gaps},
    }


def _test(one: Result) -> dict[str, Any]:
    got = {"got": words(one.decision), "faults": list(one.faults)}
    return {"name": one.case.name, "line": one.case.place.line, "passed": not one.faults} | got


def as_junit(report: Report, least: int) -> bytes:
    """A report as JUnit XML. least: per cent of coverage that is asked for; 0 asks for none, else it is a test too."""
    cases = [_case(report, one) for one in report.results]
    if least:
        cases.append(_coverage(report, least))
    failed = sum(len(one) for one in cases)
    attributes = {"name": report.policy.policy, "tests": str(len(cases)), "failures": str(failed)}
    suite = ElementTree.Element("testsuite", attributes)
    suite.extend(cases)
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def _case(report: Report, one: Result) -> ElementTree.Element:
    attributes = {"name": visible(one.case.name), "classname": report.policy.policy}
    case = ElementTree.Element("testcase", attributes)
    if one.faults:
        place = f"{visible(report.policy.source)}:{one.case.place.line}:{one.case.place.column}"
        failure = ElementTree.SubElement(case, "failure", {"message": visible(one.faults[0])})
        failure.text = "\n".join(f"{place}: {visible(fault)}" for fault in one.faults)
    return case


def _coverage(report: Report, least: int) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"name": f"coverage of {least}%", "classname": report.policy.policy})
    if report.coverage.percent < least:
        failure = ElementTree.SubElement(case, "failure", {"message": f"{report.coverage.percent}% is covered"})
        failure.text = "\n".join(visible(str(gap)) for gap in report.coverage.gaps)
    return case
