"""The json report keeps to its published schema and keeps exact values."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import jsonschema
import pytest

from agent_saga.certify.outputs.json_report import SCHEMA_ID, schema
from agent_saga.certify.report import Report

SCHEMA = json.loads(schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one_and_has_the_id_that_reports_name() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == SCHEMA_ID == "urn:agent-saga:report:v1"


def test_every_report_keeps_to_the_schema(report: Report, written: Callable[..., str]) -> None:
    small = replace(report, findings=report.findings[:300])  # the others of "many" are alike, and validating is slow
    VALIDATOR.validate(json.loads(written(small, "json")))


def test_the_schema_refuses_a_report_that_lacks_a_part(written: Callable[..., str]) -> None:
    whole = json.loads(written("rich", "json"))
    for name in whole:
        part = {key: value for key, value in whole.items() if key != name}
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(part)


def test_values_are_exact_but_for_half_a_surrogate_pair(written: Callable[..., str], samples: ModuleType) -> None:
    found = json.loads(written("hostile", "json"))["findings"][0]
    assert found["because"] == samples.HOSTILE.replace("\ud800", "\\ud800")


def test_suppressed_findings_always_stand_in_it(written: Callable[..., str]) -> None:
    found = json.loads(written("suppressed", "json"))
    assert [item["suppressed_by"] for item in found["suppressed"]] == ["baseline", "--ignore AS108"]
    assert found["counts"]["suppressed"] == 2
    assert found["headline"].startswith("certified with exceptions")


def test_a_finding_without_a_line_has_null(written: Callable[..., str], samples: ModuleType) -> None:
    report = replace(samples.RICH, findings=(replace(samples.CHARGED, witness=()),))
    assert json.loads(written(report, "json"))["findings"][0]["line"] is None
