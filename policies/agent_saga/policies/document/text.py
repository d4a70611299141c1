"""The text of a document: read within a bound, UTF-8, and nothing in it that a reviewer could not see."""

import os
import re
import stat
from collections.abc import Iterator
from typing import Final

from agent_saga.policies.document.nodes import DocumentError, Fault, Kind

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters, line breaks that only some programs see, and marks that reorder or hide text."""


def read(path: str, kind: Kind) -> bytes:
    """The bytes of a document, and of one that is too large one byte too many. Raises DocumentError."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise DocumentError(path, [Fault(1, 1, "is no file")])
            return stream.read(kind.most + 1)
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        what = f"cannot be read: {getattr(fault, 'strerror', None) or fault}"
        raise DocumentError(path, [Fault(1, 1, what)]) from fault


def decode(data: bytes, path: str, kind: Kind) -> str:
    """The text, with LF at the ends of lines. Raises DocumentError: there is too much of it, or it is not UTF-8."""
    if len(data) > kind.most:
        raise DocumentError(path, [Fault(1, 1, f"more than {kind.most} bytes; is it the file you meant?")])
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as fault:
        before = data[: fault.start].decode("utf-8")
        what = f"byte 0x{data[fault.start]:02x} is not UTF-8; save the file as UTF-8"
        raise DocumentError(path, [Fault(*place(before, len(before)), what)]) from fault


def place(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, from 1."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def unseen(text: str, tabs: bool) -> Iterator[Fault]:
    """The characters that may not stand in a document as they are. tabs: whether tabs may."""
    for match in _UNSEEN.finditer(text):
        yield Fault(*place(text, match.start()), f"the character U+{ord(match[0]):04X} does not show; leave it out")
    for match in re.finditer("\r" if tabs else "[\t\r]", text):
        what = "a tab; indent with spaces" if match[0] == "\t" else "a carriage return alone; end lines with LF"
        yield Fault(*place(text, match.start()), what)


def odd(text: str) -> str:
    """What is wrong with a text value, written with escapes or not; "" when it may stand."""
    match = _UNSEEN.search(text) or re.search("[\ud800-\udfff]", text)
    return f"the text holds the character U+{ord(match[0]):04X}, which does not show; leave it out" if match else ""


def shown(text: str) -> str:
    """A text that is refused, as one that can be looked at further."""
    return text.encode("utf-8", "replace").decode("utf-8")
