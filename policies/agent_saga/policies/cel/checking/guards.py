"""Which fields are known to be there: what ``has()`` and ``in`` say, through ``&&``, ``||``, ``!`` and ``?:``.

A fact is a field of something: the pair of what holds it and its key. What is impossible proves everything, which is
said by :data:`ALL`.

Source: docs/spec/policy-cel-v1.md, "Guards".
"""

from typing import Final

from agent_saga.policies.cel.syntax import Call, Expression, Index, Literal, MapOf, Name, Select

Fact = tuple[Expression, Expression]
Facts = frozenset[Fact] | None

ALL: Final = None
NONE: Final[frozenset[Fact]] = frozenset()


def union(left: Facts, right: Facts) -> Facts:
    """What is known when both hold."""
    return ALL if left is ALL or right is ALL else left | right


def common(left: Facts, right: Facts) -> Facts:
    """What is known when one of both holds, nobody knows which."""
    if left is ALL:
        return right
    return left if right is ALL else left & right


def same(tree: Expression) -> Expression:
    """One form for ``a.b`` and ``a["b"]``, so that the one guards the other."""
    match tree:
        case Select(of, field, False):
            return Index(same(of), Literal(field))
        case Index(of, index):
            return Index(same(of), same(index))
        case Call():
            return Call(tree.name, tuple(map(same, tree.args)), tree.receiver)
        case _:
            return tree


def fact(of: Expression, key: Expression) -> Fact:
    """That ``of`` holds ``key``."""
    return same(of), same(key)


def proven(tree: Expression, outcome: bool) -> Facts:
    """What is known once the condition was found to be true, or false."""
    match tree:
        case Literal(bool() as value):
            return NONE if value is outcome else ALL
        case Select(of, field, True):
            return frozenset({fact(of, Literal(field))}) if outcome else NONE
        case Call("in", (key, Name() | Select() | Index() | Call() | MapOf() as whole), False):
            return frozenset({fact(whole, key)}) if outcome else NONE
        case Call("!", (operand,)):
            return proven(operand, not outcome)
        case Call("&&" | "||" as name, args):
            return _joined(args, outcome, all_of=(name == "&&") is outcome)
        case Call("?:", (test, then, otherwise)):
            first = union(proven(test, True), proven(then, outcome))
            return common(first, union(proven(test, False), proven(otherwise, outcome)))
        case _:
            return NONE


def _joined(args: tuple[Expression, ...], outcome: bool, all_of: bool) -> Facts:
    """Of a chain: each part came out so (all_of), or at least one did."""
    found = proven(args[0], outcome)
    for arg in args[1:]:
        more = proven(arg, outcome)
        found = union(found, more) if all_of else common(found, more)
    return found
