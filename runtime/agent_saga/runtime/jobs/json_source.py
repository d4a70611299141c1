"""JSON as a tree with places, so that a job in JSON needs no package and its faults say where they are.

Strict: no duplicate name, no float, no NaN, nothing behind the document. The first fault of the grammar ends it.
"""

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

from agent_saga.runtime.jobs.nodes import MAX_DEPTH, Fault, JobError, Member, Node
from agent_saga.runtime.jobs.scalars import NotAllowed, scalar
from agent_saga.runtime.jobs.text import odd, place, shown, unseen

_DECODER = JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*").match
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").match


def parse_json(text: str, path: str) -> tuple[Node, list[Fault]]:
    """The document and what is wrong with it. Raises JobError when it cannot be read at all."""
    faults = list(unseen(text, tabs=True))
    if faults:
        raise JobError(path, faults)
    reader = _Reader(text)
    try:
        return reader.document(), reader.faults
    except _NoJson as fault:
        raise JobError(path, [*reader.faults, Fault(*place(text, fault.index), str(fault))]) from fault


class _NoJson(Exception):
    """The text is not JSON from this character on."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class _Reader:
    """Reads one document from left to right. at: the next character."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self.faults = text, 0, list[Fault]()

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
            if depth > MAX_DEPTH:
                self._stop(f"nested deeper than {MAX_DEPTH}")
            self._at += 1
            return Node(*line_column, self._object(depth) if first == "{" else self._array(depth))
        value = self._string() if first == '"' else self._word(line_column)
        if isinstance(value, str) and (wrong := odd(value)):
            self.faults.append(Fault(*line_column, wrong))
            value = shown(value)
        return Node(*line_column, value)

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
            return scalar(match[0])
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
