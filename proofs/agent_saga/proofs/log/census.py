"""The saga index as lines come in: for each saga its first and last line, their number, and its head.

Each line is held against the chain of its saga: seq and prev must be the next. So the index never counts a line that
does not continue its saga, and it is brought up to date from the one before at the cost of the new lines.

Source: docs/spec/log-v1.md, "Saga index".
"""

import re
from binascii import hexlify
from collections.abc import Sequence
from operator import itemgetter
from struct import unpack
from typing import Final

from agent_saga.proofs.entries import HIGHEST, KEY_BEGUN, LOWEST, parse_entry, sentinel
from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.hashing import HASH
from agent_saga.trace.limits import GENESIS, LOG_SAGA, MAX_SAGA_ID

_PREFIX: Final = b'{"v":1,"saga":"'
_BETWEEN: Final = b'","seq":%d,"prev":"'
_BETWEENS: Final = [_BETWEEN % seq for seq in range(1024)]
"""Those of nearly all lines, so that they need not be written out for each."""
_FIRST: Final = _BETWEENS[0] + GENESIS.encode() + b'"'
_HEAD: Final = slice(-65, -1)
"""Where the leaf stands in what a line must hold."""
_KEY: Final = slice(len(b"agent-saga-index-v1 "), len(b"agent-saga-index-v1 ") + 64)
_BEGIN = re.compile(rb"%b([A-Za-z0-9._:-]{1,%d})" % (re.escape(_PREFIX), MAX_SAGA_ID)).fullmatch
_OWN: Final = _PREFIX + LOG_SAGA.encode()


class BrokenChain(LogFault):
    """A line of the store is none of a trace, or does not continue its saga."""


class Row:
    """A saga while it is counted: an :class:`~agent_saga.proofs.entries.Entry` that grows.

    block, at: where its last line stands: the lines that came in with it begin at ``block``, and it is the one ``at``.
    Two numbers that other rows share: a number of its own for each line, made by one row and freed by another, costs
    a fifth of the whole count once the rows are more than the processor's cache holds.
    follows: what its next line must hold after the saga's id: seq and prev, up to the quote that ends them.
    """

    __slots__ = ("at", "block", "first", "follows", "lines")

    def __init__(self, first: int) -> None:
        """Of a saga that begins with the line ``first``."""
        self.first = self.block = first
        self.at = self.lines = 0
        self.follows = _FIRST

    @property
    def last(self) -> int:
        """Global index of its last line."""
        return self.block + self.at

    @property
    def head(self) -> str:
        """Leaf of its last line, hex."""
        return self.follows[_HEAD].decode()

    def text(self, key: bytes) -> bytes:
        """Its entry, with its LF. key: under which the saga stands in the index."""
        return b"agent-saga-index-v1 %b %d %d %d %b\n" % (
            key,
            self.first,
            self.block + self.at,
            self.lines,
            self.follows[_HEAD],
        )


class Census:
    """Counts sagas. own: the log's own lines met, with their indices."""

    def __init__(self, entries: bytes = b"") -> None:
        """entries: the text of the index so far, sentinels included; one that was checked against its root."""
        self._entries = {one[_KEY]: one for one in entries.splitlines(keepends=True)}
        self._rows: dict[bytes, Row] = {}
        """By the begin of their lines, up to the end of the saga's id."""
        self._log: Row | None = None
        self.own: list[tuple[int, bytes]] = []

    def add(self, start: int, lines: Sequence[bytes], leaves: bytes) -> None:
        """Count lines from index ``start`` on. leaves: their hashes, end to end.

        Most sagas have ids of one length, so each is looked up as if its id were as long as the first one's; only a
        line that does not fit then is looked at again. Raises BrokenChain for a line that is none of a trace, or does
        not continue its saga.
        """
        end = lines[0].find(b'"', len(_PREFIX)) if lines else 0
        known = self._rows.get
        rows = list(map(known, map(itemgetter(slice(end)), lines)))
        heads = unpack("65s" * len(lines), hexlify(leaves, b'"', -HASH) + b'"' if lines else b"")
        betweens, most = _BETWEENS, len(_BETWEENS)
        for at, line, row, head in zip(range(len(lines)), lines, rows, heads, strict=True):
            if row is None:  # a saga's first line, or another of one that was met since the others were looked up
                row = known(line[:end]) or self._begun(start + at, line, end)
            if not line.startswith(row.follows, end):
                row = self._continued(start + at, line)
            row.block = start
            row.at = at
            row.lines = seq = row.lines + 1
            row.follows = (betweens[seq] if seq < most else _BETWEEN % seq) + head
        if self._log is not None and self._log.last >= start:
            self.own += [(at, line) for at, line in enumerate(lines, start) if line.startswith(_OWN + b'"')]

    def _begun(self, index: int, line: bytes, end: int) -> Row:
        """The row of a saga that is not known by the line's first ``end`` bytes. Raises BrokenChain."""
        if line.startswith(_FIRST, end):  # then its id ends there
            return self._meet(line[:end], index)
        return self._continued(index, line)

    def _continued(self, index: int, line: bytes) -> Row:
        """The row of the saga that a line continues. Raises BrokenChain."""
        end = line.find(b'"', len(_PREFIX))
        row = self._rows.get(line[:end]) or self._meet(line[:end], index)
        if not line.startswith(row.follows, end):
            raise BrokenChain(
                f"line {index}: is not line {row.lines} of its saga, chained to the one before; "
                "`agent-saga certify` says what is wrong with it"
            )
        return row

    def _meet(self, begin: bytes, index: int) -> Row:
        """The row of a saga that is met for the first time in this run. begin: of its line, up to the saga's end."""
        found = _BEGIN(begin)
        if found is None:
            raise BrokenChain(f"line {index}: is no line of a trace; `agent-saga certify` says what is wrong with it")
        known = self._entries.get(_key(begin)) if self._entries else None
        row = Row(index)
        if known is not None:
            entry = parse_entry(known.decode())
            row.first, row.block, row.at, row.lines = entry.first, entry.last, 0, entry.lines
            row.follows = _BETWEEN % entry.lines + entry.head.encode() + b'"'
        self._rows[begin] = row
        if begin == _OWN:
            self._log = row
        return row

    def row(self, saga: str = LOG_SAGA) -> Row | None:
        """What is known of a saga."""
        name = _PREFIX + saga.encode()
        if name in self._rows or _key(name) in self._entries:
            return self._rows.get(name) or self._meet(name, -1)
        return None

    def entries(self) -> list[bytes]:
        """All entries, in order, with the sentinels, each with its LF."""
        for begin, row in self._rows.items():
            key = _key(begin)
            self._entries[key] = row.text(key)
        for end in (LOWEST, HIGHEST):
            self._entries[end.encode()] = sentinel(end).text().encode()
        return sorted(self._entries.values())  # all begin alike, and then with their keys


def _key(begin: bytes) -> bytes:
    """The KEY of the saga whose lines begin so."""
    state = KEY_BEGUN.copy()
    state.update(begin[len(_PREFIX) :])
    return state.hexdigest().encode()
