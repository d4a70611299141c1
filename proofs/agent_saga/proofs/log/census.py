"""The saga index as lines come in: for each saga its first and last line, their number, and its head.

Each line is held against the chain of its saga: seq and prev must be the next. So the index never counts a line that
does not continue its saga, and it is brought up to date from the one before at the cost of the new lines.

Source: docs/spec/log-v1.md, "Saga index".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.index import HIGHEST, LOWEST, Entry, key_of, parse_entry, sentinel
from agent_saga.trace.limits import GENESIS, LOG_SAGA, MAX_SAGA_ID

_PREFIX: Final = b'{"v":1,"saga":"'
_KEY: Final = slice(len(b"agent-saga-index-v1 "), len(b"agent-saga-index-v1 ") + 64)
_SAGA = re.compile(rb"[A-Za-z0-9._:-]{1,%d}" % MAX_SAGA_ID).fullmatch


@dataclass(slots=True)
class Row:
    """A saga while it is counted. head: hex, as it stands in the next line's prev."""

    first: int
    last: int
    lines: int
    head: bytes


class Census:
    """Counts sagas. own: the log's own lines met, with their indices."""

    def __init__(self, entries: bytes = b"") -> None:
        """entries: the text of the index so far, sentinels included; one that was checked against its root."""
        self._entries = {one[_KEY]: one for one in entries.splitlines(keepends=True)}
        self._rows: dict[bytes, Row] = {}
        self.own: list[tuple[int, bytes]] = []

    def add(self, start: int, lines: Sequence[bytes], leaves: Iterable[bytes]) -> None:
        """Count lines from index ``start`` on, with their leaf hashes.

        Raises LogFault for a line that is none of a trace, or does not continue its saga.
        """
        rows, begin = self._rows, len(_PREFIX)
        for index, (line, hashed) in enumerate(zip(lines, leaves, strict=True), start):
            saga = line[begin : line.find(b'"', begin)]
            row = rows.get(saga) or self._meet(saga, index)
            if not line.startswith(b'{"v":1,"saga":"%b","seq":%d,"prev":"%b",' % (saga, row.lines, row.head)):
                raise LogFault(
                    f"line {index}: is not line {row.lines} of its saga, chained to the one before; "
                    "`agent-saga certify` says what is wrong with it"
                )
            row.last, row.lines, row.head = index, row.lines + 1, hashed.hex().encode()
            if saga == b"log":
                self.own.append((index, line))

    def _meet(self, saga: bytes, index: int) -> Row:
        """The row of a saga that is met for the first time in this run."""
        if not _SAGA(saga):
            raise LogFault(f"line {index}: is no line of a trace; `agent-saga certify` says what is wrong with it")
        known = self._entries.get(key_of(saga.decode()).encode())
        if known is None:
            row = Row(index, index, 0, GENESIS.encode())
        else:
            entry = parse_entry(known.decode())
            row = Row(entry.first, entry.last, entry.lines, entry.head.encode())
        self._rows[saga] = row
        return row

    def row(self, saga: str = LOG_SAGA) -> Row | None:
        """What is known of a saga."""
        name = saga.encode()
        if name in self._rows or key_of(saga).encode() in self._entries:
            return self._rows.get(name) or self._meet(name, -1)
        return None

    def entries(self) -> list[bytes]:
        """All entries, in order, with the sentinels, each with its LF."""
        for saga, row in self._rows.items():
            key = key_of(saga.decode())
            self._entries[key.encode()] = _text(key, row)
        for key in (LOWEST, HIGHEST):
            self._entries[key.encode()] = sentinel(key).text().encode()
        return [self._entries[key] for key in sorted(self._entries)]


def _text(key: str, row: Row) -> bytes:
    return Entry(key, row.first, row.last, row.lines, row.head.decode()).text().encode()


def entry_leaves(entries: Iterable[bytes]) -> bytes:
    """The leaf hashes of the entries of an index, end to end."""
    return b"".join(map(leaf, entries))
