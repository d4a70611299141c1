"""What a group of callers is about to change, over what a store holds. Pure: no file, no clock.

Source: docs/spec/store-v1.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from agent_saga.trace.limits import GENESIS
from agent_saga.trace.store.base import Disclosure, Lease, Spending, Window


class Head(msgspec.Struct, frozen=True, gc=False):
    """The end of a saga's chain: how many lines it has, the leaf of the last, and whether it has a saga.ended."""

    lines: int
    leaf: str
    ended: bool


NO_HEAD: Final = Head(0, GENESIS, False)

UNKNOWN: Final = 1 << 62
"""Stands for the next global index where only the commit gives it; indices of a draft are counted from it."""


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A line that is one. ends: it is a saga.ended."""

    saga: str
    seq: int
    prev: str
    leaf: str
    ends: bool
    line: bytes


class Committed(Protocol):
    """What a store holds, seen from inside its write transaction."""

    def count(self) -> int:
        """How many lines there are: the next global index; UNKNOWN where only the commit tells."""
        ...

    def head(self, saga: str) -> Head | None:
        """The saga's head; None when it has no lines."""
        ...

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Global index and bytes of a line that is there."""
        ...

    def lease(self, saga: str) -> Lease | None:
        """The latest lease, released or not; None when the saga was never taken. A released one has no holder."""
        ...

    def spent(self, window: Window) -> int:
        """What a window holds."""
        ...


@dataclass
class Draft:
    """Changes over what is committed, in the order in which they are to become durable.

    places: of a saga's drafted lines, one seq after the other, where each stands in ``lines``.
    """

    committed: Committed
    lines: list[Parsed] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    disclosures: list[Disclosure] = field(default_factory=list)
    memory: dict[str, bytes] = field(default_factory=dict)
    spends: list[Spending] = field(default_factory=list)
    places: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _first: int | None = None
    _placed: int = UNKNOWN

    def place(self, first: int) -> None:
        """The commit gave the first drafted line this global index, and the others those after it."""
        self._placed = first

    def settled(self, answer: Any) -> Any:
        """An answer with the true index in place of one that was counted from UNKNOWN."""
        if isinstance(answer, int) and answer >= UNKNOWN:
            return answer - UNKNOWN + self._placed
        return answer

    @property
    def first(self) -> int:
        """Global index of the first drafted line."""
        if self._first is None:
            self._first = self.committed.count()
        return self._first

    def head(self, saga: str) -> Head:
        """The saga's head with the draft counted in."""
        return self.heads.get(saga) or self.committed.head(saga) or NO_HEAD

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Global index and bytes of a line that is there or drafted."""
        places = self.places.get(saga, ())
        behind = seq - (self.head(saga).lines - len(places)) if places else -1
        if behind < 0:
            return self.committed.at(saga, seq)
        return self.first + places[behind], self.lines[places[behind]].line

    def lease(self, saga: str) -> Lease | None:
        """The saga's latest lease with the draft counted in."""
        return self.leases.get(saga) or self.committed.lease(saga)

    def spent(self, window: Window) -> int:
        """What a window holds with the draft counted in."""
        drafted = (one.amount for one in self.spends if (one.limit, one.key) == window[:2] and one.at > window.since)
        return self.committed.spent(window) + sum(drafted)

    def add(self, lines: Sequence[Parsed], heads: Mapping[str, Head]) -> None:
        """Draft lines that follow their heads. heads: of their sagas, with these lines behind them."""
        for place, one in enumerate(lines, len(self.lines)):
            self.places[one.saga].append(place)
        self.lines += lines
        self.heads |= heads


def after(head: Head, line: Parsed) -> Head:
    """The head once the line stands behind it."""
    return Head(line.seq + 1, line.leaf, head.ended or line.ends)
