"""Breaks of the chain that a later record may own up to: the log's own compaction.

Compaction removes the records of settled sagas and appends ``WAL_CHAIN_GAP`` with the numbers removed. Nobody signs
that record, and what was removed cannot be judged, so a break that it accounts for is an open question, not an answer;
any other break is an error. A break therefore waits for the end of the log.

Source: docs/sources/agent-saga-log.md, "Gaps".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.certify.source import Fault
from agent_saga.trace.limits import GENESIS

EVENT: Final = "WAL_CHAIN_GAP"
_HELD: Final = 1000
"""Breaks and ranges remembered; what comes after them is an error at once. Bounds memory on a hostile log."""


@dataclass(frozen=True, slots=True)
class Break:
    """A record that does not follow the one before it. seq: of the record; last: of the one before (0 at the start)."""

    line: int
    before: int
    last: int
    seq: Any
    prev: Any
    first: bool

    def fault(self) -> Fault:
        """The break as an error."""
        if self.first:
            found = (
                "the log does not begin with its first record: its beginning was cut off, or it is a later segment of "
                "a rotated log (join the segments in order and certify them as one)"
            )
        elif self.prev == GENESIS:
            found = f"a new chain begins here, after line {self.before}: records of another log, or a log begun afresh"
        else:
            found = (
                f"_ph is not the hash of the record before it (line {self.before}): a record was removed, inserted, "
                f"repeated or moved; seq goes from {self.last} to {self.seq}"
            )
        expected = "a record whose _ph is the _h of the one before"
        return Fault(self.line, "AS104", found, subject="chain", expected=expected)

    @property
    def missing(self) -> tuple[int, int] | None:
        """The numbers that would explain the break; None when no removal can."""
        if type(self.seq) is not int or self.seq <= self.last + 1 or self.prev == GENESIS:
            return None
        return self.last + 1, self.seq - 1


class Gaps:
    """Breaks met and ranges attested."""

    def __init__(self) -> None:
        self._breaks: list[Break] = []
        self._ranges: list[tuple[int, int]] = []
        self._attested: list[tuple[int, int]] = []

    def hold(self, found: Break) -> bool:
        """Keep a break until the end of the log; False when it is an error whatever follows."""
        if found.missing is None or len(self._breaks) >= _HELD:
            return False
        self._breaks.append(found)
        return True

    def attest(self, line: int, payload: dict[str, Any]) -> Fault | None:
        """Take in the payload of a ``WAL_CHAIN_GAP``; a fault (AS102) when it does not say what was removed."""
        ranges = _ranges(payload.get("ranges"))
        total = sum(last - first + 1 for first, last in ranges or ())
        if ranges is None or payload.get("removed") != total or not total:
            found = "the gap record does not say which numbers were removed, and how many"
            return Fault(line, "AS102", found, subject="gap")
        self._ranges.extend(ranges[: _HELD - len(self._ranges)])
        if len(self._attested) < _HELD:
            self._attested.append((line, total))
        return None

    def close(self) -> Iterator[Fault]:
        """What remains at the end of the log: errors for breaks that nothing accounts for, open questions for gaps."""
        yield from (found.fault() for found in self._breaks if not self._covers(found))
        for line, total in self._attested:
            yield Fault(
                line,
                "AS602",
                f"the log says that {total} record(s) were removed by compaction; nobody signed that, and what they "
                "held cannot be judged",
                subject="gap",
                expected="the log before compaction",
                inconclusive=True,
            )

    def _covers(self, found: Break) -> bool:
        start, end = found.missing or (0, 0)
        for first, last in sorted(self._ranges):
            if first <= start <= last:
                start = last + 1
        return start > end


def _ranges(value: Any) -> list[tuple[int, int]] | None:
    if type(value) is not list:
        return None
    found: list[tuple[int, int]] = []
    for item in value:
        if type(item) is not list or len(item) != 2 or not all(type(end) is int for end in item):
            return None
        if not 1 <= item[0] <= item[1]:
            return None
        found.append((item[0], item[1]))
    return found
