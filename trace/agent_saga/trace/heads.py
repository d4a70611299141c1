"""The head of a line without parsing it: which saga it claims to belong to, and where.

For lines that cannot be parsed, so that one bad line costs one finding and not the chain behind it; and for dividing
the sagas of one input among several readers.
"""

import re
from typing import Final
from zlib import crc32

_PREFIX: Final = b'{"v":1,"saga":"'
_HEAD = re.compile(rb'\{"v":[0-9]{1,9},"saga":"([A-Za-z0-9._:-]{1,128})","seq":([0-9]{1,16}),').match


def claimed(line: bytes) -> tuple[str, int] | None:
    """The saga and seq that a line claims at its head; None when the head is not that of a line."""
    head = _HEAD(line)
    return (head[1].decode(), int(head[2])) if head else None


def place_of(line: bytes, parts: int) -> int:
    """Which of ``parts`` readers a line belongs to: all lines of a saga to one, lines without a saga to the first."""
    if not line.startswith(_PREFIX):
        head = claimed(line)
        return crc32(head[0].encode()) % parts if head else 0
    start = len(_PREFIX)
    return crc32(line[start : line.find(b'"', start)]) % parts
