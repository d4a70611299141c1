"""JSON as a tree with places, so that its faults say where they are.

Strict: no duplicate name, no NaN, no fraction where the kind of document has none, nothing behind the document. The
first fault of the grammar ends it.
"""

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

from agent_saga.policies.document.nodes import DocumentError, Fault, Kind, Member, Node
from agent_saga.policies.document.scalars import NotAllowed, scalar
from agent_saga.policies.document.spots import Scalar
from agent_saga.policies.document.text import odd, place, shown, unseen

_DECODER = JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*").match
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").match


def parse_json(text: str, path: str, kind: Kind) -> tuple[Node, list[Fault]]:
    """The document and what is wrong with it. Raises DocumentError when it cannot be read at all."""
    faults = list(unseen(text, tabs=True))
    if faults:
        raise DocumentError(path, faults)
    reader = _Reader(text, kind)
    try:
        return reader.document(), reader.faults
    except _NoJson as fault:
        raise DocumentError(path, [*reader.faults, Fault(*place(text, fault.index), str(fault))]) from fault


class _NoJson(Exception):
    """The text is not JSON from this character on."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class _Reader:
    """Reads one document from left to right. at: the next character."""

    def __init__(self, text: str, kind: Kind) -> None:
        self._text, self._kind, self._at, self.faults = text, kind, 0, list[Fault]()

    def document(self) -> Node:
        """The document. Raises _NoJson."""
        node = self._value(1)
        if self._peek():
            self._stop("something stands behind the document")
        return node

    def _peek(self) -> str:
        """The next character that is no white space; "" at the end."""
        space = _SPACE(self._text, self._at)
        assert space is not None
        self._at = space.end()
        return self._text[self._at : self._at + 1]

    def _stop(self, message: str) -> NoReturn:
        raise _NoJson(self._at, f"not JSON: {message}")

    def _take(self, *wanted: str) -> str:
        found = self._peek()
        if found not in wanted or not found:
            self._stop(f"expected {' or '.join(wanted)}, found {found or 'the end'}")
        self._at += 1
        return found

    def _value(self, depth: int) -> Node:
        first, line_column = self._peek(), place(self._text, self._at)
        if first in ("{", "[") and first:
            if depth > self._kind.depth:
                self._stop(f"nested deeper than {self._kind.depth}")
            self._at += 1
            return Node(*line_column, self._object(depth) if first == "{" else self._array(depth))
        begin = self._at
        value = self._string() if first == '"' else self._word(line_column)
        written = Scalar(self._text[begin : self._at], '"') if first == '"' else None
        if isinstance(value, str) and (wrong := odd(value)):
            self.faults.append(Fault(*line_column, wrong))
            value = shown(value)
        return Node(*line_column, value, written)

    def _string(self) -> str:
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except JSONDecodeError as fault:
            raise _NoJson(fault.pos, f"not JSON: {fault.msg}") from fault
        return str(value)

    def _word(self, line_column: tuple[int, int]) -> Any:
        match = _WORD(self._text, self._at)
        if match is None:
            self._stop(f"expected a value, found {self._text[self._at : self._at + 1] or 'the end'}")
        self._at = match.end()
        try:
            return scalar(match[0], self._kind.fractions)
        except NotAllowed as fault:
            self.faults.append(Fault(*line_column, str(fault)))
            return None

    def _array(self, depth: int) -> list[Node]:
        found: list[Node] = []
        if self._peek() == "]":
            self._at += 1
            return found
        while True:
            found.append(self._value(depth + 1))
            if self._take(",", "]") == "]":
                return found

    def _object(self, depth: int) -> dict[str, Member]:
        found: dict[str, Member] = {}
        if self._peek() == "}":
            self._at += 1
            return found
        while True:
            if self._peek() != '"':
                self._stop(f"expected a name in quotes, found {self._peek() or 'the end'}")
            name = self._value(depth + 1)
            self._take(":")
            member = Member(name, self._value(depth + 1))
            if name.value in found:
                self.faults.append(name.fault(f"{name.value!r} stands twice in one object"))
            found.setdefault(name.value, member)
            if self._take(",", "}") == "}":
                return found
