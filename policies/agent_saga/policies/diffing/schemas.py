"""Schemas compared by what they allow: what only describes is left aside."""

from collections.abc import Mapping
from typing import Any, Final

_ANNOTATIONS: Final = ("title", "description", "examples", "default", "$comment", "$id", "$schema")


def bare(schema: Any) -> Any:
    """A schema without what only describes."""
    if isinstance(schema, Mapping):
        return {name: bare(part) for name, part in schema.items() if name not in _ANNOTATIONS or _named(schema)}
    return [bare(part) for part in schema] if isinstance(schema, list | tuple) else schema


def _named(schema: Mapping[str, Any]) -> bool:
    """Whether the mapping is a list of members, whose names may be those of annotations."""
    return bool(schema) and all(isinstance(part, Mapping) for part in schema.values())
