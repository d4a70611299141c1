"""The saga index as lines come in: for each saga its first and last line, their number, and its head.

Each line is held against the chain of its saga: seq and prev must be the next. So the index never counts a line that
does not continue its saga, and it is brought up to date from the one before at the cost of the new lines.

Source: docs/spec/log-v1.md, "Saga index".
"""

import re
from binascii import hexlify
from collections.abc import Iterable, Sequence
from typing import Final

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.index import HIGHEST, LOWEST, key_of, parse_entry, sentinel
from agent_saga.trace.limits import GENESIS, LOG_SAGA, MAX_SAGA_ID

_PREFIX: Final = b'{"v":1,"saga":"'
_FOLLOWS: Final = b'","seq":%d,"prev":"%b",'
_KEY: Final = slice(len(b"agent-saga-index-v1 "), len(b"agent-saga-index-v1 ") + 64)
_SAGA = re.compile(rb"[A-Za-z0-9._:-]{1,%d}" % MAX_SAGA_ID).fullmatch


class BrokenChain(LogFault):
    """A line of the store is none of a trace, or does not continue its saga."""


class Row:
    """A saga while it is counted: an :class:`~agent_saga.proofs.entries.Entry` that grows.

    follows: what the head of its next line must hold after the saga's id.
    """

    __slots__ = ("first", "follows", "key", "last", "lines")

    def __init__(self, key: str, first: int, last: int, lines: int, head: bytes) -> None:
        self.key, self.first, self.last, self.lines = key, first, last, lines
        self.follows = _FOLLOWS % (lines, head)

    @property
    def head(self) -> str:
        """Leaf of its last line, hex."""
        return self.follows[-66:-2].decode()

    def text(self) -> bytes:
        """Its entry, with its LF."""
        return b"agent-saga-index-v1 %b %d %d %d %b\n" % (
            self.key.encode(),
            self.first,
            self.last,
            self.lines,
            self.follows[-66:-2],
        )


class Census:
    """Counts sagas. own: the log's own lines met, with their indices."""

    def __init__(self, entries: bytes = b"") -> None:
        """entries: the text of the index so far, sentinels included; one that was checked against its root."""
        self._entries = {one[_KEY]: one for one in entries.splitlines(keepends=True)}
        self._rows: dict[bytes, Row] = {}
        self._log: Row | None = None
        self.own: list[tuple[int, bytes]] = []

    def add(self, start: int, lines: Sequence[bytes], leaves: Iterable[bytes]) -> None:
        """Count lines from index ``start`` on, with their leaf hashes.

        Raises BrokenChain for a line that is none of a trace, or does not continue its saga.
        """
        known, begin = self._rows.get, len(_PREFIX)
        for index, (line, hashed) in enumerate(zip(lines, leaves, strict=True), start):
            end = line.find(b'"', begin)
            row = known(line[begin:end]) or self._meet(line[begin:end], index)
            if not (line.startswith(row.follows, end) and line.startswith(_PREFIX)):
                raise BrokenChain(
                    f"line {index}: is not line {row.lines} of its saga, chained to the one before; "
                    "`agent-saga certify` says what is wrong with it"
                )
            row.last = index
            row.lines += 1
            row.follows = _FOLLOWS % (row.lines, hexlify(hashed))
            if row is self._log:
                self.own.append((index, line))

    def _meet(self, saga: bytes, index: int) -> Row:
        """The row of a saga that is met for the first time in this run."""
        if not _SAGA(saga):
            raise BrokenChain(f"line {index}: is no line of a trace; `agent-saga certify` says what is wrong with it")
        key = key_of(saga.decode())
        known = self._entries.get(key.encode())
        if known is None:
            row = Row(key, index, index, 0, GENESIS.encode())
        else:
            entry = parse_entry(known.decode())
            row = Row(key, entry.first, entry.last, entry.lines, entry.head.encode())
        self._rows[saga] = row
        if saga == LOG_SAGA.encode():
            self._log = row
        return row

    def row(self, saga: str = LOG_SAGA) -> Row | None:
        """What is known of a saga."""
        name = saga.encode()
        if name in self._rows or key_of(saga).encode() in self._entries:
            return self._rows.get(name) or self._meet(name, -1)
        return None

    def entries(self) -> list[bytes]:
        """All entries, in order, with the sentinels, each with its LF."""
        for row in self._rows.values():
            self._entries[row.key.encode()] = row.text()
        for key in (LOWEST, HIGHEST):
            self._entries[key.encode()] = sentinel(key).text().encode()
        return [self._entries[key] for key in sorted(self._entries)]
