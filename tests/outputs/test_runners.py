"""junit and tap: what a test runner reads back, and that nothing odd is ever green."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite

from agent_saga.certify.report import Choices, Exit, Report, Verdict


def _suites(text: str) -> dict[str, TestSuite]:
    return {suite.name: suite for suite in JUnitXml.fromstring(text.encode())}


def test_junitparser_reads_every_report(report: Report, written: Callable[..., str]) -> None:
    found = JUnitXml.fromstring(written(report, "junit").encode())
    cases = [case for suite in found for case in suite]
    assert found.tests == len(cases) > 0
    assert found.failures == sum(any(isinstance(r, Failure) for r in case.result) for case in cases)
    assert found.errors == sum(any(isinstance(r, Error) for r in case.result) for case in cases)
    assert all(len(case.result) <= 1 for case in cases)
    assert (found.failures + found.errors == 0) == (report.exit_code == Exit.CERTIFIED)


def test_a_suite_is_an_input_and_a_case_a_saga(written: Callable[..., str], samples: ModuleType) -> None:
    suites = _suites(written("rich", "junit"))
    assert list(suites) == [samples.BAD, samples.GOOD, samples.HISTORY, "agent-saga certify"]
    assert [case.name for case in suites[samples.BAD]] == ["(the input as a whole)", samples.CHARGED.saga]


def test_one_failure_holds_all_findings_of_the_saga(written: Callable[..., str], samples: ModuleType) -> None:
    *_, case = _suites(written("rich", "junit"))[samples.BAD]
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert failure.type == "AS201"
    assert [code for code in ("AS201", "AS602", "AS108") if code in failure.text] == ["AS201", "AS602", "AS108"]
    assert f"{samples.BAD}:19 saga.ended" in failure.text


def test_the_verdict_has_the_choices_as_properties(written: Callable[..., str]) -> None:
    found = {prop.name: prop.value for prop in _suites(written("rich", "junit"))["agent-saga certify"].properties()}
    assert found["verdict"] == "not certified"
    assert found["profile"] == "custom"
    assert found["choice --ignore"] == "AS407"
    assert found["choice baseline SHA-256"] == "cd" * 32


@pytest.mark.parametrize(
    ("choice", "kind"), [("strict", Error), ("fail", Failure), ("pass", Skipped)], ids=["strict", "fail", "pass"]
)
def test_what_is_undecided_is_as_the_user_chose(
    written: Callable[..., str], samples: ModuleType, choice: str, kind: type
) -> None:
    report = replace(samples.UNDECIDED, choices=Choices(inconclusive=choice))
    *_, case = _suites(written(report, "junit"))[samples.BAD]
    assert [type(result) for result in case.result] == [kind]


def test_a_lighter_finding_is_told_without_failing(written: Callable[..., str], samples: ModuleType) -> None:
    report = replace(
        samples.RICH, findings=(samples.CLOCK,), exit_code=Exit.CERTIFIED, verdict=Verdict.CERTIFIED, choices=Choices()
    )
    *_, case = _suites(written(report, "junit"))[samples.BAD]
    assert not case.result
    assert "AS108" in case.system_out
    stricter = replace(report, choices=Choices(fail_on="warning"))
    *_, case = _suites(written(stricter, "junit"))[samples.BAD]
    assert isinstance(case.result[0], Failure)


def test_an_input_that_was_not_judged_is_an_error(written: Callable[..., str]) -> None:
    (case,) = _suites(written("unreadable", "junit"))["gone.jsonl"]
    assert isinstance(case.result[0], Error)
    assert case.result[0].message == "no such file; check the path"
    (case,) = _suites(written("empty-file", "junit"))["empty.jsonl"]
    assert case.result[0].message == "no saga in it"


def test_a_certified_verdict_over_no_saga_is_an_error(written: Callable[..., str], samples: ModuleType) -> None:
    report = replace(samples.CLEAN, saga_count=0, sagas=(), inputs=())
    (case,) = _suites(written(report, "junit"))["agent-saga certify"]
    assert isinstance(case.result[0], Error)


def test_junit_is_well_formed_for_hostile_values(written: Callable[..., str]) -> None:
    root = ElementTree.fromstring(written("hostile", "junit"))
    assert root.find(".//failure") is not None
    assert root.find(".//b") is None


def _points(text: str) -> list[str]:
    return re.findall(r"^(?:not )?ok \d+ - .*$", text, re.M)


def test_tap_has_the_plan_it_keeps(report: Report, written: Callable[..., str]) -> None:
    text = written(report, "tap")
    points = _points(text)
    assert text.startswith(f"TAP version 14\n1..{len(points)}\n")
    assert [int(re.findall(r"ok (\d+)", point)[0]) for point in points] == list(range(1, len(points) + 1))
    assert any(point.startswith("not ok") for point in points) == (report.exit_code != Exit.CERTIFIED)


def test_tap_knows_only_our_own_directives(written: Callable[..., str]) -> None:
    for point in _points(written("hostile", "tap")):
        assert re.search(r"(?<!\\)#", point) is None
    skipped = [point for point in _points(written("passed-open", "tap")) if " # SKIP " in point]
    assert len(skipped) == 1
    assert skipped[0].startswith("ok ")


def test_tap_diagnostics_are_quoted_lines(written: Callable[..., str]) -> None:
    text = written("hostile", "tap")
    inside = re.findall(r"^  ---\n(.*?)^  \.\.\.$", text, re.M | re.S)
    assert inside
    for line in "".join(inside).splitlines():
        assert re.fullmatch(r' {2,8}(- )?([a-z]+:)?( ?"(?:[^"\\]|\\["\\])*"| (failed|error|skipped|passed))?', line), (
            line
        )
