"""The unknown call of a question to the solver: a variable for each value that the conditions read, by its path.

What the argument schema promises is taken as given: a required member is there and has its type. That is the same
promise that the type checker takes; a call that breaks it is undecidable for every rule that reads the member.
"""

from collections.abc import Mapping
from typing import Any, Final

import z3

from agent_saga.policies.cel import types
from agent_saga.policies.diffing.solving.terms import ALWAYS, INT_MAX, INT_MIN, NEVER, Unsupported, Val, either

Path = tuple[str, ...]

_SCALARS: Final = {
    types.BOOL: ("bool", z3.BoolSort()),
    types.INT: ("int", z3.IntSort()),
    types.DOUBLE: ("double", z3.RealSort()),
    types.STRING: ("string", z3.StringSort()),
    types.TIMESTAMP: ("time", z3.IntSort()),
}


_FIRST: Final = 0
_LAST: Final = 221_845_392_000 * 1_000_000
"""When calls are made, in microseconds since 1970: from then to the year 9000. Elsewhere sums of times overflow, which
is no difference that anybody would want to read of."""


class World:
    """Variables by path, the facts that hold of them, and which optional members are there."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        """names: the type of each variable of a condition, for one tool."""
        self.names = names
        self.values: dict[Path, Val] = {}
        self.present: dict[Path, Any] = {}
        self.facts: list[Any] = []
        self.opened: dict[str, str] = {}
        """Parts that have no formula, and why."""

    def name(self, name: str) -> Val:
        """A variable of the condition. Raises Unsupported for one of unknown type."""
        if name not in self.names:
            raise Unsupported(f"the variable {name}")
        return self._value((name,), self.names[name], NEVER)

    def member(self, of: Val, field: str) -> Val:
        """A member of an object or a map of the call; where it may be missing, with the formula for that."""
        if of.kind not in ("object", "map"):
            raise Unsupported(f"a member of a {of.kind}")
        path = (*of.term, field)
        kind, required = self._declared(of, field)
        missing = NEVER if required else z3.Not(self._there(path))
        return self._value(path, kind, either(of.wrong, missing))

    def has(self, of: Val, field: str) -> Val:
        """``has(of.field)``."""
        _, required = self._declared(of, field)
        return Val("bool", ALWAYS if required else self._there((*of.term, field)), of.wrong)

    def open(self, kind: str, text: str, why: str) -> Val:
        """A part that has no formula: any value, and the same one wherever the part stands."""
        self.opened[text] = why
        term = z3.Bool(f"open:{text}") if kind == "bool" else z3.Int(f"open:{text}")
        return Val(kind, term, z3.Bool(f"wrong:{text}"))

    def _declared(self, of: Val, field: str) -> tuple[Any, bool]:
        if of.kind == "map":
            return of.type.value, False
        found = of.type.fields.get(field)
        if found is None:
            raise Unsupported(f"the member {field}")
        return found.type, found.required

    def _there(self, path: Path) -> Any:
        return self.present.setdefault(path, z3.Bool(f"has:{'/'.join(path)}"))

    def _value(self, path: Path, kind: Any, wrong: Any) -> Val:
        if isinstance(kind, types.ObjectType):
            self.values[path] = Val("object", path, type=kind)
            return Val("object", path, wrong, kind)
        if isinstance(kind, types.MapType):
            self.values[path] = Val("map", path, type=kind)
            return Val("map", path, wrong, kind)
        if path not in self.values:
            self.values[path] = self._fresh(path, kind)
        known = self.values[path]
        return Val(known.kind, known.term, wrong, known.type)

    def _fresh(self, path: Path, kind: Any) -> Val:
        if isinstance(kind, types.ListType):
            item, sort = _sort(kind.item)
            return Val("list", z3.Const("/".join(path), z3.SeqSort(sort)), type=item)
        name, sort = _sort(kind)
        term = z3.Const("/".join(path), sort)
        if name == "int":
            self.facts += [term >= INT_MIN, term <= INT_MAX]
        if name == "time":  # a trace line tells microseconds
            self.facts += [term >= _FIRST, term < _LAST]
            return Val(name, term * 1000)
        return Val(name, term)


def _sort(kind: Any) -> tuple[str, Any]:
    if kind not in _SCALARS:
        raise Unsupported(f"a value of type {kind}")
    return _SCALARS[kind]
