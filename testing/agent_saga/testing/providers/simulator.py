"""What every simulated provider does with a call: counts it, misbehaves when told to, books it at most once a key."""

import os
import signal
import sqlite3
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from agent_saga.runtime.errors import NotDone
from agent_saga.testing.providers.book import (
    ACTIVE,
    REJECTED,
    REVERSED,
    Booking,
    Reader,
    add,
    connected,
    create,
    lookup,
)


class Declined(NotDone):
    """The provider said no: nothing happened."""


class Fault(StrEnum):
    """How a provider can misbehave when it is called."""

    LOST_REPLY = "lost-reply"
    """It happens, and the answer is lost."""
    LOST_REQUEST = "lost-request"
    """The call never arrives, and no answer comes."""
    DECLINED = "declined"
    """It is refused, and did not happen."""
    REJECTED_LATER = "rejected-later"
    """It is accepted, and the provider backs out of it afterwards."""
    UNPROVABLE = "unprovable"
    """It happens, the answer is lost, and the provider never says what became of the key."""
    POWER_CUT = "power-cut"
    """It happens, and the calling process is killed before it hears of it."""


_SILENT: Final = frozenset({Fault.LOST_REPLY, Fault.UNPROVABLE, Fault.LOST_REQUEST})


class Simulator(Reader):
    """A provider with a ledger of its own. The same file may be open in many processes.

    idempotent: a second call of the same action with the same key answers as the first did and books nothing.
    """

    def __init__(self, path: Path, *, idempotent: bool = True) -> None:
        super().__init__(path)
        self.idempotent = idempotent
        path.parent.mkdir(parents=True, exist_ok=True)
        create(path)

    def misbehave(self, action: str, fault: Fault, *, calls: int = 1, after: int = 0) -> None:
        """Do this with so many calls of the action, after so many from now on that go well."""
        with connected(self.path) as book:
            first = _count(book, action) + 1 + after
            book.execute("INSERT INTO faults VALUES (?, ?, ?, ?)", (action, first, first + calls - 1, fault.value))

    def _book(
        self,
        action: str,
        key: str,
        args: dict[str, Any],
        *,
        amount: dict[str, Any] | None = None,
        reverses: str | None = None,
    ) -> Booking:
        """Take a call. Raises Declined (nothing happened) or TimeoutError (it may have)."""
        fault = self._received(action, key)
        if fault is Fault.DECLINED:
            raise Declined(f"{self.name} declined {action}")
        if fault is not Fault.LOST_REQUEST:
            minor, currency = (amount["minor"], amount["currency"]) if amount else (None, None)
            made = self._commit(Booking(action, key, "", args, reverses, minor, currency, ACTIVE), fault)
            if fault is Fault.POWER_CUT:
                os.kill(os.getpid(), signal.SIGKILL)
            if fault not in _SILENT:
                return made
        raise TimeoutError(f"no answer from {self.name} to {action}")

    def _received(self, action: str, key: str) -> Fault | None:
        """Count the call; how the provider is to misbehave with it."""
        with connected(self.path) as book:
            number = 1 + _count(book, action)
            book.execute("INSERT INTO calls (action, key) VALUES (?, ?)", (action, key))
            query = "SELECT fault FROM faults WHERE action = ? AND ? BETWEEN first AND last"
            row = book.execute(query, (action, number)).fetchone()
            return Fault(row[0]) if row else None

    def _commit(self, wanted: Booking, fault: Fault | None) -> Booking:
        with connected(self.path) as book:
            known = self._known(book, wanted)
            if known is not None:
                return known
            if wanted.reverses is not None:
                _take_back(book, wanted, self.name)
            count = book.execute("SELECT count(*) FROM bookings").fetchone()[0]
            status = REJECTED if fault is Fault.REJECTED_LATER else ACTIVE
            made = replace(wanted, reference=f"{wanted.action}-{count + 1}", status=status)
            add(book, made)
            if fault is Fault.UNPROVABLE:
                book.execute("INSERT OR IGNORE INTO mute VALUES (?, ?)", (wanted.action, wanted.key))
            return made

    def _known(self, book: sqlite3.Connection, wanted: Booking) -> Booking | None:
        """What this key did already, for a provider that knows keys."""
        if not self.idempotent:
            return None
        made = lookup(book, "action = ? AND key = ?", wanted.action, wanted.key)
        if made is not None and made.args != wanted.args:
            raise Declined(f"{self.name}: key {wanted.key} was used for another {wanted.action}")
        return made


def _count(book: sqlite3.Connection, action: str) -> int:
    return int(book.execute("SELECT count(*) FROM calls WHERE action = ?", (action,)).fetchone()[0])


def _take_back(book: sqlite3.Connection, wanted: Booking, name: str) -> None:
    """Mark what is taken back. Raises Declined when there is nothing left to take back."""
    query = "SELECT minor, status FROM bookings WHERE reference = ? AND reverses IS NULL"
    row = book.execute(query, (wanted.reverses,)).fetchone()
    if row is None or row[1] == REVERSED:
        raise Declined(f"{name}: nothing left of {wanted.reverses} to {wanted.action}")
    query = "SELECT coalesce(sum(minor), 0) FROM bookings WHERE reverses = ?"
    taken = int(book.execute(query, (wanted.reverses,)).fetchone()[0]) + (wanted.minor or 0)
    if row[0] is not None and taken > row[0]:
        raise Declined(f"{name}: {wanted.action} of {wanted.minor} is more than is left of {wanted.reverses}")
    if row[0] is None or taken == row[0]:
        book.execute("UPDATE bookings SET status = ? WHERE reference = ?", (REVERSED, wanted.reverses))
