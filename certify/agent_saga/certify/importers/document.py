"""Reading a source that is one JSON document: strictly, within bounds, with the line of each of its records.

A log of another project may be a pretty-printed document with one long array of records. A witness must point into the
file as its owner sees it, so each record keeps the number of the line where it begins. What is wrong with a record
becomes a :class:`~agent_saga.certify.source.Fault` with its line, and the records around it are still read.

Source: RFC 8259 (JSON), section 4 on duplicate names; docs/sources/, "What is refused".
"""

import json
import re
from dataclasses import dataclass, field
from hashlib import sha256
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from agent_saga.certify.importers.strict_json import has_surrogate, strict_decoder
from agent_saga.certify.source import Fault
from agent_saga.trace.nesting import too_deep
from agent_saga.trace.reader import Opened

MAX_NESTING: Final = 48
"""Nesting of a document: leaves a record's payload within the 64 levels of a line of ours."""

_BOM: Final = "\ufeff"
_SPACE = re.compile(r"[ \t\n\r]*").match


@dataclass(frozen=True, slots=True)
class Element:
    """One record of the document's array. line: where it begins."""

    line: int
    value: Any


@dataclass(slots=True)
class Document:
    """What could be read. elements: the records that are sound; faults: what is wrong, in the order of the source."""

    members: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """Line of each top-level member's name."""
    elements: list[Element] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    sha256: str = ""
    """Of the decompressed bytes, lower-case hex."""
    last_line: int = 1


