"""YAML as a tree with places: a subset in which a file means what it shows.

No aliases or anchors, no tags, no merge keys, no directives, one document, text as names, no name twice, no tabs. All
such faults are found in one pass; only a fault of the grammar ends it, since nothing behind it can be trusted.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agent_saga.policies.document.nodes import DocumentError, Fault, Kind, Member, Node
from agent_saga.policies.document.scalars import NotAllowed, scalar
from agent_saga.policies.document.spots import Scalar
from agent_saga.policies.document.text import odd, place, shown, unseen

if TYPE_CHECKING:
    from yaml.events import Event


def parse_yaml(text: str, path: str, kind: Kind) -> tuple[Node | None, list[Fault]]:
    """The document, None when it is empty, and what is wrong with it. Raises DocumentError: it cannot be read."""
    faults = list(unseen(text, tabs=False))
    if faults:
        raise DocumentError(path, faults)
    import yaml  # late, since much of what this package serves reads no YAML

    builder = _Builder(iter(yaml.parse(text, Loader=yaml.SafeLoader)), text, kind)
    try:
        return builder.document(), builder.faults
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise DocumentError(path, [*builder.faults, Fault(line, column, f"not YAML: {fault.problem}")]) from fault
    except (_TooDeep, yaml.YAMLError) as fault:
        odd_one = Fault(*place(text, getattr(fault, "position", 0)), "not YAML: a character that it cannot hold")
        raise DocumentError(path, builder.faults or [odd_one]) from fault


class _TooDeep(Exception):
    """Reading on would cost more than the document is worth; the fault is noted."""


class _Builder:
    """Makes nodes of events and notes what is wrong."""

    def __init__(self, events: "Iterator[Event]", text: str, kind: Kind) -> None:
        self._events, self._text, self._kind, self.faults = events, text, kind, list[Fault]()

    def document(self) -> Node | None:
        """The first document; a second one is a fault, and is not read."""
        root: Node | None = None
        for event in self._events:
            if type(event).__name__ != "DocumentStartEvent":
                continue
            if root is not None:
                self._note(event, f"a second document; a file holds {self._kind.word} alone")
                return root
            self._begin(event)
            root = self._node(next(self._events), 1)
        return root

    def _begin(self, event: Any) -> None:
        if event.version or event.tags:
            self._note(event, "a directive (%YAML, %TAG); leave it out")

    def _note(self, event: "Event", message: str) -> None:
        mark: Any = event.start_mark
        self.faults.append(Fault(mark.line + 1, mark.column + 1, message))

    def _node(self, event: Any, depth: int) -> Node:
        line, column, kind = event.start_mark.line + 1, event.start_mark.column + 1, type(event).__name__
        if kind == "AliasEvent":
            self._note(event, f"the alias *{event.anchor}; write out what it stands for")
            return Node(line, column, None)
        if event.anchor:
            self._note(event, f"the anchor &{event.anchor}; leave it out")
        if event.tag:
            self._note(event, f"the tag {event.tag}; leave it out")
        if kind == "ScalarEvent":
            written = Scalar(self._text[event.start_mark.index : event.end_mark.index], event.style or "")
            return Node(line, column, self._scalar(event), written)
        if depth > self._kind.depth:
            self._note(event, f"nested deeper than {self._kind.depth}")
            raise _TooDeep
        return Node(line, column, self._mapping(depth) if kind == "MappingStartEvent" else self._sequence(depth))

    def _scalar(self, event: Any) -> Any:
        value = event.value
        try:
            value = scalar(value, self._kind.fractions) if event.implicit[0] and event.style is None else value
        except NotAllowed as fault:
            self._note(event, str(fault))
            return None
        if isinstance(value, str) and (wrong := odd(value)):
            self._note(event, wrong)
            return shown(value)
        return value

    def _sequence(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            found.append(self._node(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Member]:
        found: dict[str, Member] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            name = self._node(event, depth + 1)
            member = Member(name, self._node(next(self._events), depth + 1))
            if self._is_name(event, name, found):
                found[name.value] = member
        return found

    def _is_name(self, event: Any, name: Node, found: dict[str, Member]) -> bool:
        if not isinstance(name.value, str):
            if type(event).__name__ != "AliasEvent":
                self._note(event, "a name that is no text; put it in quotes")
            return False
        if name.value == "<<" and event.style is None:
            self._note(event, "the merge key <<; write out what it merges")
            return False
        if name.value in found:
            self._note(event, f"{name.value!r} stands twice; it stood on line {found[name.value].name.line} already")
            return False
        return True
