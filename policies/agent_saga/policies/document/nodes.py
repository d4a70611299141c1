"""A document as a tree whose every part knows where it stands, whatever it was written in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.document.spots import Scalar
from agent_saga.trace.errors import AgentSagaError

MAX_TOLD: Final = 100
"""Faults in a message: more is no such file but another one; all of them stand in ``faults``."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """What is wrong at one place. line and column count from 1, in characters."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Kind:
    """Which kind of document is read. word: such as ``a job``, for messages. most: bytes. depth: of nesting, the
    document's own object being 1. fractions: whether numbers with a fraction may stand in it.
    """

    word: str
    most: int
    depth: int
    fractions: bool = False


def told(path: str, faults: Sequence[Fault]) -> str:
    """Faults as a message: a line each, ``path:line:column: what is wrong``."""
    lines = [f"{path}:{one.line}:{one.column}: {one.message}" for one in faults[:MAX_TOLD]]
    more = len(faults) - len(lines)
    return "\n".join([*lines, f"{path}: {more} more"] if more else lines)


class DocumentError(AgentSagaError):
    """A document cannot be used. faults: all that is wrong with it, in the order of the file."""

    def __init__(self, path: str, faults: Iterable[Fault]) -> None:
        self.path, self.faults = path, tuple(sorted(set(faults)))
        super().__init__(told(path, self.faults))


@dataclass(frozen=True, slots=True)
class Node:
    """One value. value: text, int, float, bool, None, a list of nodes, or a dict of members by name.

    scalar: how a text was written, so that a place inside of it is a place in the file.
    """

    line: int
    column: int
    value: Any
    scalar: Scalar | None = field(default=None, repr=False, compare=False)

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

    @property
    def members(self) -> "dict[str, Member]":
        """The members of an object; none of anything else."""
        return self.value if isinstance(self.value, dict) else {}

    def parts(self) -> "Iterator[Node]":
        """This node, and all names and values below it."""
        yield self
        for member in self.members.values():
            yield from member.name.parts()
            yield from member.node.parts()
        for node in self.items:
            yield from node.parts()

    def fault(self, message: str) -> Fault:
        """Something wrong here."""
        return Fault(self.line, self.column, message)

    def fault_inside(self, offset: int, message: str) -> Fault:
        """Something wrong at a character of this text, counted from 0 in its value."""
        if self.scalar is None or not isinstance(self.value, str):
            return self.fault(message)
        down, column = self.scalar.spot(self.value, offset)
        return Fault(self.line + down, column if down else self.column + column - 1, message)

    def at(self, path: Sequence[str | int]) -> "Node":
        """The part that a path of names and indexes leads to, as far as it leads."""
        node = self
        for part in path:
            if isinstance(node.value, dict) and part in node.value:
                node = node.value[part].node
            elif isinstance(node.value, list) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
        return node

    def get(self, name: str) -> "Node | None":
        """The value of a member; None where there is none of this name."""
        member = self.members.get(name)
        return member.node if member is not None else None

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
