"""How long the commits of a store took lately, and so whether an event loop may wait for its next one itself.

A hand-over to the writing thread and back costs a step more than a quick disk takes to sync. But a loop that waits for
a disk keeps everybody else on it waiting, so it may do so only while the disk is known to be quick:

- A commit is short when it takes at most ``SHORT``, wherever it was made. The thread's are timed like the loop's, so
  that a disk has become quick again is seen without a loop that tries it.
- A loop may wait after ``ROW`` short commits in a row. One that is not short ends the row, so a loop never waits for
  two of those in a row, and not at all for a disk that is slow each time.
- A loop that waited longer than ``SHORT`` leaves ``PAUSE`` times the excess to the thread. So what a disk that is slow
  now and then takes beyond short commits costs a loop at most 1 / ``PAUSE`` of the time.

Pure: time is an argument, in seconds of one clock that does not go back.
"""

from math import inf
from typing import Final

SHORT: Final = 0.001
"""Seconds. A hand-over costs 0.1 to 0.3 ms and a quick disk's commit 0.1 to 0.5 ms: room for both, and not more than
many a callback takes that nobody minds; asyncio's debug mode speaks of those from 100 ms on."""

ROW: Final = 4
"""Short commits in a row: chance seldom gives so many on a disk that takes milliseconds; else ``PAUSE`` helps."""

PAUSE: Final = 10
"""A tenth of the time is what a loop may lose to surprises."""


class Pace:
    """Told of each commit by whoever makes it; one at a time."""

    def __init__(self) -> None:
        self._row, self._paused_until = 0, -inf

    def quick(self, now: float) -> bool:
        """Whether a loop may wait for the next commit."""
        return self._row >= ROW and now >= self._paused_until

    def took(self, start: float, end: float, *, on_loop: bool, failed: bool = False) -> None:
        """A commit took from start to end. on_loop: an event loop waited for it."""
        if end - start <= SHORT and not failed:
            self._row += 1
            return
        self._row = 0
        if on_loop:
            self._paused_until = end + PAUSE * (end - start - SHORT)
