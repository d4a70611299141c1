"""Whether the arguments of a call have the types that the conditions for its tool were checked against.

To CEL ``["KP"] == "KP"`` is false and no error, so an argument of another type than its schema says would slip past a
rule that denies; and so would ``null``, where the schema requires a value. Only what the conditions read is looked at;
what is missing or concealed, and null where a value may be absent, is theirs to judge.

Source: docs/spec/policy-v1.md, "Deciding"; CEL language definition, "Equality".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from agent_saga.policies.arguments import type_of
from agent_saga.policies.cel.syntax import Expression, Index, Literal, Name, Select, parts_of
from agent_saga.policies.cel.types import (
    BOOL,
    DOUBLE,
    INT,
    STRING,
    Field,
    ListType,
    MapType,
    ObjectType,
    Scalar,
    Type,
)
from agent_saga.trace.printing import visible
from agent_saga.trace.values import is_concealed

Fits = Callable[[Mapping[str, Any]], str]
"""Says of arguments what does not fit; "" when all does."""
_SCALARS: Final[Mapping[Type, tuple[type, ...]]] = {BOOL: (bool,), INT: (int,), DOUBLE: (int, float), STRING: (str,)}


def fitting(schema: Mapping[str, Any] | None, trees: Iterable[Expression], root: str = "args") -> Fits | None:
    """What checks the arguments of a tool; None where there is nothing to check.

    schema: of its arguments. trees: the conditions, and other expressions, that are asked for its calls. root: the
    variable of theirs that holds the arguments.
    """
    named = {path for tree in trees for path in _paths(tree, root)}
    if schema is None or not named:
        return None
    whole = Field(type_of(schema), required=True)
    known = [(path, found) for path in sorted(named) if (found := _field_at(whole, path)) is not None]
    checks = [(path, _kinds(wanted.type), wanted) for path, wanted in known]

    def unfit(args: Mapping[str, Any]) -> str:
        for path, kinds, wanted in checks:
            value: Any = args
            try:
                for name in path:
                    value = value[name]
            except (KeyError, TypeError, IndexError):
                value = None
            if type(value) not in kinds and (words := _unfit(args, path, wanted, root)):
                return words
        return ""

    return unfit


def _paths(tree: Expression, root: str) -> Iterator[tuple[str, ...]]:
    """The names behind every root as far as they are known: of ``args.a["b"]`` a and b, of ``args`` none."""
    names: list[str] = []
    part = tree
    while isinstance(part, Select | Index):
        name = part.field if isinstance(part, Select) else part.index.value if isinstance(part.index, Literal) else None
        if not isinstance(name, str):
            break
        names.append(name)
        part = part.of
    if isinstance(part, Name):
        if part.name == root:
            yield tuple(reversed(names))
        return
    for inner in parts_of(part):
        yield from _paths(inner, root)


def _kinds(wanted: Type) -> tuple[type, ...]:
    """What a value of this type is in Python, where one look tells."""
    return _SCALARS.get(wanted, ()) if isinstance(wanted, Scalar) else ()


def _field_at(found: Field, path: tuple[str, ...]) -> Field | None:
    """What stands at a path: of a map's values under any name, none of which is required."""
    for name in path:
        if isinstance(found.type, MapType):
            found = Field(found.type.value, required=False)
        elif isinstance(found.type, ObjectType) and name in found.type.fields:
            found = found.type.fields[name]
        else:
            return None
    return found


def _unfit(value: Any, path: tuple[str, ...], wanted: Field, root: str) -> str:
    for depth, name in enumerate(path):
        if value is None or is_concealed(value):
            return ""
        if not isinstance(value, Mapping):
            return _words((root, *path[:depth]), value, "object")
        if name not in value:
            return ""
        value = value[name]
    return "" if _fits(value, wanted) else _words((root, *path), value, str(wanted.type))


def _words(path: tuple[str, ...], value: Any, wanted: str) -> str:
    where = ".".join(path)
    found = "null" if value is None else f"of the type {type(value).__name__}"
    return f"{visible(where)[:200]} is {found}; its schema says {wanted}"


def _fits(value: Any, field: Field) -> bool:
    if value is None or is_concealed(value):
        return value is not None or not field.required
    wanted = field.type
    if isinstance(wanted, ListType):
        return isinstance(value, list | tuple) and all(_fits(one, Field(wanted.item, False)) for one in value)
    if isinstance(wanted, MapType):
        return isinstance(value, Mapping) and all(_fits(one, Field(wanted.value, False)) for one in value.values())
    if isinstance(wanted, ObjectType):
        return isinstance(value, Mapping) and all(
            _fits(value[name], inner) for name, inner in wanted.fields.items() if name in value
        )
    return type(value) in _SCALARS.get(wanted, (type(value),))
