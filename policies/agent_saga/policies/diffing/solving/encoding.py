"""A condition as a formula: each operator and function of the subset, with CEL's errors.

``&&`` and ``||`` absorb the error of one side where the other side decides; ``?:`` looks at the chosen side only.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import z3

from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select
from agent_saga.policies.cel.text import text_of
from agent_saga.policies.diffing.solving.arithmetic import OPERATIONS, compare, negate
from agent_saga.policies.diffing.solving.calendar import getter
from agent_saga.policies.diffing.solving.functions import FUNCTIONS, constant
from agent_saga.policies.diffing.solving.terms import Unsupported, Val, both, characters, either, same
from agent_saga.policies.diffing.solving.world import World


def truth(tree: Expression, world: World) -> Val:
    """The formula of a condition. A part that has none is left open: it may be true, false or without a value.

    What then is refuted stays refuted; what is found must be tried on the policies themselves.
    """
    if isinstance(tree, Call) and tree.name in _CONNECTIVES:
        parts = [truth(arg, world) for arg in tree.args]
        return _CONNECTIVES[tree.name](parts)
    try:
        return encode(tree, world)
    except Unsupported as fault:
        return world.open("bool", text_of(tree), str(fault))


def number(tree: Expression, world: World) -> Val:
    """The formula of a whole number, left open where there is none."""
    try:
        return encode(tree, world)
    except Unsupported as fault:
        return world.open("int", text_of(tree), str(fault))


def encode(tree: Expression, world: World) -> Val:
    """The formula of a checked expression. Raises Unsupported where there is none."""
    if isinstance(tree, Literal):
        return _literal(tree.value)
    if isinstance(tree, Name):
        return world.name(tree.name)
    if isinstance(tree, Select):
        of = encode(tree.of, world)
        return world.has(of, tree.field) if tree.test else _member(of, tree.field, world)
    if isinstance(tree, Index):
        return _indexed(tree, world)
    if isinstance(tree, ListOf):
        items = tuple(encode(item, world) for item in tree.items)
        return Val("list", items, either(*(item.wrong for item in items)))
    if isinstance(tree, MapOf):
        return _map(tree, world)
    return _call(tree, world)


def _literal(value: Any) -> Val:
    if value is None:
        return Val("null", None)
    if isinstance(value, bool):
        return Val("bool", z3.BoolVal(value))
    if isinstance(value, int):
        return Val("int", z3.IntVal(value))
    if isinstance(value, float):
        return Val("double", z3.RealVal(_fraction(value)))
    if isinstance(value, str):
        return Val("string", characters(value))
    raise Unsupported(f"a constant of type {type(value).__name__}")


def _fraction(value: float) -> str:
    top, bottom = value.as_integer_ratio()
    return f"{top}/{bottom}"


def _member(of: Val, field: str, world: World) -> Val:
    if of.kind == "map" and isinstance(of.term, dict):
        if field not in of.term:
            raise Unsupported("a key that a written map lacks")
        found: Val = of.term[field]
        return Val(found.kind, found.term, either(of.wrong, found.wrong), found.type)
    return world.member(of, field)


def _map(tree: MapOf, world: World) -> Val:
    found: dict[str, Val] = {}
    for key, value in tree.entries:
        if not isinstance(key, Literal) or not isinstance(key.value, str):
            raise Unsupported("a map with keys that are computed")
        found[key.value] = encode(value, world)
    return Val("map", found, either(*(value.wrong for value in found.values())))


def _indexed(tree: Index, world: World) -> Val:
    of = encode(tree.of, world)
    if isinstance(tree.index, Literal) and isinstance(tree.index.value, str):
        return _member(of, tree.index.value, world)
    index = encode(tree.index, world)
    if of.kind == "map" and isinstance(of.term, dict) and index.kind == "string":
        return _looked_up(of, index)
    if of.kind != "list" or index.kind != "int":
        raise Unsupported("an index that is computed")
    wrong = either(of.wrong, index.wrong)
    if not isinstance(of.term, tuple):
        past = z3.Or(index.term < 0, index.term >= z3.Length(of.term))
        return Val(of.type, of.term[index.term], either(wrong, past))
    return _chosen([(index.term == n, item) for n, item in enumerate(of.term)], wrong)


def _looked_up(of: Val, key: Val) -> Val:
    found = [(key.term == characters(name), value) for name, value in of.term.items()]
    return _chosen(found, either(of.wrong, key.wrong))


def _chosen(cases: list[tuple[Any, Val]], wrong: Any) -> Val:
    """The first case that holds; an error where none does."""
    if not cases or len({value.kind for _, value in cases}) != 1 or cases[0][1].kind in ("object", "map", "list"):
        raise Unsupported("an index into values of several types")
    term, missing = cases[-1][1].term, cases[-1][1].wrong
    for test, value in reversed(cases[:-1]):
        term, missing = z3.If(test, value.term, term), z3.If(test, value.wrong, missing)
    none = z3.Not(either(*(test for test, _ in cases)))
    return Val(cases[0][1].kind, term, either(wrong, missing, none))


def _call(tree: Call, world: World) -> Val:
    special = _SPECIAL.get(tree.name)
    if special is not None:
        return special(tree, world)
    if tree.name in _CONNECTIVES:
        return _CONNECTIVES[tree.name]([encode(arg, world) for arg in tree.args])
    args = [encode(arg, world) for arg in tree.args]
    if tree.name in OPERATIONS and len(args) == 2:
        return OPERATIONS[tree.name](*args)
    if tree.name in ("<", "<=", ">", ">="):
        return compare(tree.name, *args)
    if tree.name.startswith("get"):
        return getter(tree.name, args[0], constant(args[1], "a zone") if len(args) > 1 else "UTC")
    function = FUNCTIONS.get(tree.name)
    if function is None:
        raise Unsupported(f"{tree.name}()")
    return function(*args)


def _not(parts: Sequence[Val]) -> Val:
    return Val("bool", z3.Not(parts[0].term), parts[0].wrong)


def _and(parts: Sequence[Val]) -> Val:
    refuted = either(*(both(z3.Not(p.term), z3.Not(p.wrong)) for p in parts))
    return Val("bool", both(*(p.term for p in parts)), both(z3.Not(refuted), either(*(p.wrong for p in parts))))


def _or(parts: Sequence[Val]) -> Val:
    proven = either(*(both(p.term, z3.Not(p.wrong)) for p in parts))
    return Val("bool", proven, both(z3.Not(proven), either(*(p.wrong for p in parts))))


def _choice(parts: Sequence[Val]) -> Val:
    test, yes, no = parts
    if yes.kind != no.kind or yes.kind in ("object", "map", "list"):
        raise Unsupported("a choice between values that are no scalars of one type")
    term = None if yes.kind == "null" else z3.If(test.term, yes.term, no.term)
    return Val(yes.kind, term, either(test.wrong, z3.If(test.term, yes.wrong, no.wrong)))


_CONNECTIVES: Final[Mapping[str, Callable[[Sequence[Val]], Val]]] = {
    "!": _not,
    "&&": _and,
    "||": _or,
    "?:": _choice,
}


def _equal(tree: Call, world: World) -> Val:
    left, right = (encode(arg, world) for arg in tree.args)
    term = same(left, right)
    return Val("bool", z3.Not(term) if tree.name == "!=" else term, either(left.wrong, right.wrong))


def _in(tree: Call, world: World) -> Val:
    item, group = (encode(arg, world) for arg in tree.args)
    wrong = either(item.wrong, group.wrong)
    if group.kind == "list" and isinstance(group.term, tuple):
        return Val("bool", either(*(same(item, one) for one in group.term)), wrong)
    if group.kind == "list":
        if item.kind != group.type:
            raise Unsupported(f"{item.kind} in a list of {group.type}")
        return Val("bool", z3.Contains(group.term, z3.Unit(item.term)), wrong)
    if group.kind == "map" and isinstance(group.term, dict):
        return Val("bool", either(*(item.term == characters(name) for name in group.term)), wrong)
    key = tree.args[0]
    if group.kind == "map" and isinstance(key, Literal) and isinstance(key.value, str):
        return Val("bool", world.has(group, key.value).term, wrong)
    raise Unsupported("in")


def _minus(tree: Call, world: World) -> Val:
    return negate(encode(tree.args[0], world))


_SPECIAL: Final[Mapping[str, Callable[[Call, World], Val]]] = {
    "==": _equal,
    "!=": _equal,
    "in": _in,
    "-_": _minus,
}
