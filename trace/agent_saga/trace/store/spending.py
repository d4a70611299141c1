"""What lines take from limits: checked against what is kept, together with all that is drafted before. Pure.

A window sees what was taken at instants later than its beginning, also at later ones than the line's own: a clock that
goes back earns nothing. What was taken is never given back.

Source: docs/spec/store-v1.md, "Spending".
"""

from collections.abc import Sequence
from typing import Final

from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.store.base import Spending, Window
from agent_saga.trace.store.draft import Draft, Parsed
from agent_saga.trace.store.errors import LimitReached, Refusal
from agent_saga.trace.store.leases import check_name

MOST: Final = 2**63 - 1
"""Of one spend: what a 64-bit column holds. Sums are exact above it."""


def check_spends(spends: Sequence[Spending]) -> None:
    """Raise Refusal for what no store can keep."""
    for one in spends:
        check_name(one.limit, "the limit of a spend")
        if not 0 <= one.amount <= MOST:
            raise Refusal(f"limit {one.limit}: a spend of {one.amount}; expected 0 to {MOST}")
        if len(one.key) > MAX_LINE:
            raise Refusal(f"limit {one.limit}: a key of {len(one.key)} characters; at most {MAX_LINE}")


def taking(draft: Draft, new: Sequence[Parsed], spends: Sequence[Spending]) -> list[Spending]:
    """Those of the spends whose lines are new. Raises LimitReached when one of them does not fit."""
    there = {(line.saga, line.seq) for line in new}
    taken: list[Spending] = []
    for number, one in enumerate(spends):
        if (one.saga, one.seq) in there:
            _fits(draft, taken, one, number)
            taken.append(one)
    return taken


def _fits(draft: Draft, taken: Sequence[Spending], one: Spending, number: int) -> None:
    since = one.at - one.window
    before = draft.spent(Window(one.limit, one.key, since))
    own = sum(x.amount for x in taken if (x.limit, x.key) == (one.limit, one.key) and x.at > since)
    if one.max is not None and one.amount > 0 and before + own + one.amount > one.max:
        raise LimitReached(
            f"limit {one.limit}: {before + own} of {one.max} is used, and this adds {one.amount}", number, before
        )
