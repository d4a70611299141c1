"""Compiles a syntax tree into closures: no source text is made and none is evaluated.

A closure takes the variables and returns the value, or raises :class:`Undecided` for CEL's runtime errors.

Source: CEL language definition, "Evaluation" and "Logical Operators".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent_saga.policies.cel.faults import CelError, CelFault, Undecided, Undefined
from agent_saga.policies.cel.functions import function_of
from agent_saga.policies.cel.operators import BINARY, look_up, negate
from agent_saga.policies.cel.shortcuts import shortcut
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select
from agent_saga.policies.cel.text import text_of
from agent_saga.policies.cel.values import conceals, kind_of
from agent_saga.trace.values import CONCEALED_NAME

Closure = Callable[[Mapping[str, Any]], Any]


def compile_(tree: Expression, names: Sequence[str]) -> Closure:
    """The condition as a function of its variables.

    names: the variables that may occur. The function never changes its argument and raises nothing but Undecided.
    Raises CelError for a variable or function that does not exist; the checker has found those already.
    """
    return _Compiler(frozenset(names)).compile(tree)


class _Compiler:
    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def compile(self, tree: Expression) -> Closure:
        slow = self.whole(tree)
        return shortcut(tree, slow) or slow

    def whole(self, tree: Expression) -> Closure:
        """The closure that holds for every value."""
        match tree:
            case Literal(value):
                return lambda _: value
            case Name(name, at):
                return self.name(name, at)
            case Select(of, field, True, at):
                return _presence(self.compile(of), field, at, text_of(tree))
            case Select():
                return _select(self.compile(tree.of), tree.field, tree.at, text_of(tree))
            case Index():
                return _index(self.compile(tree.of), self.compile(tree.index), tree)
            case ListOf(items):
                return _list([self.compile(item) for item in items])
            case MapOf(entries):
                return _map([(self.compile(key), self.compile(value), key.at) for key, value in entries])
            case Call():
                return self.call(tree)

    def name(self, name: str, at: int) -> Closure:
        if name not in self.names:
            raise CelError((CelFault(at, f"there is no variable `{name}`"),))

        def read(values: Mapping[str, Any]) -> Any:
            if name not in values:
                raise Undecided(f"{name} is missing", at)
            value = values[name]
            if conceals(value):
                raise Undecided(f"{name} is concealed", at, concealed=True)
            return value

        return read

    def call(self, tree: Call) -> Closure:
        args = [self.compile(arg) for arg in tree.args]
        if tree.name == "&&" or tree.name == "||":
            return _logic(args, tree.name == "||", tree.at)
        if tree.name == "?:":
            return _conditional(args[0], args[1], args[2], tree.args[0].at)
        if tree.name == "!":
            return _unary(_not, args[0], tree.at)
        if tree.name == "-_":
            return _unary(negate, args[0], tree.at)
        if tree.name in BINARY and not tree.receiver:
            return _binary(BINARY[tree.name], args[0], args[1], tree.at)
        function = function_of(tree.name, tree.receiver, len(args))
        if function is None:
            raise CelError((CelFault(tree.at, f"there is no function `{tree.name}` with {len(args)} arguments"),))
        return _function(function, args, tree.at)


def _not(value: Any) -> bool:
    if value is True or value is False:
        return not value
    raise Undefined(f"`!` is for a bool, not for {kind_of(value)}")


def _unary(function: Callable[[Any], Any], operand: Closure, at: int) -> Closure:
    def apply(values: Mapping[str, Any]) -> Any:
        value = operand(values)
        try:
            return function(value)
        except Undefined as why:
            raise why.placed(at) from None

    return apply


def _binary(function: Callable[[Any, Any], Any], left: Closure, right: Closure, at: int) -> Closure:
    def apply(values: Mapping[str, Any]) -> Any:
        one, other = left(values), right(values)
        try:
            return function(one, other)
        except Undefined as why:
            raise why.placed(at) from None

    return apply


def _function(function: Callable[..., Any], args: list[Closure], at: int) -> Closure:
    def apply(values: Mapping[str, Any]) -> Any:
        found = [arg(values) for arg in args]
        try:
            return function(*found)
        except Undefined as why:
            raise why.placed(at) from None

    return apply


def _logic(parts: list[Closure], decides: bool, at: int) -> Closure:
    """``&&`` (False decides) or ``||`` (True decides): a part that decides outweighs every error of the others."""
    sign, other = ("||", False) if decides else ("&&", True)

    def apply(values: Mapping[str, Any]) -> bool:
        fault: Undecided | None = None
        try:
            for part in parts:
                try:
                    found = part(values)
                except Undecided as why:
                    fault = fault or why
                    continue
                if found is decides:
                    return bool(found)
                if found is not other:
                    fault = fault or Undecided(f"`{sign}` is for bools", at)
            if fault is not None:
                raise fault
            return other
        finally:
            fault = None  # an error knows its frame: a frame that knows the error would live until a garbage collection

    return apply


def _conditional(test: Closure, then: Closure, otherwise: Closure, at: int) -> Closure:
    def apply(values: Mapping[str, Any]) -> Any:
        found = test(values)
        if found is True:
            return then(values)
        if found is False:
            return otherwise(values)
        raise Undecided("the test before `?` is no bool", at)

    return apply


def _select(of: Closure, field: str, at: int, text: str) -> Closure:
    def apply(values: Mapping[str, Any]) -> Any:
        whole = of(values)
        _map_of(whole, text, at)
        if field in whole:
            found = whole[field]
            if conceals(found):
                raise Undecided(f"{text} is concealed", at, concealed=True)
            return found
        raise Undecided(f"{text} is missing", at)

    return apply


def _presence(of: Closure, field: str, at: int, text: str) -> Closure:
    """``has(of.field)``: a concealed value is there; whether a concealed map holds a field, nobody can tell."""

    def apply(values: Mapping[str, Any]) -> bool:
        whole = of(values)
        _map_of(whole, text, at)
        return bool(field in whole)

    return apply


def _map_of(whole: Any, text: str, at: int) -> None:
    """Pass a map. Raises Undecided for a concealed value, and for a value that has no fields."""
    try:
        kind = kind_of(whole)
    except Undefined as why:
        raise why.placed(at, text) from None
    if kind != "map":
        raise Undecided(f"{text}: {kind} has no fields", at)


def _index(of: Closure, index: Closure, tree: Index) -> Closure:
    text, at = text_of(tree), tree.at

    def apply(values: Mapping[str, Any]) -> Any:
        whole, key = of(values), index(values)
        try:
            found = look_up(whole, key)
        except Undefined as why:
            raise why.placed(at, text) from None
        if conceals(found):
            raise Undecided(f"{text} is concealed", at, concealed=True)
        return found

    return apply


def _list(items: list[Closure]) -> Closure:
    return lambda values: [item(values) for item in items]


def _map(entries: list[tuple[Closure, Closure, int]]) -> Closure:
    def apply(values: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value, at in entries:
            name = key(values)
            if type(name) is not str or name in made or name == CONCEALED_NAME:
                raise Undecided(_bad_key(name), at)
            made[name] = value(values)
        return made

    return apply


def _bad_key(name: Any) -> str:
    return f"the key {name!r:.40} stands twice" if type(name) is str else "the key of a map is no string"
