"""The syntax tree of a condition. ``at`` is the offset of a part's first character in the condition's text.

Source: docs/spec/policy-cel-v1.md, "Grammar".
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: bool, int, float, str, bytes or None."""

    value: Any
    at: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Select:
    """``of.field``; with ``test``, ``has(of.field)``."""

    of: "Expression"
    field: str
    test: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Index:
    """``of[index]``."""

    of: "Expression"
    index: "Expression"
    at: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function by its name: ``&&``, ``<``, ``-_``, ``?:``, ``in``, ``size``; a receiver comes first."""

    name: str
    args: "tuple[Expression, ...]"
    receiver: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class ListOf:
    """``[a, b]``."""

    items: "tuple[Expression, ...]"
    at: int = 0


@dataclass(frozen=True, slots=True)
class MapOf:
    """``{k: v}``."""

    entries: "tuple[tuple[Expression, Expression], ...]"
    at: int = 0


Expression = Literal | Name | Select | Index | Call | ListOf | MapOf
