"""A plain value for what a schema demands: an ordinary call, before anything is tried at its edges."""

from collections.abc import Mapping
from typing import Any, Final

from agent_saga.policies.cel import types
from agent_saga.policies.sampling.neighbours import NOON
from agent_saga.policies.sampling.schemas import Schema, member

_PLAIN: Final[dict[Any, Any]] = {
    types.BOOL: False,
    types.INT: 1,
    types.DOUBLE: 1.0,
    types.STRING: "x",
    types.TIMESTAMP: f"{NOON:%Y-%m-%dT%H:%M:%S}.000000Z",
}
CURRENCY: Final = "EUR"
"""Of an amount whose schema names no currency."""

Path = tuple[str, ...]


def plain(kind: Any, root: Schema, path: Path = ()) -> Any:
    """A value of a type: one that the schema names where it names any, else the least that fits the type.

    root: the schema of the tool's arguments. path: of the value in it.
    """
    schema = member(root, path)
    named = named_values(schema)
    if named:
        return named[0]
    if isinstance(kind, types.ObjectType):
        wanted = {name: field.type for name, field in kind.fields.items() if field.required}
        return {name: plain(inner, root, (*path, name)) for name, inner in wanted.items()}
    if isinstance(kind, types.ListType):
        return []
    if isinstance(kind, types.MapType):
        return {}
    if kind == types.STRING and path[-1:] == ("currency",):
        return CURRENCY
    value = _PLAIN.get(kind)
    return _bounded(value, schema) if isinstance(value, int | float) and not isinstance(value, bool) else value


def completed(value: Any, kind: Any, root: Schema, path: Path = ()) -> Any:
    """The value with what its type requires, where it is missing."""
    if not isinstance(kind, types.ObjectType) or not isinstance(value, dict):
        return value
    found = dict(value)
    for name, field in kind.fields.items():
        if name in found:
            found[name] = completed(found[name], field.type, root, (*path, name))
        elif field.required:
            found[name] = plain(field.type, root, (*path, name))
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
