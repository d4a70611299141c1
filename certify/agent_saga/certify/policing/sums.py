"""Sums over sliding windows, of all that one limit counted under one key at once; the same sums as
:class:`agent_saga.policies.windows.Windows` gives one by one.

A call at instant t sees what stands before it in the order of the log and is later than t - window. While instants do
not go back, that is a queue. Where they do, the sums are kept in a binary indexed tree over the instants, so that a log
whose clock runs backwards takes n log n steps as well.

Source: docs/spec/policy-v1.md, "Limits"; P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables" (1994).
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

Seen = tuple[int, int, int]
"""The sum of what a call sees, how many calls that is, and the place of the first of them; -1 where they lie apart."""


def seen_by_each(ats: Sequence[int], amounts: Sequence[int], window: int) -> Iterator[Seen]:
    """What each call sees, in the order given. ats and window in microseconds; no amount is below zero."""
    if all(one <= other for one, other in pairwise(ats)):
        yield from _forward(ats, amounts, window)
    else:
        yield from _any_order(ats, amounts, window)


def _forward(ats: Sequence[int], amounts: Sequence[int], window: int) -> Iterator[Seen]:
    oldest = total = 0
    for place, (at, amount) in enumerate(zip(ats, amounts, strict=True)):
        while oldest < place and ats[oldest] <= at - window:
            total -= amounts[oldest]
            oldest += 1
        yield total, place - oldest, oldest
        total += amount


def _any_order(ats: Sequence[int], amounts: Sequence[int], window: int) -> Iterator[Seen]:
    instants = sorted(set(ats))
    sums, counts = [0] * (len(instants) + 1), [0] * (len(instants) + 1)
    total = 0
    for number, (at, amount) in enumerate(zip(ats, amounts, strict=True)):
        before, earlier, place = 0, 0, bisect_right(instants, at - window)
        while place:
            before, earlier, place = before + sums[place], earlier + counts[place], place & (place - 1)
        yield total - before, number - earlier, -1
        place = bisect_right(instants, at)
        while place < len(sums):
            sums[place] += amount
            counts[place] += 1
            place += place & -place
        total += amount
