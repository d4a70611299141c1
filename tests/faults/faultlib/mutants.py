"""What an operator makes, and the register of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .lines import Line, chain, render
from .shapes import Base


@dataclass(frozen=True)
class Change:
    """One spoiled trace, as an operator gives it.

    codes: the rules that name what is wrong, one of which must be reported. chained: the forger counted seq
    and prev anew. alone: the place of the one line that was edited where the edit also makes a fault
    without a new chain.
    """

    what: str
    content: list[Line] | bytes
    codes: frozenset[str]
    chained: bool = True
    alone: int | None = None
    exits: frozenset[int] = frozenset({1})
    fail_on: str = "error"
    disclosures: list[str] | None = None


@dataclass(frozen=True)
class Mutant:
    """One spoiled trace, ready to be judged."""

    operator: str
    base: str
    what: str
    data: bytes
    codes: frozenset[str]
    exits: frozenset[int]
    fail_on: str
    disclosures: tuple[str, ...]
    policy: str = ""


Operator = Callable[[Base], Iterable[Change]]
OPERATORS: dict[str, Operator] = {}


def operator(make: Operator) -> Operator:
    """Register an operator under its function's name."""
    OPERATORS[make.__name__] = make
    return make


def codes(*names: str) -> frozenset[str]:
    """Codes by their numbers: codes("104", "105")."""
    return frozenset("AS" + name for name in names)


def _content(change: Change) -> bytes:
    if isinstance(change.content, bytes):
        return change.content
    return render(chain(change.content) if change.chained else change.content)


def _is_last(lines: list[Line], i: int) -> bool:
    return all(line["saga"] != lines[i]["saga"] for line in lines[i + 1 :])


def _twins(name: str, change: Change) -> Iterator[tuple[str, Change]]:
    """The change, and the same edit of one line without a new chain, which the next line's prev gives
    away."""
    yield name, change
    lines = change.content
    if change.alone is not None and not isinstance(lines, bytes) and not _is_last(lines, change.alone):
        yield (
            name + "_unchained",
            Change(change.what, lines, codes("104"), False, disclosures=change.disclosures),
        )


def mutants_of(base: Base) -> Iterator[Mutant]:
    """Every mutant of one base. A change that leaves the bytes as they were is an operator's mistake."""
    unspoiled = render(base.lines)
    for name, make in OPERATORS.items():
        for first in make(base):
            for twin, change in _twins(name, first):
                data, opened = _content(change), change.disclosures
                if opened is None:
                    opened = base.disclosures
                assert data != unspoiled or opened != base.disclosures, (base.name, twin, change.what)
                wants = change.codes, change.exits, change.fail_on, tuple(opened)
                yield Mutant(twin, base.name, change.what, data, *wants, base.policy)