class _Broken(Exception):
    """The text is not JSON from here on."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def read_document(opened: Opened, array: str, limit: int) -> Document:
    """Read one JSON document whose top-level member ``array`` holds the records; a bare array is read as its records.

    limit: bytes that the decompressed document may have. Never raises for what the bytes hold: see Document.faults.
    """
    document = Document()
    raw = _bytes(opened, limit, document)
    if raw is None:
        return document
    text = _text(raw, document)
    if text is not None and _shallow(raw, document):
        _Reader(text, array, document).read(bool(opened.truncated))
    if opened.truncated:
        _fault(document, document.last_line, "AS109", f"the document is cut: {opened.truncated}")
    return document


def _bytes(opened: Opened, limit: int, document: Document) -> bytes | None:
    """All bytes, or None with a fault; the rest of a too long input is still read, so that its digest is known."""
    parts: list[bytes] = []
    size, digest = 0, sha256()
    for chunk in opened.chunks():
        size += len(chunk)
        digest.update(chunk)
        if size <= limit:
            parts.append(chunk)
        else:
            parts.clear()
    document.sha256 = digest.hexdigest()
    if size <= limit:
        return b"".join(parts)
    _fault(document, 1, "AS101", f"the document has {size} bytes; at most {limit} are read")
    return None


def _text(raw: bytes, document: Document) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        _fault(document, line, "AS101", f"byte 0x{raw[fault.start]:02x} at offset {fault.start} is not UTF-8")
        return None
    if text.startswith(_BOM):
        _fault(document, 1, "AS101", "the document begins with a byte order mark; remove its three bytes")
        return text[1:]
    return text


def _shallow(raw: bytes, document: Document) -> bool:
    place = too_deep(raw, MAX_NESTING)
    if place >= 0:
        line = raw.count(b"\n", 0, place) + 1
        _fault(document, line, "AS101", f"nesting is deeper than {MAX_NESTING}")
    return place < 0


def _fault(document: Document, line: int, code: str, message: str) -> None:
    document.faults.append(Fault(line, code, message, what="document"))


class _Reader:
    """Walks the top level by hand, so that the place of each record is known; a decoder reads what lies below."""

    def __init__(self, text: str, array: str, document: Document) -> None:
        self.text, self.array, self.document = text, array, document
        self.problems: list[str] = []
        self.decode = strict_decoder(self.problems).raw_decode
        self.counted, self.line = 0, 1

    def read(self, cut: bool) -> None:
        """Read it all. cut: the stream broke off, so an unfinished document is no second fault."""
        try:
            at = self._skip(0)
            if self.text[at : at + 1] == "[":
                at = self._elements(at)
            elif self.text[at : at + 1] == "{":
                at = self._members(at)
            else:
                raise _Broken(at, "expected a JSON object or array")
            if self._skip(at) != len(self.text):
                raise _Broken(self._skip(at), "something follows the end of the document")
        except _Broken as fault:
            unclosed = str(fault).startswith("Unterminated string")
            ended = unclosed or not self.text[fault.at :].strip(" \t\r\n")
            if not (cut and ended):
                self._refuse(fault, ended)
        self.document.last_line = max(1, self._line_of(len(self.text.rstrip()) or 0))

    def _refuse(self, fault: _Broken, ended: bool) -> None:
        code, words = ("AS109", "the document ends too early") if ended else ("AS101", "not JSON")
        at = len(self.text.rstrip()) if ended else fault.at
        _fault(self.document, self._line_of(at), code, f"{words}: {fault}")

    def _skip(self, at: int) -> int:
        match = _SPACE(self.text, at)
        return match.end() if match else at

    def _line_of(self, at: int) -> int:
        if at < self.counted:
            return self.text.count("\n", 0, at) + 1
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        return self.line

    def _value(self, at: int) -> tuple[Any, int, bool]:
        """A value, where it ends, and whether it is sound; what is wrong becomes a fault at the line of ``at``."""
        self.problems.clear()
        try:
            value, end = self.decode(self.text, at)
        except json.JSONDecodeError as fault:
            raise _Broken(fault.pos, fault.msg) from None
        except (RecursionError, ValueError) as fault:
            raise _Broken(at, str(fault)) from None
        if "\\u" in self.text[at:end] and has_surrogate(value):
            self.problems.append("a lone surrogate stands in a string; it is no Unicode character")
        for problem in self.problems[:1]:
            _fault(self.document, self._line_of(at), "AS101", problem)
        return value, end, not self.problems

    def _members(self, at: int) -> int:
        at = self._skip(at + 1)
        while self.text[at : at + 1] == '"':
            name, at, line = *self._name(at), self._line_of(at)
            at = self._member(name, line, at)
            at = self._skip(at)
            if self.text[at : at + 1] != ",":
                break
            at = self._skip(at + 1)
            if self.text[at : at + 1] != '"':
                raise _Broken(at, "expected the name of a member")
        return self._close(at, "}")

    def _member(self, name: str, line: int, at: int) -> int:
        if name in self.document.lines:
            _fault(self.document, line, "AS101", f"the name {name[:80]!r} stands twice at the top level")
        self.document.lines.setdefault(name, line)
        if name == self.array and self.text[at : at + 1] == "[":
            return self._elements(at)
        value, end, sound = self._value(at)
        if sound:
            self.document.members.setdefault(name, value)
        return end

    def _name(self, at: int) -> tuple[str, int]:
        try:
            name, end = scanstring(self.text, at + 1)
        except json.JSONDecodeError as fault:
            raise _Broken(fault.pos, fault.msg) from None
        end = self._skip(end)
        if self.text[end : end + 1] != ":":
            raise _Broken(end, "expected a colon")
        return str(name), self._skip(end + 1)

    def _elements(self, at: int) -> int:
        at = self._skip(at + 1)
        while self.text[at : at + 1] not in ("]", ""):
            line = self._line_of(at)
            value, end, sound = self._value(at)
            if sound:
                self.document.elements.append(Element(line, value))
            at = self._skip(end)
            if self.text[at : at + 1] != ",":
                break
            at = self._skip(at + 1)
            if self.text[at : at + 1] == "]":
                raise _Broken(at, "a comma stands before the end of the array")
        return self._close(at, "]")

    def _close(self, at: int, bracket: str) -> int:
        if self.text[at : at + 1] != bracket:
            raise _Broken(at, f"expected {bracket}")
        return at + 1
