"""The file of a simulated provider: calls as they came in, and bookings, which are what really happened."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ACTIVE, REVERSED, REJECTED = "active", "reversed", "rejected"

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS calls (n INTEGER PRIMARY KEY, action TEXT NOT NULL, key TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS faults (
    action TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, fault TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS mute (action TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (action, key)) STRICT;
CREATE TABLE IF NOT EXISTS bookings (
    n INTEGER PRIMARY KEY, action TEXT NOT NULL, key TEXT NOT NULL, reference TEXT NOT NULL UNIQUE, args TEXT NOT NULL,
    reverses TEXT, minor INTEGER, currency TEXT, status TEXT NOT NULL) STRICT;
"""
_COLUMNS: Final = "action, key, reference, args, reverses, minor, currency, status"


@dataclass(frozen=True, slots=True)
class Booking:
    """One thing that really happened.

    reference: the provider's number for it. reverses: the reference of what it takes back, None for a forward booking.
    status: active; reversed, when all of it was taken back; rejected, when the provider backed out after it accepted.
    """

    action: str
    key: str
    reference: str
    args: dict[str, Any]
    reverses: str | None
    minor: int | None
    currency: str | None
    status: str


@dataclass(frozen=True, slots=True)
class Effect:
    """All that happened under one idempotency key of one action: how often, and how often it was taken back."""

    provider: str
    action: str
    key: str
    times: int
    undone: int
    minor: int | None
    currency: str | None

    @property
    def stands(self) -> bool:
        """Whether something of it is left."""
        return self.undone < self.times

    @property
    def sound(self) -> bool:
        """Whether it happened once, and was taken back at most once."""
        return self.times == 1 and self.undone <= 1


class Reader:
    """What may be asked of a provider without changing anything; the file is opened read-only.

    Raises TimeoutError where the provider gives no answer.
    """

    name = "provider"

    def __init__(self, path: Path) -> None:
        self.path = path

    def read_only(self) -> "Reader":
        """A handle that cannot book."""
        reader = Reader(self.path)
        reader.name = self.name
        return reader

    def find(self, action: str, key: str) -> Booking | None:
        """The booking made under a key, the first when there are several; None: there is none."""
        with connected(self.path, writable=False) as book:
            if book.execute("SELECT 1 FROM mute WHERE action = ? AND key = ?", (action, key)).fetchone():
                raise TimeoutError(f"{self.name} cannot say what became of {action}")
            return lookup(book, "action = ? AND key = ?", action, key)

    def get(self, reference: str) -> Booking | None:
        """The booking of a reference."""
        with connected(self.path, writable=False) as book:
            return lookup(book, "reference = ?", reference)

    def bookings(self) -> list[Booking]:
        """Everything that really happened, in order."""
        with connected(self.path, writable=False) as book:
            return [_booking(row) for row in book.execute(f"SELECT {_COLUMNS} FROM bookings ORDER BY n")]

    def ledger(self) -> list[Effect]:
        """What exists and how often, by idempotency key; the truth, also where the provider's answers hide it."""
        bookings = self.bookings()
        forward: dict[tuple[str, str], list[Booking]] = {}
        for one in bookings:
            if one.reverses is None:
                forward.setdefault((one.action, one.key), []).append(one)
        return [self._effect(made, bookings) for made in forward.values()]

    def _effect(self, made: list[Booking], bookings: list[Booking]) -> Effect:
        references = {one.reference for one in made}
        undone = sum(1 for one in bookings if one.reverses in references)
        first = made[0]
        return Effect(self.name, first.action, first.key, len(made), undone, first.minor, first.currency)

    def calls(self, action: str) -> int:
        """How often the action was asked for, whatever came of it."""
        with connected(self.path, writable=False) as book:
            return int(book.execute("SELECT count(*) FROM calls WHERE action = ?", (action,)).fetchone()[0])


@contextmanager
def connected(path: Path, *, writable: bool = True) -> Iterator[sqlite3.Connection]:
    """The file, opened for one question or one change: a change is durable when this ends, or did not happen."""
    place = f"{path.absolute().as_uri()}?mode={'rwc' if writable else 'ro'}"
    with closing(sqlite3.connect(place, uri=True, timeout=30, isolation_level=None)) as book:
        book.execute("PRAGMA synchronous = FULL")
        if not writable:
            yield book
            return
        book.execute("BEGIN IMMEDIATE")
        try:
            yield book
        except BaseException:
            book.execute("ROLLBACK")
            raise
        book.execute("COMMIT")


def create(path: Path) -> None:
    """Make the file; one that is there already stays as it is."""
    with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as book:
        book.execute("PRAGMA synchronous = FULL")
        book.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")


def add(book: sqlite3.Connection, made: Booking) -> None:
    """Write a booking."""
    values = (made.action, made.key, made.reference, json.dumps(made.args), made.reverses, made.minor, made.currency)
    book.execute(f"INSERT INTO bookings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*values, made.status))


def lookup(book: sqlite3.Connection, where: str, *values: str) -> Booking | None:
    """The first booking of which a condition is true."""
    row = book.execute(f"SELECT {_COLUMNS} FROM bookings WHERE {where} ORDER BY n LIMIT 1", values).fetchone()
    return _booking(row) if row else None


def _booking(row: tuple[Any, ...]) -> Booking:
    action, key, reference, args, *rest = row
    return Booking(action, key, reference, json.loads(args), *rest)
