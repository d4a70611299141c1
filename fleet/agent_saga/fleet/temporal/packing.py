"""What a part found, as bytes and back: msgpack whose every value is held to the annotation of the field it stands in.

    ["agent-saga-part-v2", NAME, [BENCH, [MET...], LINES, ...]]   each record is the list of its fields, in their order

NAME tells the part of its job, so that none stands in another's place.

The bytes come from another machine. Nothing in them names a class or a function, so reading them runs nothing and makes
nothing but the records below; what does not fit is refused. The values that open concealed ones stay where they were.

The records are the judge's own dataclasses and named tuples: a field that is added there passes here without a word.
"""

import dataclasses
import enum
import types
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from agent_saga.approvals.schemes.evidence import Strength
from agent_saga.certify.importers import foreign_formats
from agent_saga.certify.judging.inputs import Part
from agent_saga.certify.judging.salts import Salts
from agent_saga.certify.policing.spending import Table
from agent_saga.certify.source import SourceFormat
from agent_saga.policies.model import Approve
from agent_saga.trace.conceal import Disclosures

VERSION: Final = "agent-saga-part-v2"
_CODES: Final = "lqQ"
"""What columns of numbers are made of (module array)."""

T = TypeVar("T")


class _Column(Generic[T]):
    """Stands for ``array[int]`` in annotations: the class itself takes no parameter."""


_NAMES: Final[dict[str, Any]] = {"array": _Column, "Approve": Approve, "Strength": Strength}
"""What annotations name that their modules import for type checkers only."""


class Form(NamedTuple):
    """How values of one type are written and read. read raises ValueError for what is none."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def pack(part: Part, name: str = "") -> bytes:
    """The bytes of a part. Raises TypeError, ValueError or OverflowError for what msgpack has no word for."""
    return msgspec.msgpack.encode([VERSION, name, form_of(Part).write(part)])


def unpack(data: bytes, name: str = "") -> Part:
    """The part that :func:`pack` wrote under this name. Raises ValueError for any other bytes."""
    try:
        version, found, packed = msgspec.msgpack.decode(data)
        if version != VERSION:
            raise ValueError(f"it begins with {version!r:.40}; expected {VERSION}")
        if found != name:
            raise ValueError(f"it is the part {found!r:.80}; expected {name}")
        part: Part = form_of(Part).read(packed)
        return part
    except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError, OverflowError) as fault:
        raise ValueError(str(fault)) from fault


@cache
def form_of(hint: Any) -> Form:
    """The form of a type. Raises TypeError for a type that none is known for: a fault of this module."""
    origin, args = get_origin(hint) or hint, get_args(hint)
    if hint in (bool, int, str, bytes, type(None)):
        return Form(_same, _exactly(hint))
    if origin in (Union, types.UnionType):
        return _optional(hint, args)
    if origin is Literal:
        return Form(_same, _one_of(args))
    if origin in _SPECIAL:
        return _SPECIAL[origin](*args)
    if isinstance(origin, type) and issubclass(origin, enum.Enum):
        return Form(lambda one: one.value, origin)
    if dataclasses.is_dataclass(origin) or hasattr(origin, "_fields"):
        return _record(origin)
    raise TypeError(f"no form is known for {hint}")


def _same(value: Any) -> Any:
    return value


def _exactly(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")
        return value

    return read


_LIST: Final = _exactly(list)


def _one_of(values: tuple[Any, ...]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if value not in values:
            raise ValueError(f"expected one of {values}, found {value!r:.40}")
        return value

    return read


def _optional(hint: Any, args: tuple[Any, ...]) -> Form:
    (kind,) = [one for one in args if one is not type(None)]
    if len(args) != 2:
        raise TypeError(f"no form is known for {hint}")
    form = form_of(kind)
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda value: None if value is None else form.read(value),
    )


def _record(cls: Any) -> Form:
    hints = get_type_hints(cls, localns=_NAMES)
    names = cls._fields if hasattr(cls, "_fields") else [field.name for field in dataclasses.fields(cls)]
    forms = [form_of(hints[name]) for name in names]
    writes = [(name, form.write) for name, form in zip(names, forms, strict=True)]
    reads = [form.read for form in forms]

    def read(value: Any) -> Any:
        if len(_LIST(value)) != len(reads):
            raise ValueError(f"{cls.__name__}: expected {len(reads)} fields, found {len(value)}")
        return cls(*[each(one) for each, one in zip(reads, value, strict=True)])

    return Form(lambda one: [write(getattr(one, name)) for name, write in writes], read)


def _many(make: Callable[[Iterable[Any]], Any], kind: Any) -> Form:
    form, ordered = form_of(kind), sorted if make in (set, frozenset) else iter
    return Form(
        lambda values: [form.write(one) for one in ordered(values)],
        lambda values: make([form.read(one) for one in _LIST(values)]),
    )


def _tuple(*kinds: Any) -> Form:
    if kinds[-1] is Ellipsis:
        return _many(tuple, kinds[0])
    forms = [form_of(kind) for kind in kinds]

    def read(values: Any) -> Any:
        return tuple(form.read(one) for form, one in zip(forms, _LIST(values), strict=True))

    return Form(lambda values: [form.write(one) for form, one in zip(forms, values, strict=True)], read)


def _pairs(make: Callable[[dict[Any, Any]], Any], key: Any, value: Any) -> Form:
    keys, values = form_of(key), form_of(value)

    def write(found: Mapping[Any, Any]) -> list[Any]:
        return [[keys.write(one), values.write(other)] for one, other in found.items()]

    def read(found: Any) -> Any:
        made = {keys.read(one): values.read(other) for one, other in map(_LIST, _LIST(found))}
        if len(made) != len(found):
            raise ValueError("a key stands twice")
        return make(made)

    return Form(write, read)


def _table(kind: Any) -> Form:
    form = _many(list, kind)

    def read(values: Any) -> Table[Any]:
        table: Table[Any] = Table()
        if [table.number(one) for one in form.read(values)] != list(range(len(values))):
            raise ValueError("a value of a table stands twice")
        return table

    return Form(lambda table: form.write(table.values), read)


def _column(_kind: Any) -> Form:
    def read(found: Any) -> "array[int]":
        code, numbers = _LIST(found)
        return array(_one_of(tuple(_CODES))(code), _LIST(numbers))

    return Form(lambda column: [column.typecode, column.tolist()], read)


def _salts() -> Form:
    def read(found: Any) -> Salts:
        salts = Salts()
        for texts, lines in map(_LIST, _LIST(found)):
            salts.put(_exactly(bytes)(texts), _LIST(lines))
        return salts

    return Form(lambda salts: [[texts, lines.tolist()] for texts, lines in salts.columns()], read)


def _format() -> Form:
    def read(name: Any) -> SourceFormat:
        found = [one for one in foreign_formats() if one.name == name]
        if not found:
            raise ValueError(f"no format is called {name!r:.40}")
        return found[0]

    return Form(lambda one: one.name, read)


_SPECIAL: Final[dict[Any, Callable[..., Form]]] = {
    tuple: _tuple,
    list: lambda kind: _many(list, kind),
    Sequence: lambda kind: _many(list, kind),
    set: lambda kind: _many(set, kind),
    frozenset: lambda kind: _many(frozenset, kind),
    dict: lambda key, value: _pairs(dict, key, value),
    Mapping: lambda key, value: _pairs(dict, key, value),
    Counter: lambda key: _pairs(Counter, key, int),
    Table: _table,
    _Column: _column,
    Salts: _salts,
    SourceFormat: _format,
    Disclosures: lambda: Form(lambda _: None, lambda _: Disclosures()),
}
