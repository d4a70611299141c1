"""Where a character of a text value stands in the file: quotes, escapes, folded lines and indentation are undone.

All of them change white space and spell characters; none reorders what is no white space. So the n-th character of the
value that is no white space is the n-th such character that the spelling produces, which is found by one walk.

Source: YAML 1.2.2, sections 5.7, 7.3 and 8.1; RFC 8259, section 7.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_ESCAPED_SPACE: Final = frozenset("nrtvf N_LP\t")
"""Letters behind a backslash that stand for white space: LF, CR, TAB, VT, FF, space, NEL, NBSP, LS, PS."""
_LENGTHS: Final = {"x": 2, "u": 4, "U": 8}
_HEX = re.compile(r"[0-9a-fA-F]{2,8}").match


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text as it was written. raw: from its first character in the file to its last. style: one of ``"'|>`` or ""."""

    raw: str
    style: str

    def spot(self, value: str, offset: int) -> tuple[int, int]:
        """Lines below the first one, and the column, of the value's character at this offset.

        On the first line the column counts from the text's own first character, which is 1.
        """
        shown = sum(not one.isspace() for one in value[:offset])
        inside = offset < len(value) and not value[offset].isspace()
        starts = list(_starts(self.raw, self.style))
        if inside and shown < len(starts):
            index = starts[shown]
        elif starts:
            index = starts[min(shown, len(starts)) - 1] + 1 if shown else starts[0]
        else:
            index = 0
        return self.raw.count("\n", 0, index), index - self.raw.rfind("\n", 0, index)


def _starts(raw: str, style: str) -> Iterator[int]:
    """Where in the raw text each character of the value begins that is no white space."""
    if style == '"':
        return _double(raw)
    if style == "'":
        return _single(raw)
    begin = raw.find("\n") + 1 if style in ("|", ">") and style else 0
    return (at for at in range(begin, len(raw)) if not raw[at].isspace())


def _single(raw: str) -> Iterator[int]:
    at, end = 1, len(raw) - 1
    while at < end:
        if not raw[at].isspace():
            yield at
        at += 2 if raw.startswith("''", at) else 1


def _double(raw: str) -> Iterator[int]:
    at, end = 1, len(raw) - 1
    while at < end:
        if raw[at] != "\\":
            if not raw[at].isspace():
                yield at
            at += 1
            continue
        if raw[at + 1] != "\n" and not _is_space(raw, at + 1):
            yield at
        at += _length(raw, at)


def _length(raw: str, at: int) -> int:
    """Characters of the escape that begins here; two surrogates of JSON are one."""
    length = 2 + _LENGTHS.get(raw[at + 1], 0)
    pair = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]").match(raw, at)
    return 12 if pair else length


def _is_space(raw: str, at: int) -> bool:
    """Whether the escape whose letter stands here means white space."""
    digits = _LENGTHS.get(raw[at])
    if digits is None:
        return raw[at] in _ESCAPED_SPACE
    found = _HEX(raw, at + 1, at + 1 + digits)
    return found is not None and int(found[0], 16) < 0x110000 and chr(int(found[0], 16)).isspace()
