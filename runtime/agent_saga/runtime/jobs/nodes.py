"""A document as a tree whose every part knows where it stands, whatever it was written in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.runtime.errors import RuntimeFault

MAX_DEPTH: Final = 8
"""Nesting of a document, its own object being 1: a job needs three, and a bound keeps a hostile one from the stack."""

MAX_TOLD: Final = 100
"""Faults in a message: more is no job but another file; all of them stand in ``faults``."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """What is wrong at one place. line and column count from 1, in characters."""

    line: int
    column: int
    message: str


class JobError(RuntimeFault):
    """A job cannot be used. faults: all that is wrong with it, in the order of the file."""

    def __init__(self, path: str, faults: Iterable[Fault]) -> None:
        self.path, self.faults = path, tuple(sorted(set(faults)))
        told = [f"{path}:{one.line}:{one.column}: {one.message}" for one in self.faults[:MAX_TOLD]]
        more = len(self.faults) - len(told)
        super().__init__("\n".join([*told, f"{path}: {more} more"] if more else told))


@dataclass(frozen=True, slots=True)
class Node:
    """One value. value: text, int, bool, None, a list of nodes, or a dict of members by name."""

    line: int
    column: int
    value: Any

    @property
    def plain(self) -> Any:
        """The value as JSON knows it."""
        if isinstance(self.value, dict):
            return {name: member.node.plain for name, member in self.value.items()}
        return [node.plain for node in self.value] if isinstance(self.value, list) else self.value

    @property
    def items(self) -> "list[Node]":
        """The items of a list; none of anything else."""
        return self.value if isinstance(self.value, list) else []

    def parts(self) -> "Iterator[Node]":
        """This node, and all names and values below it."""
        yield self
        for member in self.value.values() if isinstance(self.value, dict) else ():
            yield from member.name.parts()
            yield from member.node.parts()
        for node in self.items:
            yield from node.parts()

    def fault(self, message: str) -> Fault:
        """Something wrong here."""
        return Fault(self.line, self.column, message)

    def at(self, path: Sequence[str | int]) -> "Node":
        """The part that a path of names and indexes leads to, as far as it leads."""
        node = self
        for part in path:
            if isinstance(node.value, dict) and part in node.value:
                node = node.value[part].node
            elif isinstance(node.value, list) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
        return node

    def name_at(self, path: Sequence[str | int]) -> "Node":
        """The name of the member that a path leads to: where a name is wrong, not its value."""
        owner = self.at(path[:-1])
        member = owner.value.get(path[-1]) if isinstance(owner.value, dict) else None
        return member.name if member is not None else owner


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: where its name stands, and its value."""

    name: Node
    node: Node
