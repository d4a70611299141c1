"""Redacted records, kept aside: what they were is proven by their event name, whose they were is not.

When a saga lacks a record of a kind of which one was redacted before, that one is taken to be it. The report says that
records are withheld, so the verdict is inconclusive at best; the guess only keeps a redaction from looking like a
missing record.

Source: docs/sources/agent-saga-log.md, "Redacted records".
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agent_saga.certify.source import Fault
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.values import CONCEALED_NAME

WITHHELD: Final = "[withheld]"
"""Stands for a tool that a redacted record named."""
_HELD: Final = 1000
"""Redacted records remembered of each kind; more are only counted. Bounds memory on a hostile log."""


class Stub(NamedTuple):
    """One redacted record."""

    line: int
    at: str
    digest: str

    @property
    def sealed(self) -> dict[str, Any]:
        """A placeholder for its content: the content's salted digest, in the form of a concealed value."""
        return {CONCEALED_NAME: unpadded(bytes.fromhex(self.digest))}


class Withheld:
    """All redacted records of a log that no saga has claimed yet."""

    def __init__(self) -> None:
        self.count = 0
        self._first = 0
        self._last = 0
        self._stubs: dict[str, list[Stub]] = {}

    def add(self, event: str, stub: Stub) -> None:
        """Keep one redacted record."""
        self.count += 1
        self._first = self._first or stub.line
        self._last = stub.line
        kept = self._stubs.setdefault(event, [])
        if len(kept) < _HELD:
            kept.append(stub)

    def claim(self, event: str, after: int = 0) -> Stub | None:
        """Take the oldest redacted record of this kind, if it stands after line ``after``."""
        kept = self._stubs.get(event, ())
        for stub in kept:
            if stub.line > after:
                self._stubs[event].remove(stub)
                return stub
        return None

    def close(self) -> Iterator[Fault]:
        """One open question for all of them."""
        if self.count:
            where = f"line {self._first}" if self.count == 1 else f"lines {self._first} to {self._last}"
            yield Fault(
                self._first,
                "AS602",
                f"{self.count} record(s) are redacted ({where}): their place in the chain is verified, their content "
                "cannot be read, and its digest cannot be recomputed",
                subject="redacted records",
                expected="the records as they were written",
                what="redacted record",
                inconclusive=True,
            )
