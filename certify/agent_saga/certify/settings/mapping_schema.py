"""The published JSON Schema of a mapping file: which calls of a Temporal workflow are effects, and their undos.

It is made from the words that the importer itself checks by; what only the whole file shows (that an undo is named
by a call) the importer says.

Source: docs/sources/temporal.md; JSON Schema draft 2020-12.
"""

from typing import Any

from agent_saga.certify.importers.temporal.mapping import CLASSES, COMPLETED, SECTIONS

_POINTER = {"type": "string", "pattern": "^(/[^/]*)+$"}
_CURRENCY = {"type": "string", "pattern": "^((/[^/]*)+|[A-Z]{3})$"}


def json_schema() -> dict[str, Any]:
    """JSON Schema of a mapping file, of its TOML as of its JSON."""
    table = {"type": "object", "additionalProperties": _call()}
    completed = {
        "enum": list(COMPLETED),
        "description": "How a workflow is read that completed after an undo.",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:agent-saga:mapping:v1",
        "title": "A mapping of agent-saga for Temporal histories",
        "type": "object",
        "additionalProperties": False,
        "properties": {"completed": completed, **dict.fromkeys(SECTIONS, table)},
    }


def _call() -> dict[str, Any]:
    """One call. A reversible or compensable one names its undo; only an undo is matched."""
    members: dict[str, Any] = {
        "class": {"enum": list(CLASSES)},
        "undo": {"type": "string", "description": "The call that undoes this one."},
        "amount": _pair("minor", "currency", _CURRENCY),
        "match": _pair("undo", "effect", {"type": "string", "pattern": "^(/args/|/result)"}),
        "idempotent": {"type": "boolean"},
        "failure_is_proof": {"type": "boolean"},
    }
    undoable = {"properties": {"class": {"enum": ["reversible", "compensable"]}}}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["class"],
        "properties": members,
        "if": undoable,
        "then": {"required": ["undo"]},
        "else": {"properties": {"undo": False}},
    }


def _pair(first: str, second: str, form: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [first, second],
        "properties": {first: _POINTER, second: form},
    }
