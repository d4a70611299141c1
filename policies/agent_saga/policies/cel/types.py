"""The types of conditions and of the variables they name.

There is no type for "anything": what has no type cannot be used, so every mistake shows when a policy loads.

Source: docs/spec/policy-cel-v1.md, "Types".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type without parts."""

    name: str

    def __str__(self) -> str:
        return self.name


BOOL: Final = Scalar("bool")
INT: Final = Scalar("int")
DOUBLE: Final = Scalar("double")
STRING: Final = Scalar("string")
BYTES: Final = Scalar("bytes")
NULL: Final = Scalar("null")
TIMESTAMP: Final = Scalar("timestamp")
DURATION: Final = Scalar("duration")

NUMBER: Final = Scalar("number")
"""A double as JSON writes it, so that 2.0 may stand as 2 and be an int: it compares with doubles, and ``double(...)``
makes it one. The checker gives this type to double fields by itself."""

NOTHING: Final = Scalar("nothing")
"""The type of the items of ``[]`` and ``{}``: it agrees with every other."""


@dataclass(frozen=True, slots=True)
class ListType:
    """A list whose items are all of one type."""

    item: "Type"

    def __str__(self) -> str:
        return "list" if self.item == NOTHING else f"list({self.item})"


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from string to values of one type, under keys that are not known before."""

    value: "Type"

    def __str__(self) -> str:
        return "map" if self.value == NOTHING else f"map({self.value})"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object. required: it is always there; another needs a has() guard."""

    type: "Type"
    required: bool = True


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A map whose keys are known. open: it may hold further keys, of which nothing is known and none can be used."""

    fields: Mapping[str, Field] = field(default_factory=dict)
    open: bool = False

    def __str__(self) -> str:
        return "object"


Type = Scalar | ListType | MapType | ObjectType


def words(type_: Type) -> str:
    """The type as a message names it; also ``str(type_)``."""
    return str(type_)


def from_json(type_: Type) -> Type:
    """The type of a value that was read from JSON."""
    match type_:
        case Scalar():
            return NUMBER if type_ == DOUBLE else type_
        case ListType(item):
            return ListType(from_json(item))
        case MapType(value):
            return MapType(from_json(value))
        case ObjectType():
            return type_


def joined(left: Type, right: Type) -> Type | None:
    """The one type of values that are of either; None where there is none, since nothing converts by itself."""
    if left == right or right == NOTHING:
        return left
    if left == NOTHING:
        return right
    if left in (NUMBER, DOUBLE) and right in (NUMBER, DOUBLE):
        return NUMBER
    if isinstance(left, ListType) and isinstance(right, ListType):
        item = joined(left.item, right.item)
        return None if item is None else ListType(item)
    if isinstance(left, MapType) and isinstance(right, MapType):
        value = joined(left.value, right.value)
        return None if value is None else MapType(value)
    return None
