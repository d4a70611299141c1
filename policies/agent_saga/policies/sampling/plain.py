"""A plain value for what a schema demands: an ordinary call, before anything is tried at its edges."""

from collections.abc import Mapping
from typing import Any, Final

from agent_saga.policies.cel import types
from agent_saga.policies.sampling.neighbours import NOON

_PLAIN: Final[dict[Any, Any]] = {
    types.BOOL: False,
    types.INT: 1,
    types.DOUBLE: 1.0,
    types.STRING: "x",
    types.TIMESTAMP: f"{NOON:%Y-%m-%dT%H:%M:%S}.000000Z",
}


def plain(kind: Any, schema: Mapping[str, Any]) -> Any:
    """A value of a type: one that the schema names where it names any, else the least that fits the type."""
    named = named_values(schema)
    if named:
        return named[0]
    if isinstance(kind, types.ObjectType):
        inner = {name: _member(schema, name) for name in kind.fields}
        return {name: plain(field.type, inner[name]) for name, field in kind.fields.items() if field.required}
    if isinstance(kind, types.ListType):
        return []
    if isinstance(kind, types.MapType):
        return {}
    value = _PLAIN.get(kind)
    return _bounded(value, schema) if isinstance(value, int | float) and not isinstance(value, bool) else value


def completed(value: Any, kind: Any, schema: Mapping[str, Any]) -> Any:
    """The value with what its type requires, where it is missing."""
    if not isinstance(kind, types.ObjectType) or not isinstance(value, dict):
        return value
    found = dict(value)
    for name, field in kind.fields.items():
        if name in found:
            found[name] = completed(found[name], field.type, _member(schema, name))
        elif field.required:
            found[name] = plain(field.type, _member(schema, name))
    return found


def named_values(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema names: its only one, its list, its examples, its default."""
    if "const" in schema:
        return [schema["const"]]
    for word in ("enum", "examples"):
        found = schema.get(word)
        if isinstance(found, list) and found:
            return [one for one in found if one is not None]
    return [schema["default"]] if schema.get("default") is not None else []


def _bounded(value: int | float, schema: Mapping[str, Any]) -> int | float:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float) and value < least:
        return type(value)(least)
    return type(value)(most) if isinstance(most, int | float) and value > most else value


def _member(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = schema.get("properties", {}).get(name, {}) if isinstance(schema.get("properties"), Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def schema_at(schema: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    """The schema of a member, by its path; {} where there is none."""
    for name in path:
        schema = _member(schema, name)
    return schema
