"""The drafted lines as one buffer of COPY in binary form, which is quicker to make at once than row by row.

Source: postgresql.org/docs/current/sql-copy.html, "Binary Format": a signature, then for each row the number of its
fields and each field with its length in front, big-endian, then -1 as a number of fields.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final

from agent_saga.trace.store.draft import Draft

COPY: Final = "COPY agent_saga.events (saga, seq, batch, pos, ends, line) FROM STDIN (FORMAT BINARY)"

_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
_SAGA: Final = Struct(">hi").pack
"""Number of fields, and the length of the saga's name, which follows."""
_NUMBERS: Final = Struct(">iqiqiii?i").pack
"""seq, batch, pos and ends, each behind its length, and the length of the line, which follows."""


def rows_of(draft: Draft, batch: int) -> bytes:
    """All drafted lines, by saga and seq: two writers of the same places take them in the same order."""
    return b"".join([_BEGIN, *_fields(draft, batch), _END])


def _fields(draft: Draft, batch: int) -> Iterator[bytes]:
    lines = draft.lines
    for saga in sorted(draft.places):
        name = saga.encode()
        head = _SAGA(6, len(name)) + name
        for pos in draft.places[saga]:
            one = lines[pos]
            yield head
            yield _NUMBERS(8, one.seq, 8, batch, 4, pos, 1, one.ends, len(one.line))
            yield one.line
