"""Closures for what most conditions are made of: a variable or a field of it against a constant.

Each does what the general closure does, in one call instead of one a part, for the values that it expects; for any
other value it asks the general one, whose words say what is wrong.

Source: docs/spec/policy-cel-v1.md, "Evaluation"; measured by tests/bench/policies.py.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.syntax import Call, Expression, ListOf, Literal, Name, Select

Closure = Callable[[Mapping[str, Any]], Any]

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def shortcut(tree: Expression, slow: Closure) -> Closure | None:
    """A quicker closure of the same meaning; None where there is none. slow: the general closure."""
    if not isinstance(tree, Call) or tree.receiver or tree.name not in (*_COMPARE, "in"):
        return None
    path, constant = _path(tree.args[0]), tree.args[1]
    if path is None or len(path) > 3:
        return None
    if tree.name == "in":
        return _member(path, constant, slow)
    if not isinstance(constant, Literal) or type(constant.value) not in (int, str):
        return None
    if type(constant.value) is int:
        return _number(path, _COMPARE[tree.name], constant.value, slow)
    return _text(path, _COMPARE[tree.name], constant.value, slow)


def _path(tree: Expression) -> tuple[str, ...] | None:
    """``a.b.c`` as ("a", "b", "c"); None for anything else."""
    names: list[str] = []
    while isinstance(tree, Select) and not tree.test:
        names.append(tree.field)
        tree = tree.of
    return (tree.name, *reversed(names)) if isinstance(tree, Name) else None


def _reader(path: tuple[str, ...]) -> Closure:
    """Reads the path without asking what is on the way; raises KeyError or TypeError."""
    if len(path) == 1:
        return operator.itemgetter(path[0])
    first, second, *rest = path
    if not rest:
        return lambda values: values[first][second]
    third = rest[0]
    return lambda values: values[first][second][third]


def _number(path: tuple[str, ...], compare: Callable[[Any, Any], bool], constant: int, slow: Closure) -> Closure:
    """Compare an int with a constant."""
    if len(path) == 3:
        return _number_3(path, compare, constant, slow)
    read = _reader(path)

    def apply(values: Mapping[str, Any]) -> Any:
        try:
            value = read(values)
        except (KeyError, TypeError, IndexError):
            return slow(values)
        if type(value) is int and MIN_INT <= value <= MAX_INT:
            return compare(value, constant)
        return slow(values)

    return apply


def _number_3(path: tuple[str, ...], compare: Callable[[Any, Any], bool], constant: int, slow: Closure) -> Closure:
    """:func:`_number` for three names, as ``args.amount.minor``: money is what conditions ask for most."""
    first, second, third = path

    def apply(values: Mapping[str, Any]) -> Any:
        try:
            value = values[first][second][third]
        except (KeyError, TypeError, IndexError):
            return slow(values)
        if type(value) is int and MIN_INT <= value <= MAX_INT:
            return compare(value, constant)
        return slow(values)

    return apply


def _text(path: tuple[str, ...], compare: Callable[[Any, Any], bool], constant: str, slow: Closure) -> Closure:
    """Compare a string with a constant; by code points, as Python does."""
    read = _reader(path)

    def apply(values: Mapping[str, Any]) -> Any:
        try:
            value = read(values)
        except (KeyError, TypeError, IndexError):
            return slow(values)
        return compare(value, constant) if type(value) is str else slow(values)

    return apply


def _member(path: tuple[str, ...], whole: Expression, slow: Closure) -> Closure | None:
    """Look a string up among constants, in one step however many there are."""
    if not isinstance(whole, ListOf):
        return None
    if not all(isinstance(item, Literal) and type(item.value) is str for item in whole.items):
        return None
    constants = frozenset(item.value for item in whole.items if isinstance(item, Literal))
    read = _reader(path)

    def apply(values: Mapping[str, Any]) -> Any:
        try:
            value = read(values)
        except (KeyError, TypeError, IndexError):
            return slow(values)
        return value in constants if type(value) is str else slow(values)

    return apply
