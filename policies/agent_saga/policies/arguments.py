"""The arguments of a tool, from their JSON Schema to the types of conditions.

``integer`` is int, ``number`` double, ``string`` string (also with a format), ``boolean`` bool; arrays with ``items``
are lists, objects with ``properties`` are objects, objects with a schema for any other name are maps. A member that may
be null is one that may be absent. What has no single type (``oneOf``, an array without ``items``, a ``$ref`` to itself)
is kept apart as a gap: a condition that uses it is a load error that says why, never a guess.

Source: docs/spec/policy-v1.md, "Arguments"; JSON Schema 2020-12.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.cel.types import (
    BOOL,
    DOUBLE,
    INT,
    STRING,
    Field,
    ListType,
    MapType,
    ObjectType,
    Type,
)

ITEM: Final = "[]"
"""Stands in a path for any item of a list, and any value of a map."""
_SCALARS: Final[Mapping[str, Type]] = {"string": STRING, "integer": INT, "number": DOUBLE, "boolean": BOOL}
_BY_KIND: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
_VAGUE: Final = ("oneOf", "not", "if", "dependentSchemas", "dependentRequired", "patternProperties", "prefixItems")
MAX_SIZE: Final = 20_000
"""Parts of a schema with its references followed: a small file could else stand for one that nobody could check."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arguments:
    """type: of ``args``. gaps: what has no type, by its path in ``args``, and why."""

    type: ObjectType
    gaps: Mapping[Path, str]


class NotTyped(Exception):
    """A part of a schema has no single type; the message says why."""


def type_of(schema: Mapping[str, Any]) -> ObjectType:
    """The type of ``args``; what has none is left out of it. Raises NotTyped when the whole is no object."""
    return arguments_of(schema).type


def arguments_of(schema: Mapping[str, Any]) -> Arguments:
    """The type of ``args`` and its gaps. Raises NotTyped when the whole is no object."""
    reader = _Reader(schema)
    try:
        if reader.size(schema, frozenset()) > MAX_SIZE:
            raise NotTyped(f"with its references followed, the schema has more than {MAX_SIZE} parts")
        found = reader.type(schema, ())
    except RecursionError as fault:
        raise NotTyped("its references lead too deep") from fault
    if not isinstance(found, ObjectType):
        raise NotTyped("the arguments of a tool are an object; expected type: object with properties")
    return Arguments(found, reader.gaps)


@dataclass
class _Reader:
    root: Mapping[str, Any]
    gaps: dict[Path, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _sizes: dict[str, int] = field(default_factory=dict)

    def size(self, schema: Any, above: frozenset[str]) -> int:
        """Parts of a schema with references followed, each of which counts as often as it is used."""
        if isinstance(schema, list):
            return 1 + sum(self.size(part, above) for part in schema)
        if not isinstance(schema, Mapping):
            return 1
        total = 1 + sum(self.size(part, above) for name, part in schema.items() if name != "$defs")
        ref = schema.get("$ref")
        if not isinstance(ref, str) or ref in above or total > MAX_SIZE:
            return total
        if ref not in self._sizes:
            self._sizes[ref] = self.size(self._target(ref), above | {ref})
        return total + self._sizes[ref]

    def type(self, schema: Any, path: Path) -> Type:
        """The type of one part. Raises NotTyped."""
        if not isinstance(schema, Mapping):
            raise NotTyped("its schema says nothing of its type")
        if "$ref" in schema:
            return self._referred(str(schema["$ref"]), path)
        vague = next((word for word in _VAGUE if word in schema), "")
        if vague:
            raise NotTyped(f"its schema uses {vague}, so that it has no single type")
        if isinstance(schema.get("allOf"), list):
            return self._only(schema["allOf"], "allOf", path)
        if isinstance(schema.get("anyOf"), list):
            return self._only([one for one in schema["anyOf"] if not _is_null(one)], "anyOf", path)
        return self._plain(schema, _word(schema), path)

    def _only(self, cases: list[Any], word: str, path: Path) -> Type:
        if len(cases) != 1:
            raise NotTyped(f"its schema uses {word} of {len(cases)} cases, so that it has no single type")
        return self.type(cases[0], path)

    def _referred(self, ref: str, path: Path) -> Type:
        if ref in self._open:
            raise NotTyped(f"its schema refers to itself ({ref[:80]}), so that it has no end")
        self._open.append(ref)
        try:
            return self.type(self._target(ref), path)
        finally:
            self._open.pop()

    def _target(self, ref: str) -> Any:
        """What a reference inside of this schema leads to; None where it leads nowhere."""
        found: Any = self.root
        for part in ref.removeprefix("#").split("/")[1:]:
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found if ref.startswith("#/") else None

    def _plain(self, schema: Mapping[str, Any], word: str, path: Path) -> Type:
        if word in _SCALARS:
            return _SCALARS[word]
        if word == "array":
            if "items" not in schema:
                raise NotTyped("its schema is an array without items")
            return ListType(self.type(schema["items"], (*path, ITEM)))
        if word == "object":
            return self._object(schema, path)
        raise NotTyped("its schema says nothing of its type")

    def _object(self, schema: Mapping[str, Any], path: Path) -> Type:
        properties, others = schema.get("properties"), schema.get("additionalProperties", True)
        if not properties and isinstance(others, Mapping):
            return MapType(self.type(others, (*path, ITEM)))
        fields = dict(self._fields(schema, properties if isinstance(properties, Mapping) else {}, path))
        return ObjectType(fields, open=others is not False)

    def _fields(
        self, schema: Mapping[str, Any], properties: Mapping[str, Any], path: Path
    ) -> Iterator[tuple[str, Field]]:
        required = schema.get("required", ())
        for name, part in properties.items():
            try:
                found = self.type(part, (*path, name))
            except NotTyped as gap:
                self.gaps[(*path, name)] = str(gap)
            else:
                yield name, Field(found, required=name in required and not _may_be_null(part))


def _word(schema: Mapping[str, Any]) -> str:
    """The one type that a schema names, null left aside; from its values where it lists them."""
    named = schema.get("type")
    words = {named} if isinstance(named, str) else set(named) if isinstance(named, list) else set()
    if not words and "const" in schema:
        words = {_BY_KIND.get(type(schema["const"]), "")}
    if not words and isinstance(schema.get("enum"), list):
        words = {_BY_KIND.get(type(one), "") for one in schema["enum"] if one is not None}
    if not words and "properties" in schema:
        words = {"object"}
    words -= {"null"}
    if len(words) > 1:
        raise NotTyped(f"its schema allows several types: {', '.join(sorted(map(str, words)))}")
    return str(next(iter(words), ""))


def _is_null(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _may_be_null(schema: Any) -> bool:
    """Whether a value may be null: to a condition it is then one that may be absent."""
    if not isinstance(schema, Mapping):
        return False
    named, cases, listed = (schema.get(word) for word in ("type", "anyOf", "enum"))
    by_type = isinstance(named, list) and "null" in named
    by_case = isinstance(cases, list) and any(map(_is_null, cases))
    return by_type or by_case or (isinstance(listed, list) and None in listed)
