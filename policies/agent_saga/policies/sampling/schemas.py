"""The schema of one argument inside a tool's schema, with references followed as the type checker follows them.

Source: docs/spec/policy-v1.md, "Arguments".
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

MOST: Final = 32
"""References that are followed one behind the other."""

Schema = Mapping[str, Any]


def member(root: Schema, path: Sequence[str]) -> Schema:
    """The schema of an argument by its path below ``args``; {} where there is none."""
    found = resolved(root, root)
    for name in path:
        properties = found.get("properties")
        inner = properties.get(name) if isinstance(properties, Mapping) else None
        inner = found.get("additionalProperties") if inner is None and not properties else inner
        found = resolved(root, inner)
    return found


def resolved(root: Schema, schema: Any) -> Schema:
    """A schema without the references and single cases that stand for it."""
    for _ in range(MOST):
        if not isinstance(schema, Mapping):
            return {}
        step = _step(root, schema)
        if step is None:
            return schema
        schema = step
    return {}


def _step(root: Schema, schema: Schema) -> Any:
    if isinstance(schema.get("$ref"), str):
        return _target(root, schema["$ref"])
    for word in ("allOf", "anyOf"):
        cases = schema.get(word)
        if isinstance(cases, list):
            real = [one for one in cases if not (isinstance(one, Mapping) and one.get("type") == "null")]
            return real[0] if len(real) == 1 else {}
    return None


def _target(root: Schema, ref: str) -> Any:
    found: Any = root
    for part in ref.removeprefix("#").split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if ref.startswith("#/") else {}
