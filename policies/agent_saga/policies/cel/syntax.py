"""The syntax tree of a condition. ``at`` is the offset of a part's first character in the condition's text.

Two trees are equal when they say the same, wherever their parts stand. ``1``, ``1.0`` and ``true`` differ.

Source: docs/spec/policy-cel-v1.md, "Grammar".
"""

from dataclasses import dataclass
from dataclasses import field as member
from typing import Any


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: bool, int, float, str, bytes or None."""

    value: Any
    at: int = member(default=0, compare=False)

    def __eq__(self, other: object) -> bool:
        """Of one type and spelled alike, since Python holds 1 == 1.0 == True and 0.0 == -0.0."""
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and repr(self.value) == repr(other.value)


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    at: int = member(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Select:
    """``of.field``; with ``test``, ``has(of.field)``."""

    of: "Expression"
    field: str
    test: bool = False
    at: int = member(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Index:
    """``of[index]``."""

    of: "Expression"
    index: "Expression"
    at: int = member(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function by its name: ``&&``, ``<``, ``-_``, ``?:``, ``in``, ``size``; a receiver comes first.

    ``!`` and ``-_`` have one operand, ``?:`` has three, ``&&`` and ``||`` two or more (never one of their own kind),
    the other operators two.
    """

    name: str
    args: "tuple[Expression, ...]"
    receiver: bool = False
    at: int = member(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ListOf:
    """``[a, b]``."""

    items: "tuple[Expression, ...]"
    at: int = member(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class MapOf:
    """``{k: v}``."""

    entries: "tuple[tuple[Expression, Expression], ...]"
    at: int = member(default=0, compare=False)


Expression = Literal | Name | Select | Index | Call | ListOf | MapOf


def parts_of(tree: Expression) -> tuple[Expression, ...]:
    """The expressions that a part is made of, in the order of the text."""
    if isinstance(tree, Call):
        return tree.args
    if isinstance(tree, Select):
        return (tree.of,)
    if isinstance(tree, Index):
        return (tree.of, tree.index)
    if isinstance(tree, ListOf):
        return tree.items
    if isinstance(tree, MapOf):
        return tuple(part for entry in tree.entries for part in entry)
    return ()
