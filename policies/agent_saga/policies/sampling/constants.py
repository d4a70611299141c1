"""Which constants meet which value of the call: every comparison is read as "these values, near these constants"."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from agent_saga.policies.cel.syntax import Call, Expression, Index, Literal, Name, Select, parts_of

Path = tuple[str, ...]
"""Such as ``("args", "amount", "minor")`` or ``("at",)``."""

_CONNECTIVES: Final = ("&&", "||", "!", "?:")


def constants(trees: Iterable[Expression]) -> dict[Path, list[Any]]:
    """For each value that the conditions read, the constants that stand beside it, each once, in their order.

    What a value is compared with through another value, it meets too: ``a < b`` gives each the constants of both.
    """
    found: dict[Path, dict[tuple[type, Any], Any]] = {}
    for paths, beside in [atom for tree in trees for atom in _atoms(tree)]:
        for path in paths:
            found.setdefault(path, {}).update({(type(one), one): one for one in beside})
    return {path: list(values.values()) for path, values in found.items()}


def _atoms(tree: Expression) -> Iterator[tuple[list[Path], list[Any]]]:
    if isinstance(tree, Call) and tree.name in _CONNECTIVES:
        for arg in tree.args:
            yield from _atoms(arg)
        if tree.name == "?:":
            yield _met(tree)
    else:
        yield _met(tree)


def _met(tree: Expression) -> tuple[list[Path], list[Any]]:
    paths, beside = list[Path](), list[Any]()
    _gather(tree, paths, beside)
    return paths, beside


def _gather(tree: Expression, paths: list[Path], beside: list[Any]) -> None:
    path = path_of(tree)
    if path:
        paths.append(path)
        return
    if isinstance(tree, Literal):
        beside.append(tree.value)
    key = _key(tree)
    if key:
        paths.append(key)
    for part in parts_of(tree):
        _gather(part, paths, beside)


def _key(tree: Expression) -> Path:
    """The path that ``"name" in args`` asks about, as ``has(args.name)`` does; () for anything else."""
    if not (isinstance(tree, Call) and tree.name == "in" and isinstance(tree.args[0], Literal)):
        return ()
    whole, name = path_of(tree.args[1]), tree.args[0].value
    return (*whole, name) if whole and isinstance(name, str) else ()


def path_of(tree: Expression) -> Path:
    """The path of a value of the call, the variable first; () for what is computed."""
    found: list[str] = []
    while not isinstance(tree, Name):
        if isinstance(tree, Select):
            found.append(tree.field)
            tree = tree.of
        elif isinstance(tree, Index) and isinstance(tree.index, Literal) and isinstance(tree.index.value, str):
            found.append(tree.index.value)
            tree = tree.of
        else:
            return ()
    return (tree.name, *reversed(found))


def reads(trees: Iterable[Expression]) -> list[Path]:
    """The values that the conditions read, each once."""
    return list(constants(trees))
