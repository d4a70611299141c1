"""A series of amounts by their instants, whose sums since an instant are asked for again and again. Exact, in memory.

Source: docs/spec/policy-v1.md, "Limits".
"""

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(slots=True)
class Series:
    """ats: instants in order. sums: the sum before each of them, and of all at the end."""

    ats: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])

    def since(self, instant: int) -> int:
        """The sum of what is later than an instant."""
        return self.sums[-1] - self.sums[bisect_right(self.ats, instant)]

    def add(self, at: int, amount: int) -> int:
        """One more; returns its place. Usually it is the latest, which costs the same however many there are."""
        place = bisect_right(self.ats, at)
        self.ats.insert(place, at)
        self.sums.insert(place, self.sums[place])
        self._shift(place, amount)
        return place

    def remove(self, place: int) -> None:
        """One less."""
        amount = self.sums[place + 1] - self.sums[place]
        del self.ats[place], self.sums[place + 1]
        self._shift(place, -amount)

    def _shift(self, place: int, amount: int) -> None:
        for later in range(place + 1, len(self.sums)):
            self.sums[later] += amount
