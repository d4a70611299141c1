"""Whether the arguments of a call have the types that the conditions for its tool were checked against.

To CEL ``["KP"] == "KP"`` is false and no error, so an argument of another type than its schema says would slip past a
rule that denies. Only what the conditions read is looked at; what is missing, null or concealed is theirs to judge.

Source: docs/spec/policy-v1.md, "Deciding"; CEL language definition, "Equality".
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agent_saga.policies.arguments import type_of
from agent_saga.policies.cel.syntax import Expression, Name, Select
from agent_saga.policies.cel.types import BOOL, DOUBLE, INT, STRING, ListType, MapType, ObjectType, Type
from agent_saga.policies.cel.walking import paths
from agent_saga.trace.printing import visible
from agent_saga.trace.values import is_concealed

Fits = Callable[[Mapping[str, Any]], str]
"""Says of arguments what does not fit; "" when all does."""
_SCALARS: Final[Mapping[Type, tuple[type, ...]]] = {BOOL: (bool,), INT: (int,), DOUBLE: (int, float), STRING: (str,)}


def fitting(schema: Mapping[str, Any] | None, trees: Iterable[Expression]) -> Fits | None:
    """What checks the arguments of a tool; None where there is nothing to check.

    schema: of its arguments. trees: the conditions, and other expressions, that are asked for its calls.
    """
    named = {path for tree in trees for part in paths(tree) if (path := _path(part))}
    if schema is None or not named:
        return None
    whole = type_of(schema)
    known = [(path, found) for path in sorted(named) if (found := _type_at(whole, path)) is not None]
    checks = [(path, _SCALARS.get(wanted, ()), wanted) for path, wanted in known]

    def unfit(args: Mapping[str, Any]) -> str:
        for path, kinds, wanted in checks:
            value: Any = args
            try:
                for name in path:
                    value = value[name]
            except (KeyError, TypeError, IndexError):
                value = None
            if type(value) not in kinds and (words := _unfit(args, path, wanted)):
                return words
        return ""

    return unfit


def _path(part: Expression) -> tuple[str, ...]:
    """The names behind ``args``; () for anything else."""
    names: list[str] = []
    while isinstance(part, Select):
        names.append(part.field)
        part = part.of
    return tuple(reversed(names)) if isinstance(part, Name) and part.name == "args" else ()


def _type_at(whole: Type, path: tuple[str, ...]) -> Type | None:
    """The type at a path; of a map's values under any name."""
    for name in path:
        if isinstance(whole, MapType):
            whole = whole.value
        elif isinstance(whole, ObjectType) and name in whole.fields:
            whole = whole.fields[name].type
        else:
            return None
    return whole


def _unfit(value: Any, path: tuple[str, ...], wanted: Type) -> str:
    for depth, name in enumerate(path):
        if value is None or is_concealed(value):
            return ""
        if not isinstance(value, Mapping):
            return _words(path[:depth], value, "object")
        if name not in value:
            return ""
        value = value[name]
    return "" if _fits(value, wanted) else _words(path, value, str(wanted))


def _words(path: tuple[str, ...], value: Any, wanted: str) -> str:
    where = ".".join(("args", *path))
    return f"{visible(where)[:200]} is of the type {type(value).__name__}; its schema says {wanted}"


def _fits(value: Any, wanted: Type) -> bool:
    if value is None or is_concealed(value):
        return True
    if isinstance(wanted, ListType):
        return isinstance(value, list | tuple) and all(_fits(one, wanted.item) for one in value)
    if isinstance(wanted, MapType):
        return isinstance(value, Mapping) and all(_fits(one, wanted.value) for one in value.values())
    if isinstance(wanted, ObjectType):
        return isinstance(value, Mapping) and all(
            _fits(value[name], field.type) for name, field in wanted.fields.items() if name in value
        )
    return type(value) in _SCALARS.get(wanted, (type(value),))
