"""JSON Schemas of arguments as types of conditions: what has one type has it, what has none says why."""

from __future__ import annotations

from typing import Any

import pytest

from agent_saga.policies.arguments import NotTyped, arguments_of, type_of
from agent_saga.policies.cel.types import BOOL, DOUBLE, INT, STRING, Field, ListType, MapType, ObjectType, Type


def member(schema: Any, required: bool = True, **more: Any) -> Field:
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"] if required else []} | more
    return type_of(whole).fields["x"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, STRING),
        ({"type": "string", "format": "date-time"}, STRING),
        ({"type": "integer", "minimum": 0}, INT),
        ({"type": "number"}, DOUBLE),
        ({"type": "boolean"}, BOOL),
        ({"enum": ["a", "b"]}, STRING),
        ({"const": 5}, INT),
        ({"const": True}, BOOL),
        ({"type": "array", "items": {"type": "integer"}}, ListType(INT)),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, MapType(BOOL)),
        ({"type": "object"}, ObjectType({}, open=True)),
        ({"type": "object", "additionalProperties": False}, ObjectType({}, open=False)),
        ({"properties": {"y": {"type": "string"}}}, ObjectType({"y": Field(STRING, False)}, open=True)),
        ({"allOf": [{"type": "string"}]}, STRING),
        ({"$ref": "#/$defs/a~1b"}, INT),
    ],
)
def test_what_has_one_type_has_it(schema: Any, expected: Type) -> None:
    found = member(schema, **{"$defs": {"a/b": {"type": "integer"}}})
    assert found == Field(expected, True)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"enum": [1, 2, None]},
    ],
)
def test_what_may_be_null_is_what_may_be_absent(schema: Any) -> None:
    assert member(schema) == Field(INT, False)


def test_what_is_not_required_may_be_absent() -> None:
    assert member({"type": "integer"}, required=False) == Field(INT, False)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "says nothing of its type"),
        (True, "says nothing of its type"),
        ({"type": "null"}, "says nothing of its type"),
        ({"type": ["string", "integer"]}, "several types: integer, string"),
        ({"enum": ["a", 1]}, "several types: integer, string"),
        ({"oneOf": [{"type": "string"}]}, "uses oneOf"),
        ({"not": {"type": "string"}}, "uses not"),
        ({"type": "object", "patternProperties": {"^a": {"type": "string"}}}, "uses patternProperties"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "anyOf of 2 cases"),
        ({"type": "array"}, "an array without items"),
        ({"$ref": "#/$defs/loop"}, "refers to itself"),
        ({"$ref": "#/$defs/none"}, "says nothing of its type"),
    ],
)
def test_what_has_none_is_a_gap_that_says_why(schema: Any, words: str) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "$defs": {"loop": {"$ref": "#/$defs/loop"}}}
    found = arguments_of(whole)
    assert found.type.fields == {}
    assert words in found.gaps[("x",)]


def test_a_gap_far_below_leaves_what_is_beside_it() -> None:
    inner = {"type": "object", "properties": {"good": {"type": "string"}, "bad": {}}}
    found = arguments_of({"type": "object", "properties": {"list": {"type": "array", "items": inner}}})
    assert found.type.fields["list"].type == ListType(ObjectType({"good": Field(STRING, False)}, open=True))
    assert [*found.gaps] == [("list", "[]", "bad")]


@pytest.mark.parametrize("schema", [{"type": "string"}, {}, {"type": "array", "items": {"type": "string"}}])
def test_arguments_that_are_no_object_are_refused(schema: Any) -> None:
    with pytest.raises(NotTyped):
        type_of(schema)
