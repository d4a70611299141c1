"""What a log's certified lines may still mean for lines to come, on disk: looked up, never read as a whole.

Salts, digests of concealed values, approvals that were used, counters of keys, effects that are gone, what relies on
effects, child sagas; and the lines of sagas that have not ended, which are judged again with the lines that follow.
:meth:`Memory.recall` brings back what meets a new fact, so that the certifier's own rules judge both together.

Source: docs/guide/nightly.md; docs/rules.md, AS216, AS217, AS304, AS306, AS311, AS603.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from agent_saga.certify.approving.uses import Burnt, Signature
from agent_saga.certify.judging.crossing import Child, Crossing
from agent_saga.certify.policing.spending import Bucket, Spending
from agent_saga.fleet.errors import StateFault
from agent_saga.fleet.state import AGAIN, State, read_state
from agent_saga.fleet.tables import prepare
from agent_saga.trace.base64url import decoded, unpadded
from agent_saga.trace.instants import SECOND

_AT_ONCE: Final = 500
"""Values looked up in one statement: SQLite takes at least 999 in any build."""

T = TypeVar("T")
Numbered = tuple[int, bytes]
"""A line with its number in the log, from 1."""
Unended = Mapping[str, Sequence[Numbered]]
"""The sagas that have not ended, and their lines."""


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, msgspec.MsgspecError, ValueError) as fault:
        raise StateFault(f"{path}: cannot be used as the memory of a certification ({fault}); {AGAIN}") from fault


class Memory:
    """The memory in one file. Every method raises StateFault when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        """Open it, or begin one where there is none."""
        self.path = path
        with _told(path):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None)
            try:
                self._db.execute("PRAGMA synchronous = FULL")
                prepare(self._db)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def state(self) -> State | None:
        """What the last certification left; None before the first."""
        with _told(self.path):
            row = self._db.execute("SELECT value FROM state").fetchone()
            return None if row is None else read_state(row[0])

    def unended(self) -> list[Numbered]:
        """The lines of the sagas that had not ended, in the order of the log."""
        with _told(self.path):
            return self._db.execute("SELECT line, bytes FROM open ORDER BY line").fetchall()

    def ended(self, saga: str) -> int:
        """The line that ended a saga; 0 when none did."""
        with _told(self.path):
            row = self._db.execute("SELECT line FROM ended WHERE saga = ?", (saga,)).fetchone()
            return int(row[0]) if row else 0

    def known(self, digests: Iterable[str]) -> frozenset[str]:
        """Those of these digests that stand on lines certified before."""
        with _told(self.path):
            found = self._among("SELECT digest FROM digests WHERE digest IN", map(decoded, digests))
            return frozenset(unpadded(one) for (one,) in found)

    def recall_signatures(self, crossing: Crossing, revoked: Iterable[str], since: int) -> None:
        """Bring back what keys signed that were revoked meanwhile, and the last that every key in use signed.

        since: lines certified before; a signature among them may be met again with a saga that had not ended.
        """
        uses = crossing.uses
        met = {(one.key, one.line) for one in uses.signatures}
        with _told(self.path):
            lost = self._among("SELECT value FROM signatures WHERE key IN", revoked)
            using = {one.key for one in uses.signatures if one.line > since}
            last = self._among(
                "SELECT value FROM signatures s WHERE line = (SELECT max(line) FROM signatures WHERE key = s.key) "
                "AND key IN",
                using,
            )
            for signature in {_of(Signature, value) for (value,) in (*lost, *last)}:
                if (signature.key, signature.line) not in met:
                    uses.signatures.append(signature)

    def recall(self, crossing: Crossing, since: int) -> None:
        """Bring back what meets what was found in new lines."""
        with _told(self.path):
            self._recall_salts(crossing, since)
            self._recall_uses(crossing)
            self._recall_effects(crossing)
            self._recall_spends(crossing.policing.spending, since)

    def _recall_salts(self, crossing: Crossing, since: int) -> None:
        fresh = [decoded(salt.decode()) for salt, line in crossing.salts.all() if line > since]
        again = self._among("SELECT salt, line FROM salts WHERE salt IN", fresh)
        crossing.salts.add([unpadded(salt).encode() for salt, _ in again], [line for _, line in again])
        fresh = [decoded(digest) for digest, line in crossing.digests.items() if line > since]
        for digest, line in self._among("SELECT digest, line FROM digests WHERE digest IN", fresh):
            text = unpadded(digest)
            crossing.repeated.append((text, crossing.digests[text]))
            crossing.digests[text] = line

    def _recall_uses(self, crossing: Crossing) -> None:
        met = {one.line for one in crossing.uses.burnt}
        names = [name for one in crossing.uses.burnt for name in one.names]
        for one in {_of(Burnt, value) for (value,) in self._among("SELECT value FROM burnt WHERE name IN", names)}:
            if one.line not in met:
                crossing.uses.burnt.append(one)

    def _recall_effects(self, crossing: Crossing) -> None:
        """Reads and children of effects that are gone now, and whether effects that are relied on now were gone."""
        db, met = self._db, {(reader, by) for reader, by, *_ in crossing.reads}
        for saga, effect in list(crossing.gone):
            for reader, by, line in db.execute(
                "SELECT reader, by, line FROM reads WHERE saga = ? AND effect = ?", (saga, effect)
            ).fetchall():
                if (reader, by) not in met:
                    crossing.reads.append((reader, by, line, saga, effect))
            crossing.children += (
                _of(Child, value)
                for (value,) in db.execute(
                    "SELECT value FROM children WHERE parent = ? AND effect = ?", (saga, effect)
                ).fetchall()
            )
        relied = {(saga, effect) for _, _, _, saga, effect in crossing.reads}
        relied |= {(reader, by) for reader, by, *_ in crossing.reads}
        relied |= {(one.parent, one.effect) for one in crossing.children}
        for saga, effect in relied - crossing.gone.keys():
            row = db.execute("SELECT line FROM gone WHERE saga = ? AND effect = ?", (saga, effect)).fetchone()
            if row is not None:
                crossing.gone[saga, effect] = row[0]

    def _recall_spends(self, spending: Spending, since: int) -> None:
        """What was taken within the windows of the calls on new lines."""
        met, begun = set(spending.lines), dict[Bucket, int]()
        for index, line in enumerate(spending.lines):
            for bucket, _ in spending.taken(index) if line > since else ():
                begun[bucket] = min(spending.ats[index], begun.get(bucket, spending.ats[index]))
        found: dict[tuple[int, int], list[tuple[Bucket, int]]] = {}
        for bucket, first in begun.items():
            rows = self._db.execute(
                "SELECT line, at, amount FROM spends WHERE bound = ? AND key = ? AND at > ?",
                (_bound(bucket), _key(bucket), first - bucket.window * SECOND),
            )
            for line, at, amount in rows:
                if line not in met:
                    found.setdefault((line, at), []).append((bucket, amount))
        for (line, at), taken in found.items():
            spending.put(line, at, taken)

    def learn(self, state: State, crossing: Crossing, unended: Unended, ended: Mapping[str, int], since: int) -> None:
        """Keep what lines after ``since`` showed, in one commit with the new state. ended: sagas, and where.

        What a saga that has not ended read, undid or stands for is not kept: it is judged again.
        """
        rows_of: list[tuple[str, Iterable[tuple[Any, ...]]]] = [
            ("salts", ((decoded(s.decode()), line) for s, line in crossing.salts.all() if line > since)),
            ("digests", ((decoded(one), line) for one, line in crossing.digests.items() if line > since)),
            ("ended", ended.items()),
            ("gone", ((*of, line) for of, line in crossing.gone.items() if of[0] not in unended)),
            ("reads", ((*of, reader, by, at) for reader, by, at, *of in crossing.reads if reader not in unended)),
            ("children", (_child_row(one) for one in crossing.children if one.saga not in unended)),
            ("spends", _spend_rows(crossing.policing.spending, since)),
            ("burnt", ((name, _text(one)) for one in crossing.uses.burnt for name in one.names)),
            ("signatures", ((one.key, one.line, _text(one)) for one in crossing.uses.signatures)),
        ]
        with _told(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            now = self.state()
            if (now.size if now else 0) != since:
                self._db.execute("ROLLBACK")
                raise StateFault(f"{self.path}: another run replaced it meanwhile; what that run left stands")
            for table, rows in rows_of:
                self._keep(table, rows)
            self._db.execute("DELETE FROM open")
            for lines in unended.values():
                self._db.executemany("INSERT INTO open VALUES (?, ?)", lines)
            self._db.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (msgspec.json.encode(state),))
            self._db.execute("COMMIT")

    def _keep(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        (width,) = self._db.execute(f"SELECT count(*) FROM pragma_table_info('{table}')").fetchone()
        places = ", ".join("?" * width)
        self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)

    def _among(self, query: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
        """The rows for any of these values; each value once."""
        rest, found = iter(dict.fromkeys(values)), list[tuple[Any, ...]]()
        while some := list(islice(rest, _AT_ONCE)):
            found += self._db.execute(f"{query} ({', '.join('?' * len(some))})", some)
        return found


def _text(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _of(cls: type[T], text: bytes) -> T:
    return msgspec.json.decode(text, type=cls)


def _spend_rows(spending: Spending, since: int) -> Iterator[tuple[Any, ...]]:
    for index, line in enumerate(spending.lines):
        for bucket, amount in spending.taken(index) if line > since else ():
            yield _bound(bucket), _key(bucket), spending.ats[index], line, bucket.window, bucket.max, amount


def _key(bucket: Bucket) -> str:
    """What a limit counts by, which may be a concealed value: kept as a hash, since it is only compared."""
    return sha256(f"{_bound(bucket)}\0{bucket.key}".encode()).hexdigest()


def _bound(bucket: Bucket) -> str:
    """A limit, apart from one of the same name in another policy."""
    return f"{bucket.policy}/{bucket.limit}"


def _child_row(child: Child) -> tuple[str, str, str, bytes]:
    return child.parent, child.effect, child.saga, _text(child)
