"""Puts known values into a condition and folds what follows from them, without ever changing what it means.

What cannot be folded stays: a part that would raise an error, and ``true && x`` where x might be no bool.

Source: docs/spec/policy-cel-v1.md, "Specialising"; CEL language definition, "Logical Operators".
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.functions import METHODS, function_of
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.operators import BINARY, COMPARISONS, look_up, negate
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select
from agent_saga.policies.cel.values import KINDS, conceals

_CONSTANTS: Final = (bool, int, float, str, bytes, type(None))
_UNKNOWN: Final = object()
_BOOLEAN: Final = frozenset({"!", "&&", "||", "==", "!=", "in", *COMPARISONS})
_TESTS: Final = frozenset({"startsWith", "endsWith", "contains"} & METHODS.keys())


def specialise(tree: Expression, values: Mapping[str, Any]) -> Expression:
    """The condition for calls of which these variables are known.

    values: bool, int, float, str, bytes, None, and lists and maps (string keys) of them. The result has the same value,
    or error, as the tree for every call that agrees with them, and names none of them where they are scalars.
    """
    return _Folder(values).fold(tree)


class _Folder:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def fold(self, tree: Expression) -> Expression:
        match tree:
            case Literal():
                return tree
            case Name(name):
                return _spelled(self.values[name], tree) if name in self.values else tree
            case Select():
                return self.select(tree)
            case Index():
                return self.index(replace(tree, of=self.fold(tree.of), index=self.fold(tree.index)))
            case ListOf(items):
                return replace(tree, items=tuple(map(self.fold, items)))
            case MapOf(entries):
                return replace(tree, entries=tuple((self.fold(key), self.fold(value)) for key, value in entries))
            case Call():
                return self.call(tree)

    def known(self, tree: Expression) -> Any:
        """The value of a path of known variables; _UNKNOWN for any other part, and where the path leads nowhere."""
        if isinstance(tree, Name):
            return self.values.get(tree.name, _UNKNOWN)
        if isinstance(tree, Select) and not tree.test:
            whole = self.known(tree.of)
            if isinstance(whole, Mapping) and not conceals(whole):
                return whole.get(tree.field, _UNKNOWN)
        return _UNKNOWN

    def select(self, tree: Select) -> Expression:
        whole = self.known(tree.of)
        if isinstance(whole, Mapping) and not conceals(whole):
            if tree.test:
                return Literal(tree.field in whole, tree.at)
            if tree.field in whole:
                return _spelled(whole[tree.field], tree)
        return replace(tree, of=self.fold(tree.of))

    def index(self, tree: Index) -> Expression:
        whole, key = _constant(tree.of), _constant(tree.index)
        if whole is _UNKNOWN or key is _UNKNOWN:
            return tree
        try:
            return _spelled(look_up(whole, key), tree)
        except Undefined:
            return tree

    def call(self, tree: Call) -> Expression:
        if tree.name in ("&&", "||"):
            return self.logic(tree, tree.name == "||")
        if tree.name == "?:":
            return self.conditional(tree)
        folded = replace(tree, args=tuple(map(self.fold, tree.args)))
        args = [_constant(arg) for arg in folded.args]
        if _UNKNOWN in args:
            return folded
        try:
            made = _apply(folded, args)
        except Undefined:
            return folded
        return Literal(made, tree.at) if _is_constant(made) else folded

    def logic(self, tree: Call, decides: bool) -> Expression:
        """A part that decides is the answer, whatever the others are; a part that never can is left out."""
        parts: list[Expression] = []
        for arg in tree.args:
            part = self.fold(arg)
            if isinstance(part, Literal) and part.value is decides:
                return Literal(decides, tree.at)
            if not (isinstance(part, Literal) and part.value is (not decides)):
                parts.extend(part.args if isinstance(part, Call) and part.name == tree.name else [part])
        if not parts:
            return Literal(not decides, tree.at)
        if len(parts) > 1:
            return replace(tree, args=tuple(parts))
        if is_boolean(parts[0]):
            return parts[0]
        return replace(tree, args=(Literal(not decides, tree.at), parts[0]))

    def conditional(self, tree: Call) -> Expression:
        test = self.fold(tree.args[0])
        if isinstance(test, Literal) and isinstance(test.value, bool):
            return self.fold(tree.args[1 if test.value else 2])
        return replace(tree, args=(test, self.fold(tree.args[1]), self.fold(tree.args[2])))


def is_boolean(tree: Expression) -> bool:
    """Whether the form alone says that the value is a bool, if there is one."""
    match tree:
        case Literal(value):
            return isinstance(value, bool)
        case Select():
            return tree.test
        case Call("?:", (_, then, otherwise)):
            return is_boolean(then) and is_boolean(otherwise)
        case Call():
            return tree.name in (_TESTS if tree.receiver else _BOOLEAN)
        case _:
            return False


def _apply(tree: Call, args: list[Any]) -> Any:
    """The value of a strict operator or function. Raises Undefined where it has none."""
    if tree.name == "!":
        if isinstance(args[0], bool):
            return not args[0]
        raise Undefined("no bool")
    if tree.name == "-_":
        return negate(args[0])
    if tree.name in BINARY and not tree.receiver:
        return BINARY[tree.name](*args)
    function = function_of(tree.name, tree.receiver, len(args))
    if function is None:
        raise Undefined("no such function")
    return function(*args)


def _spelled(value: Any, instead: Expression) -> Expression:
    """A known value as constants of the syntax; the part itself where it has no such form."""
    if _is_constant(value):
        return Literal(value, instead.at)
    kind = None if conceals(value) else KINDS.get(type(value))
    if kind == "list":
        items = tuple(_spelled(item, instead) for item in value)
        return instead if instead in items else ListOf(items, instead.at)
    if kind == "map":
        entries = tuple((Literal(name, instead.at), _spelled(item, instead)) for name, item in value.items())
        return instead if any(item == instead for _, item in entries) else MapOf(entries, instead.at)
    return instead


def _is_constant(value: Any) -> bool:
    """Whether a literal can stand for the value: no infinity, no integer beyond 64 bits."""
    if type(value) is float:
        return math.isfinite(value)
    return type(value) in _CONSTANTS and (type(value) is not int or MIN_INT <= value <= MAX_INT)


def _constant(tree: Expression) -> Any:
    """The value of a part made of constants alone; _UNKNOWN for any other."""
    if isinstance(tree, Literal):
        return tree.value
    if isinstance(tree, ListOf):
        items = [_constant(item) for item in tree.items]
        return _UNKNOWN if any(item is _UNKNOWN for item in items) else items
    if isinstance(tree, MapOf):
        made = {_constant(key): _constant(value) for key, value in tree.entries if isinstance(key, Literal)}
        strange = any(value is _UNKNOWN for value in made.values()) or not all(isinstance(key, str) for key in made)
        return _UNKNOWN if strange or len(made) != len(tree.entries) else made
    return _UNKNOWN
