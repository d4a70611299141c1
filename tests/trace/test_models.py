"""The pydantic models, the published JSON Schema and the codec are one description of the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from bad_lines import AS102, AS103, bytes_of
from pydantic import ValidationError
from trace_samples import good_lines

from agent_saga.trace import EVENT_TYPES
from agent_saga.trace.models import SCHEMA_ID, json_schema, line_adapter, model_of

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "spec" / "trace-v1.schema.json"
# What the schema cannot say, and the models either: which saga a type may stand in.
PLACES = {"saga line in the saga log", "log line in a saga"}
# What the schema cannot say alone: what stands inside payloads, and the end of a string before a line feed.
BEYOND = PLACES | {name for name in AS102 if name.startswith("concealed")} | {"effect ending in a line feed"}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def test_the_published_schema_is_the_one_of_the_models() -> None:
    assert json.loads(SCHEMA.read_text("utf-8")) == json_schema(), "run python tests/trace/make_spec.py"


def test_the_schema_is_a_schema_with_every_type() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == SCHEMA_ID
    assert len(schema["oneOf"]) == len(EVENT_TYPES)


@pytest.mark.parametrize("line", good_lines(), ids=lambda line: json.loads(line)["type"])
def test_a_good_line_satisfies_models_and_schema(line: bytes, validator: jsonschema.Draft202012Validator) -> None:
    assert line_adapter().validate_json(line)
    validator.validate(json.loads(line))


@pytest.mark.parametrize("name", sorted({**AS102, **AS103}.keys() - PLACES))
def test_a_line_with_wrong_members_satisfies_neither(name: str, validator: jsonschema.Draft202012Validator) -> None:
    record: Any = json.loads(bytes_of({**AS102, **AS103}[name]))
    with pytest.raises(ValidationError):
        line_adapter().validate_json(json.dumps(record))
    if name not in BEYOND:
        assert not validator.is_valid(record)


def test_an_optional_member_is_absent_and_never_null(validator: jsonschema.Draft202012Validator) -> None:
    for line in good_lines():
        record = json.loads(line)
        model = model_of(EVENT_TYPES[record["type"]])
        for name, field in model.model_fields.items():
            hint = str(field.annotation)
            if not field.is_required() and name in record and "Any" not in hint:
                assert not validator.is_valid(record | {name: None}), f"{record['type']}.{name} may be null"
