"""The type of one call, operator or function, from the types of its arguments; or why it has none.

Source: CEL language definition, "List of Standard Definitions".
"""

from collections.abc import Callable, Mapping
from typing import Final

from agent_saga.policies.cel.checking.signatures import FUNCTIONS, LEFT_OUT, METHODS, OPERATORS
from agent_saga.policies.cel.checking.wording import did_you_mean, mismatch
from agent_saga.policies.cel.faults import CelFault, Undefined
from agent_saga.policies.cel.syntax import Call, Literal
from agent_saga.policies.cel.times import GETTERS, offset, read_duration, read_timestamp
from agent_saga.policies.cel.types import BOOL, INT, STRING, ListType, MapType, ObjectType, Type, joined

_READERS: Final[Mapping[str, Callable[[str], object]]] = {"timestamp": read_timestamp, "duration": read_duration}

RELATIONS: Final = ("==", "!=", "in")


def call_type(tree: Call, types: tuple[Type, ...]) -> Type | str:
    """The type of the call, or the words of its fault."""
    if tree.receiver or (tree.name not in RELATIONS and tree.name not in OPERATORS):
        return _function(tree, types)
    if tree.name in RELATIONS:
        return BOOL if _related(tree.name, *types) else mismatch(tree.name, types)
    if tree.name == "+" and all(isinstance(one, ListType) for one in types):
        return joined(*types) or mismatch("+", types)
    found = next((result for args, result in OPERATORS[tree.name] if args == types), None)
    return found or mismatch(tree.name.rstrip("_"), types)


def _related(name: str, left: Type, right: Type) -> bool:
    """Whether ``==``, ``!=`` or ``in`` may stand between."""
    if name != "in":
        return joined(left, right) is not None
    if isinstance(right, ListType):
        return joined(left, right.item) is not None
    return isinstance(right, MapType | ObjectType) and left == STRING


def _function(tree: Call, types: tuple[Type, ...]) -> Type | str:
    if tree.name == "size" and len(types) == 1 and isinstance(types[0], ListType | MapType | ObjectType):
        return INT
    signatures = (METHODS if tree.receiver else FUNCTIONS)[tree.name]
    found = next((result for args, result in signatures if args == types), None)
    return found or mismatch(f"{tree.name}()", types, tree.receiver)


def unknown_function(tree: Call) -> str | None:
    """Why there is no such function; None where there is one."""
    table, other = (METHODS, FUNCTIONS) if tree.receiver else (FUNCTIONS, METHODS)
    if tree.name in table:
        return None
    if tree.name in LEFT_OUT:
        return f"`{tree.name}` of CEL is left out here: {LEFT_OUT[tree.name]}"
    if tree.name in other:
        form = f"{tree.name}(value)" if tree.receiver else f"value.{tree.name}(...)"
        return f"`{tree.name}` is called as {form}"
    return f"there is no function `{tree.name}`{did_you_mean(tree.name, table)}"


def constant_fault(tree: Call) -> CelFault | None:
    """A constant that no call can save: a time that is none, a zone that is not fixed."""
    last = tree.args[-1]
    zone = tree.receiver and tree.name in GETTERS and len(tree.args) == 2
    if zone and not isinstance(last, Literal):
        return CelFault(last.at, 'the zone is a constant: "UTC", or a fixed one as in "+01:00"')
    reader = offset if zone else None if tree.receiver else _READERS.get(tree.name)
    if reader is None or not isinstance(last, Literal) or not isinstance(last.value, str):
        return None
    try:
        reader(last.value)
    except Undefined as why:
        return CelFault(last.at, str(why))
    return None
