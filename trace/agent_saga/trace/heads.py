"""The head of a line without parsing it: which saga it claims to belong to, and where.

For lines that cannot be parsed, so that one bad line costs one finding and not the chain behind it; and for bringing
the lines of a saga together, and dividing the sagas of one input among several readers, before anything is parsed.
"""

import re
from typing import Final
from zlib import crc32

_PREFIX: Final = b'{"v":1,"saga":"'
_START: Final = len(_PREFIX)
_END: Final = b',"type":"saga.ended",'
_BEFORE_TYPE: Final = len(b'","seq":0,"prev":"","at":""') + 64 + 27
"""Bytes between the saga and the type of a line whose seq has one digit."""
_DIGITS: Final = 16
"""The most digits that a seq may have."""
_HEAD = re.compile(rb'\{"v":[0-9]{1,9},"saga":"([A-Za-z0-9._:-]{1,128})","seq":([0-9]{1,%d}),' % _DIGITS).match


def claimed(line: bytes) -> tuple[str, int] | None:
    """The saga and seq that a line claims at its head; None when the head is not that of a line."""
    head = _HEAD(line)
    return (head[1].decode(), int(head[2])) if head else None


def saga_of(line: bytes) -> bytes:
    """The saga that :func:`claimed` would name, much faster; any other bytes for a line of which it names none."""
    if line.startswith(_PREFIX):
        return line[_START : line.find(b'"', _START)]
    head = claimed(line)
    return head[0].encode() if head else b""


def ends(line: bytes, saga: bytes) -> bool:
    """Whether a line of this saga is its ``saga.ended``. It may be so of a line that is none, never the reverse."""
    start = _START + len(saga) + _BEFORE_TYPE
    return line.find(_END, start, start + len(_END) + _DIGITS) >= 0


def place_of(saga: bytes, parts: int) -> int:
    """Which of ``parts`` readers a saga belongs to."""
    return crc32(saga) % parts
