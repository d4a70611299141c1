"""OSCAL assessment results are valid by compliance-trestle, say the same twice, and never more than the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import control_reports as reports
import pytest
from trestle.core import validator_factory
from trestle.oscal.assessment_results import AssessmentResults

from agent_saga.certify.controls.reading import framework_ids
from agent_saga.certify.controls.results import Answer
from agent_saga.certify.outputs import render
from agent_saga.certify.outputs.oscal import OSCAL_VERSION, OscalError
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

AllValidator = validator_factory.all_validator.AllValidator
GOOD = "AS302/good_line_names_another_person.jsonl"
BAD = "AS302/bad_line_names_another_person.jsonl"
SOME = [GOOD, BAD, *(entry["file"] for entry in reports.entries()[::15])]


def _read(text: str, folder: Path) -> AssessmentResults:
    path = folder / "results.json"
    path.write_text(text, "utf-8")
    found: AssessmentResults = AssessmentResults.oscal_read(path)
    return found


def _all(value: Any, name: str) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == name:
                yield item
            yield from _all(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _all(item, name)


@pytest.mark.parametrize("name", SOME)
def test_the_document_is_valid_by_compliance_trestle(name: str, tmp_path: Path) -> None:
    report = reports.judged(name)
    found = _read(render(report, "oscal"), tmp_path)
    assert AllValidator().model_is_valid(found, True, None)
    assert len(found.results) == len(report.choices.controls)
    assert sum(len(result.findings or []) for result in found.results) == len(report.controls)
    assert found.metadata.oscal_version.model_dump() == OSCAL_VERSION


def test_the_validator_would_tell(tmp_path: Path) -> None:
    text = render(reports.judged(GOOD), "oscal")
    first, second, *_ = dict.fromkeys(re.findall(r'"uuid": "([0-9a-f-]{36})"', text))
    assert not AllValidator().model_is_valid(_read(text.replace(second, first), tmp_path), True, None)


def test_every_answer_stands_in_it_as_what_it_is(tmp_path: Path) -> None:
    report = reports.judged(GOOD)
    data = json.loads(render(report, "oscal"))["assessment-results"]
    states = {
        finding["title"].partition(": ")[2].partition(" ")[0]: finding["target"]["status"]
        for result in data["results"][6:7]
        for finding in result["findings"]
    }
    answers = {one.control: str(one.answer) for one in report.controls if one.framework == "nist-800-53-r5"}
    expected = {"PASS": ("satisfied", "pass"), "FAIL": ("not-satisfied", "fail")}
    for control, answer in answers.items():
        state = states[control]
        assert (state["state"], state["reason"]) == expected.get(answer, ("not-satisfied", "other")), control
    satisfied = [f for f in _all(data, "findings") for f in f if f["target"]["status"]["state"] == "satisfied"]
    assert satisfied
    assert all(finding["description"].startswith("provides evidence for it: ") for finding in satisfied)
    assert all(finding["target"]["remarks"].startswith("Not covered: ") for finding in satisfied)


def test_the_same_report_gives_the_same_document_and_another_gives_other_uuids() -> None:
    report = reports.judged(GOOD)
    text = render(report, "oscal")
    assert text == render(report, "oscal")
    uuids = set(re.findall(r'"uuid": "([0-9a-f-]{36})"', text))
    assert all(one[14] == "5" for one in uuids)
    other = replace(report, choices=replace(report.choices, now="2026-11-30T07:00:01.000000Z"))
    assert not uuids & set(re.findall(r'"uuid": "([0-9a-f-]{36})"', render(other, "oscal")))


def test_every_time_in_it_is_the_reports_own() -> None:
    data = json.loads(render(reports.judged(GOOD), "oscal"))
    times = {time for name in ("start", "end", "collected", "last-modified") for time in _all(data, name)}
    assert times == {reports.NOW}


def test_a_name_in_the_log_cannot_break_it(tmp_path: Path) -> None:
    report = reports.judged(BAD)
    hostile = "a\u202eb\x1b[31m\ud800"
    findings = tuple(replace(one, because=hostile, source=hostile) for one in report.findings)
    controls = tuple(
        replace(one, findings=tuple(replace(f, because=hostile) for f in one.findings), reasons=(hostile,))
        for one in report.controls
    )
    inputs = (replace(report.inputs[0], path=hostile, error=hostile),)
    text = render(replace(report, findings=findings, controls=controls, inputs=inputs), "oscal")
    assert AllValidator().model_is_valid(_read(text, tmp_path), True, None)
    assert "\\u202e" not in text.replace("\\\\u202e", "")
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)


def _without(report: Report, **choices: Any) -> Report:
    return replace(report, choices=replace(report.choices, **choices))


def test_without_controls_or_a_time_there_is_no_document() -> None:
    report = reports.judged(GOOD)
    with pytest.raises(OscalError, match="give --controls FRAMEWORK"):
        render(replace(report, controls=()), "oscal")
    with pytest.raises(OscalError, match="give --now TIME"):
        render(_without(report, now=""), "oscal")


def test_the_command_writes_it_and_tells_what_is_missing_before_it_judges(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "controls.json"
    command = ["certify", "--no-config", "fixtures/demo/good.jsonl", "--output", f"oscal={path}"]
    for rest, says in ([], "--controls FRAMEWORK"), (["--controls", "aisvs-1.0"], "--now TIME"):
        done = run_cli(*command, *rest)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
        assert not path.exists()
    done = run_cli(*command, "--controls", "aisvs-1.0", "--now", "2026-11-30T07:00:00Z")
    assert done.returncode == 0, done.output
    assert AllValidator().model_is_valid(AssessmentResults.oscal_read(path), True, None)


def test_other_formats_say_how_many_controls_got_which_answer() -> None:
    report = reports.judged(BAD)
    answers = [str(one.answer) for one in report.controls if one.framework == "iso-42001-2023"]
    told = ", ".join(f"{answers.count(word)} {word}" for word in ("PASS", "FAIL", "NOT ASSESSABLE"))
    assert f"Controls of iso-42001-2023: {told}\n" in render(report, "text")
    assert f"Controls of iso-42001-2023: {told}" in render(report, "html")
    assert f"- controls of iso-42001-2023: {told}\n" in render(report, "markdown")
    data = json.loads(render(report, "json"))
    assert data["choices"]["controls"] == list(report.choices.controls)
    assert [one["answer"] for one in data["controls"] if one["framework"] == "iso-42001-2023"] == answers


@pytest.mark.parametrize("path", ["agent-saga/agentkit.wal", "agentic-saga/lost-response.json"])
def test_a_log_of_another_project_is_answered_as_far_as_its_format_goes(
    path: str, inputs_dir: Path, tmp_path: Path
) -> None:
    if not (inputs_dir / path).is_file():
        pytest.skip(f"no {path} here: set AGENT_SAGA_INPUTS to a folder that has it")
    choices = Choices(controls=framework_ids(), now=reports.NOW)
    report = certify([str(inputs_dir / path)], Options(choices=choices))
    found = _read(render(report, "oscal"), tmp_path)
    assert AllValidator().model_is_valid(found, True, None)
    silent = set(report.inputs[0].not_assessable)
    assert silent
    for one in report.controls:
        if silent & set(one.rules):
            assert one.answer is not Answer.PASS, one
