"""SARIF validates against the OASIS schema and carries what GitHub code scanning asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from agent_saga.certify.report import Report

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


@pytest.fixture
def run(written: Callable[..., str]) -> Callable[..., Any]:
    """The single run of a report, after validation."""

    def make(report: Report | str, **options: object) -> Any:
        log = json.loads(written(report, "sarif", **options))
        VALIDATOR.validate(log)
        assert len(log["runs"]) == 1
        return log["runs"][0]

    return make


def test_every_report_validates(report: Report, run: Callable[..., Any]) -> None:
    # The schema's own validator takes seconds for each thousand results, and they are all alike.
    small = replace(report, findings=report.findings[:300])
    assert len(run(small, show_suppressed=True)["results"]) == len(small.findings) + len(small.suppressed)


def test_the_schema_is_able_to_refuse(written: Callable[..., str]) -> None:
    log = json.loads(written("rich", "sarif"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not VALIDATOR.is_valid(log)


def test_rules_have_what_github_requires(run: Callable[..., Any]) -> None:
    for rule in run("rich")["tool"]["driver"]["rules"]:
        assert rule["id"]
        assert rule["name"]
        for name in ("shortDescription", "fullDescription"):
            assert 0 < len(rule[name]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
        assert "helpUri" not in rule


def test_results_point_at_their_rule_and_line(run: Callable[..., Any]) -> None:
    found = run("rich")
    rules = found["tool"]["driver"]["rules"]
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert (
            found["artifacts"][place["artifactLocation"]["index"]]["location"]["uri"]
            == (place["artifactLocation"]["uri"])
        )


def test_the_witness_is_a_code_flow(run: Callable[..., Any]) -> None:
    (flow,) = run("rich")["results"][0]["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [9, 19]
    assert steps[0]["location"]["message"]["text"] == "effect.succeeded e2 payments.charge"


def test_fingerprints_have_no_line_and_are_unique_for_github(run: Callable[..., Any], samples: ModuleType) -> None:
    moved = replace(samples.CHARGED, witness=(replace(samples.CHARGED.witness[0], line=99),))
    marks = [r["partialFingerprints"] for r in run(replace(samples.RICH, findings=(samples.CHARGED, moved)))["results"]]
    assert marks[0]["agentSaga/v1"] == marks[1]["agentSaga/v1"] == samples.CHARGED.fingerprint
    assert [mark["primaryLocationLineHash"][-2:] for mark in marks] == [":1", ":2"]


def test_suppressed_findings_stand_in_it_on_request_only(run: Callable[..., Any]) -> None:
    assert run("suppressed")["results"] == []
    assert run("suppressed")["properties"]["suppressed"] == 2
    found = run("suppressed", show_suppressed=True)["results"]
    assert [result["suppressions"][0]["justification"] for result in found] == ["baseline", "--ignore AS108"]


def test_what_is_undecided_is_open(run: Callable[..., Any]) -> None:
    (result,) = run("undecided")["results"]
    assert (result["kind"], result["level"]) == ("open", "none")


@pytest.mark.parametrize(
    ("name", "successful", "code"),
    [("clean", True, 0), ("rich", True, 1), ("undecided", True, 3), ("nothing", False, 4), ("unreadable", False, 1)],
)
def test_the_invocation_says_how_it_ended(run: Callable[..., Any], name: str, successful: bool, code: int) -> None:
    (invocation,) = run(name)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (successful, code)
    assert bool(invocation["toolExecutionNotifications"]) is not successful


def test_paths_become_uris(run: Callable[..., Any], samples: ModuleType) -> None:
    def uri(path: str) -> Any:
        finding = replace(samples.CHARGED, source=path)
        result = run(replace(samples.RICH, findings=(finding,)))["results"][0]
        return result["locations"][0]["physicalLocation"]["artifactLocation"]

    assert uri("a b/%41?#.jsonl")["uri"] == "a%20b/%2541%3F%23.jsonl"
    assert uri("a.jsonl")["uriBaseId"] == "%SRCROOT%"
    assert uri("/logs/a.jsonl") == {"uri": "file:///logs/a.jsonl"}
    assert uri("\udcff.jsonl")["uri"] == "%FF.jsonl"
    assert uri("\ud800.jsonl")["uri"] == "%ED%A0%80.jsonl"


def test_a_value_makes_no_link_and_no_placeholder(run: Callable[..., Any]) -> None:
    text = run("hostile")["results"][0]["message"]["text"]
    assert "](" not in text
    assert "{{0}}" in text
