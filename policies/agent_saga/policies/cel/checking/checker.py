"""The type checker: walks a condition once and gathers every fault.

Source: docs/spec/policy-cel-v1.md, "Types" and "Guards"; CEL language definition, "Gradual Type Checking".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agent_saga.policies.cel.checking.calls import call_type, constant_fault, unknown_function
from agent_saga.policies.cel.checking.guards import ALL, NONE, Facts, fact, proven, union
from agent_saga.policies.cel.checking.wording import did_you_mean, shown
from agent_saga.policies.cel.faults import CelFault
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select
from agent_saga.policies.cel.text import text_of
from agent_saga.policies.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    INT,
    NOTHING,
    NULL,
    NUMBER,
    STRING,
    Field,
    ListType,
    MapType,
    ObjectType,
    Type,
    from_json,
    joined,
    words,
)
from agent_saga.trace.values import CONCEALED_NAME

_CONSTANTS: Final[Mapping[type, Type]] = {
    bool: BOOL,
    int: INT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}

_MOST_HINTS: Final = 20
"""Faults that say what was perhaps meant; as many as fit a screen."""


def check(tree: Expression, names: Mapping[str, Type]) -> tuple[Type | None, list[CelFault]]:
    """The type of a condition, and its faults in the order of the text.

    names: the variables and their types; fields are as JSON holds them. The type is None where a fault hides it. A
    condition without faults compiles, and meets no wrong type, as long as the variables are what their types say.
    """
    checker = _Checker(names)
    found = checker.type_of(tree, NONE)
    found = DOUBLE if found == NUMBER else found
    return found, sorted(dict.fromkeys(checker.faults), key=lambda fault: fault.at)


class _Checker:
    def __init__(self, names: Mapping[str, Type]) -> None:
        self.names = names
        self.faults: list[CelFault] = []

    def fault(self, at: int, message: str) -> None:
        self.faults.append(CelFault(at, message))

    def hint(self, name: str, known: Iterable[str]) -> str:
        """What was perhaps meant; after many faults nobody reads on, and looking takes its time."""
        return did_you_mean(name, known) if len(self.faults) < _MOST_HINTS else ""

    def type_of(self, tree: Expression, facts: Facts) -> Type | None:
        """The type of a part, None where a fault hides it. facts: the fields known to be there."""
        match tree:
            case Literal(value):
                return _CONSTANTS[type(value)]
            case Name():
                return self.name(tree)
            case Select():
                return self.select(tree, facts)
            case Index():
                return self.index(tree, facts)
            case ListOf(items):
                item = self.one_type(items, "the items of a list", facts)
                return None if item is None else ListType(item)
            case MapOf(entries):
                return self.map(entries, facts)
            case Call():
                return self.call(tree, facts)

    def name(self, tree: Name) -> Type | None:
        if tree.name not in self.names:
            self.fault(tree.at, f"there is no variable `{tree.name}`{self.hint(tree.name, self.names)}")
        return self.names.get(tree.name)

    def select(self, tree: Select, facts: Facts) -> Type | None:
        whole = self.type_of(tree.of, facts)
        if whole is None:
            return BOOL if tree.test else None
        found = self.field(tree.of, whole, tree.field, tree.at)
        if tree.test:
            return BOOL
        return self.guarded(tree, (tree.of, Literal(tree.field)), found, facts)

    def field(self, of: Expression, whole: Type, name: str, at: int) -> Field | None:
        """The field of an object or a map; None, with a fault, where there is none."""
        if isinstance(whole, MapType):
            return Field(whole.value, required=False)
        if not isinstance(whole, ObjectType):
            self.fault(at, f"{shown(of)} is of type {words(whole)}, which has no fields")
            return None
        if name not in whole.fields:
            more = "is not described, so its type is unknown" if whole.open else "does not exist"
            self.fault(at, f"the field `{name}` of {shown(of)} {more}{self.hint(name, whole.fields)}")
        return whole.fields.get(name)

    def guarded(
        self, tree: Expression, where: tuple[Expression, Expression], found: Field | None, facts: Facts
    ) -> Type | None:
        """The type of a field, with a fault if nobody made sure that it is there. where: what holds it, and its key."""
        if found is None:
            return None
        if not found.required and facts is not ALL and fact(*where) not in facts:
            guard = (
                f"has({text_of(tree)})" if isinstance(tree, Select) else f"{text_of(where[1])} in {text_of(where[0])}"
            )
            self.fault(tree.at, f"{shown(tree)} may be missing; put {guard} && before it")
        return None if found.type == NOTHING else from_json(found.type)

    def index(self, tree: Index, facts: Facts) -> Type | None:
        whole, key = self.type_of(tree.of, facts), self.type_of(tree.index, facts)
        if whole is None or key is None:
            return None
        if isinstance(whole, MapType | ObjectType):
            return self.keyed(tree, whole, key, facts)
        if not isinstance(whole, ListType):
            self.fault(tree.at, f"{shown(tree.of)} is of type {words(whole)}, which has no items")
            return None
        if key != INT:
            self.fault(tree.index.at, f"the index of a list is an int, found {words(key)}")
        return None if whole.item == NOTHING else whole.item

    def keyed(self, tree: Index, whole: MapType | ObjectType, key: Type, facts: Facts) -> Type | None:
        """``whole[key]`` of a map or an object."""
        name = tree.index.value if isinstance(tree.index, Literal) else None
        if key != STRING:
            self.fault(tree.index.at, f"the key of a map is a string, found {words(key)}")
            return None
        if isinstance(whole, ObjectType) and name is None:
            self.fault(tree.index.at, f"which field of {shown(tree.of)} this is, and of what type, is not known")
            return None
        return self.guarded(tree, (tree.of, tree.index), self.field(tree.of, whole, name or "", tree.index.at), facts)

    def map(self, entries: Sequence[tuple[Expression, Expression]], facts: Facts) -> Type | None:
        seen: set[str] = set()
        for key, _ in entries:
            found = self.type_of(key, facts)
            if found is not None and found != STRING:
                self.fault(key.at, f"the keys of a map are strings, found {words(found)}")
            if isinstance(key, Literal) and isinstance(key.value, str):
                self.key(key, seen)
        value = self.one_type([value for _, value in entries], "the values of a map", facts)
        return None if value is None else MapType(value)

    def key(self, key: Literal, seen: set[str]) -> None:
        """A key that stands in the text. seen: those before it."""
        if key.value in seen:
            self.fault(key.at, f"the key {shown(key)} stands twice")
        if key.value == CONCEALED_NAME:
            self.fault(key.at, f"the key {shown(key)} stands for a concealed value")
        seen.add(key.value)

    def one_type(self, items: Sequence[Expression], what: str, facts: Facts) -> Type | None:
        """The type that all have; None, with a fault, where they differ."""
        whole: Type | None = NOTHING
        for item in items:
            found = self.type_of(item, facts)
            both = None if whole is None or found is None else joined(whole, found)
            if whole is not None and found is not None and both is None:
                self.fault(item.at, f"{what} are of one type, found {words(found)} after {words(whole)}")
            whole = both
        return whole

    def call(self, tree: Call, facts: Facts) -> Type | None:
        if not tree.receiver and tree.name in ("&&", "||"):
            return self.logic(tree, tree.name == "&&", facts)
        if not tree.receiver and tree.name == "?:":
            return self.conditional(tree, facts)
        if not tree.receiver and tree.name == "!":
            return self.boolean(tree.args[0], "`!`", facts)
        return self.strict(tree, facts)

    def boolean(self, tree: Expression, of: str, facts: Facts) -> Type:
        found = self.type_of(tree, facts)
        if found is not None and found != BOOL:
            self.fault(tree.at, f"{of} is for bools; {shown(tree)} is of type {words(found)}")
        return BOOL

    def logic(self, tree: Call, conjunction: bool, facts: Facts) -> Type:
        """Each part may rely on what those before it have proven, since it decides nothing otherwise."""
        for arg in tree.args:
            self.boolean(arg, f"`{tree.name}`", facts)
            facts = union(facts, proven(arg, conjunction))
        return BOOL

    def conditional(self, tree: Call, facts: Facts) -> Type | None:
        test, then, otherwise = tree.args
        self.boolean(test, "the test before `?`", facts)
        first = self.type_of(then, union(facts, proven(test, True)))
        second = self.type_of(otherwise, union(facts, proven(test, False)))
        if first is None or second is None:
            return None
        both = joined(first, second)
        if both is None:
            self.fault(then.at, f"the two values of `?:` are of one type, found {words(first)} and {words(second)}")
        return both

    def strict(self, tree: Call, facts: Facts) -> Type | None:
        """An operator or function that takes the values of all its arguments."""
        unknown = unknown_function(tree) if _is_function(tree) else None
        if unknown is not None:
            self.fault(tree.at, unknown)
            return None
        types = [self.type_of(arg, facts) for arg in tree.args]
        known = tuple(one for one in types if one is not None)
        if len(known) < len(types):
            return BOOL if tree.name in ("==", "!=", "in") else None
        return self.result(tree, known)

    def result(self, tree: Call, types: tuple[Type, ...]) -> Type | None:
        found = call_type(tree, types)
        if isinstance(found, str):
            self.fault(tree.at, found)
            return BOOL if tree.name in ("==", "!=", "in") else None
        if tree.name == "in" and isinstance(types[1], ObjectType) and isinstance(tree.args[0], Literal):
            self.field(tree.args[1], types[1], tree.args[0].value, tree.args[0].at)
        wrong = None if tree.name in ("==", "!=", "in") else constant_fault(tree)
        if wrong is not None:
            self.fault(wrong.at, wrong.message)
        return found


def _is_function(tree: Call) -> bool:
    """Whether it is called by a name, rather than written as an operator."""
    return tree.receiver or (tree.name[0] not in "+-*/%<>=!" and tree.name != "in")
