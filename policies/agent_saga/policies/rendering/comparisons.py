"""Comparisons inside a condition: turned round, negated, and with a constant on their right."""

from typing import Final

from agent_saga.policies.cel.syntax import Call, Expression, Literal, Name, Select
from agent_saga.policies.rendering.naming import path_of

OPPOSITE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRROR: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def bound(tree: Expression, negated: bool) -> tuple[Expression, str, Literal] | None:
    """A comparison with a constant: what is compared, how, and with what."""
    while isinstance(tree, Call) and tree.name == "!":
        tree, negated = tree.args[0], not negated
    if not isinstance(tree, Call) or tree.name not in ("<", "<=", ">", ">="):
        return None
    left, right, word = tree.args[0], tree.args[1], tree.name
    if isinstance(left, Literal):
        left, right, word = right, left, MIRROR[word]
    if not isinstance(right, Literal):
        return None
    return _bare(left), OPPOSITE[word] if negated else word, Literal(right.value)


def _bare(tree: Expression) -> Expression:
    """The expression with no places in it, so that two spellings of one thing are equal."""
    path = path_of(tree)
    if not path:
        return tree
    found: Expression = Name("args")
    for name in path:
        found = Select(found, name)
    return found
