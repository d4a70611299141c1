"""Sums over sliding windows, in memory and exact.

A call at instant t sees what the calls before it in the order of the log took and whose instant is later than
t - window: those that are later than t as well. So a clock that goes back earns no budget, and no window ever holds
more than was let through by its bound, in whatever order the calls come.

What was taken stays taken: a call that failed, or was undone, was authorised. Only what is refused before it is made
is given back.

Source: docs/spec/policy-v1.md, "Limits".
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from agent_saga.policies.answers import Spend
from agent_saga.trace.instants import SECOND, micros
from agent_saga.trace.sums import Series

Key = tuple[str, str]
"""A limit's id and the values of its ``per``."""


@dataclass(slots=True)
class _Taken:
    """What one limit holds under one key, and who took each part of it."""

    series: Series = field(default_factory=Series)
    who: list[Hashable] = field(default_factory=list)

    def add(self, at: int, amount: int, who: Hashable) -> None:
        self.who.insert(self.series.add(at, amount), who)

    def remove(self, who: Hashable) -> None:
        """Take back what somebody took, who took it lately."""
        place = len(self.who) - 1 - self.who[::-1].index(who)
        del self.who[place]
        self.series.remove(place)


class Windows:
    """Everything that limits count, by limit and key."""

    def __init__(self) -> None:
        self._series: dict[Key, _Taken] = {}
        self._taken: dict[Hashable, tuple[Key, ...]] = {}

    def used(self, spend: Spend, at: str) -> int:
        """What the spend's window holds for a call at this instant."""
        taken = self._series.get((spend.limit, spend.key))
        return taken.series.since(micros(at) - spend.window * SECOND) if taken is not None else 0

    def used_by(self, spends: Iterable[Spend], at: str) -> dict[Key, int]:
        """What the windows of these spends hold, as :meth:`Compiled.decide` takes it."""
        return {(spend.limit, spend.key): self.used(spend, at) for spend in spends}

    def take(self, spends: Sequence[Spend], at: str, ident: Hashable) -> tuple[Spend, ...]:
        """Take all of them if every one fits, else none; returns those that did not fit.

        ident: of the call, such as (saga, effect): what it took before it does not take again.
        """
        if ident in self._taken:
            return ()
        over = tuple(one for one in spends if exceeds(one, self.used(one, at)))
        if not over:
            self.add(spends, at, ident)
        return over

    def add(self, spends: Iterable[Spend], at: str, ident: Hashable) -> None:
        """Count what was authorised in any case: approved beyond a bound, or found in a trace."""
        if ident in self._taken:
            return
        instant = micros(at)
        keys = []
        for one in spends:
            key = (one.limit, one.key)
            self._series.setdefault(key, _Taken()).add(instant, one.amount, ident)
            keys.append(key)
        self._taken[ident] = tuple(keys)

    def give_back(self, ident: Hashable) -> None:
        """The call was refused before it was made; nothing happens when it took nothing."""
        for key in self._taken.pop(ident, ()):
            self._series[key].remove(ident)


def exceeds(spend: Spend, used: int) -> bool:
    """Whether a call would go over the bound. One that adds nothing never does."""
    return spend.amount > 0 and used + spend.amount > spend.max
