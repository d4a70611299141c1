"""Instants of a trace as whole microseconds, for sums over windows of time.

Source: docs/spec/trace-v1.md, "Forms" (Instant).
"""

from datetime import date
from functools import lru_cache
from typing import Final

SECOND: Final = 1_000_000
"""Microseconds."""


def micros(at: str) -> int:
    """Microseconds from 0001-01-01T00:00:00Z to an instant in the form of a line, such as 2026-11-30T07:00:00.000000Z.

    Exact, and in the order of time: never a float. Raises ValueError for another form.
    """
    if len(at) != 27 or at[19] != "." or at[26] != "Z":
        raise ValueError(f"{at[:40]!r} is no instant: expected such as 2026-11-30T07:00:00.000000Z")
    seconds = int(at[11:13]) * 3600 + int(at[14:16]) * 60 + int(at[17:19])
    return (_day(at[:10]) + seconds) * SECOND + int(at[20:26])


@lru_cache(maxsize=1024)
def _day(text: str) -> int:
    """Seconds to the beginning of a day."""
    return date.fromisoformat(text).toordinal() * 86_400
