"""Looks through a syntax tree: its boolean atoms, its variables, and the fields that it reads.

Source: docs/spec/policy-cel-v1.md, "Atoms".
"""

from collections.abc import Iterator

from agent_saga.policies.cel.syntax import Call, Expression, Literal, Name, Select, parts_of

_CONNECTIVES = ("&&", "||", "!", "?:")


def atoms(tree: Expression) -> tuple[Expression, ...]:
    """The boolean parts that connectives join, each once, in the order of the text; constants are none.

    Every condition is decided by its atoms alone: ``a && !(b || c)`` has the atoms a, b and c.
    """
    return tuple(dict.fromkeys(_atoms(tree)))


def _atoms(tree: Expression) -> Iterator[Expression]:
    if isinstance(tree, Call) and tree.name in _CONNECTIVES:
        for arg in tree.args:
            yield from _atoms(arg)
    elif not isinstance(tree, Literal):
        yield tree


def parts(tree: Expression) -> Iterator[Expression]:
    """The tree itself and every part of it, a whole before its parts."""
    yield tree
    for part in parts_of(tree):
        yield from parts(part)


def names_in(tree: Expression) -> frozenset[str]:
    """The variables that occur."""
    return frozenset(part.name for part in parts(tree) if isinstance(part, Name))


def paths(tree: Expression) -> tuple[Expression, ...]:
    """The longest ``a.b.c`` and single variables, each once, in the order of the text; ``has(a.b)`` counts as one."""
    return tuple(dict.fromkeys(_paths(tree)))


def _paths(tree: Expression) -> Iterator[Expression]:
    if is_path(tree):
        yield tree
        return
    for part in parts_of(tree):
        yield from _paths(part)


def is_path(tree: Expression) -> bool:
    """Whether it is a variable or a field of a field of one."""
    while isinstance(tree, Select):
        tree = tree.of
    return isinstance(tree, Name)
