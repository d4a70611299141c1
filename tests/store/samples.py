"""Lines for tests of stores: short sagas, the same bytes each time."""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from typing import Any

from agent_saga.trace import SagaWriter
from agent_saga.trace.conceal import conceal
from agent_saga.trace.store import Disclosure, NewLine

STARTED = {"log": "log.example/acme", "name": "order", "format": "1.0", "tools": {}}


class Writer:
    """Writes one saga line by line. size: characters of evidence on each check."""

    def __init__(self, saga: str, size: int = 0) -> None:
        self.saga = saga
        self._writer = SagaWriter(saga, random.Random(saga).randbytes)
        self._size = size

    def _line(self, type: str, **members: Any) -> NewLine:
        seq = self._writer.seq
        at = f"2026-11-30T07:{seq // 60 % 60:02}:{seq % 60:02}.000000Z"
        return NewLine(self.saga, seq, self._writer.line(type, at, **members))

    def next(self) -> NewLine:
        """The saga's next line: the start, then checks."""
        if self._writer.seq == 0:
            return self._line("saga.started", **STARTED)
        return self.check("x" * self._size)

    def check(self, evidence: Any) -> NewLine:
        """A check with this evidence."""
        return self._line("check.evaluated", check=f"c{self._writer.seq}", passed=True, evidence=evidence)

    def end(self) -> NewLine:
        """The saga's end."""
        return self._line("saga.ended", status="aborted_clean", held=[])

    def some(self, count: int) -> list[NewLine]:
        """The next lines."""
        return [self.next() for _ in range(count)]


def whole(saga: str, count: int = 4) -> list[NewLine]:
    """A saga of this many lines that ends."""
    writer = Writer(saga)
    return [*writer.some(count - 1), writer.end()]


def concealed(saga: str) -> tuple[list[NewLine], Disclosure]:
    """Two lines, the second with a concealed value, and what opens it."""
    writer = Writer(saga)
    salt = urlsafe_b64encode(random.Random(saga + "salt").randbytes(16)).rstrip(b"=").decode()
    hidden, text = conceal("Ada Lovelace", salt)
    return [writer.next(), writer.check({"name": hidden})], Disclosure(saga, text)
