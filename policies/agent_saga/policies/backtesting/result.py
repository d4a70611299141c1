"""The numbers of a back-test. Bounded: what recurs is counted, and only the first of what changes is kept by line.

Source: docs/guide/backtest.md.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from agent_saga.policies.answers import Decision, Effect
from agent_saga.policies.backtesting.comparing import CHANGES, Before, Change
from agent_saga.policies.backtesting.reading import Event
from agent_saga.policies.backtesting.undos import Undos

MAX_FLIPS: Final = 1_000
"""Changed calls that are kept with their lines; all are counted. Enough to read, and small whatever the input."""
MAX_KINDS: Final = 1_000
"""Distinct missing fields that are told apart; more are counted together."""
OTHERS: Final = "(others)"


@dataclass(frozen=True, slots=True)
class Flip:
    """A call that would be answered otherwise. file, line: of its intent, or of the refusal. rule: what decides now.

    had, asks: how many persons approved at most, or had to by the old policy, and how many must now.
    """

    file: str
    line: int
    saga: str
    step: str
    tool: str
    change: Change
    before: Effect
    after: Effect
    rule: str
    reason: str
    amount: tuple[int, str] | None = None
    had: int = 0
    asks: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How many calls change in one way, and how much money they move. money: minor units by currency.

    without: calls that name no amount, or conceal it.
    """

    calls: int = 0
    money: dict[str, int] = field(default_factory=dict)
    without: int = 0


@dataclass(slots=True)
class Result:
    """What a back-test found. undecidable: calls that lacked something, by rule and what it lacked; missing: how many
    such calls in all. open: calls whose answer changes for no other reason. sagas: how many sagas change."""

    policy: str
    digest: str
    against: str = ""
    inputs: list[str] = field(default_factory=list)
    lines: int = 0
    unread: int = 0
    calls: int = 0
    refusals: int = 0
    flips: list[Flip] = field(default_factory=list)
    undecidable: Counter[tuple[str, str]] = field(default_factory=Counter)
    missing: int = 0
    open: int = 0
    waived: Counter[str] = field(default_factory=Counter)
    problems: tuple[str, ...] = ()
    undos: Undos = field(default_factory=Undos)
    _calls: Counter[Change] = field(default_factory=Counter)
    _money: Counter[tuple[Change, str]] = field(default_factory=Counter)
    _without: Counter[Change] = field(default_factory=Counter)
    _sagas: dict[Change, set[str]] = field(default_factory=dict)

    def note(self, file: str, event: Event, before: Before, after: Decision, how: Change) -> None:
        """Count one call."""
        if event.refused:
            self.refusals += 1
        else:
            self.calls += 1
        self._calls[how] += 1
        if event.amount is None:
            self._without[how] += 1
        else:
            self._money[how, event.amount[1]] += event.amount[0]
        if after.fired:
            self._fired(after)
        if how != "unchanged":
            self._flip(file, event, before, after, how)

    def _fired(self, after: Decision) -> None:
        lacking = [one for one in after.fired if one.outcome == "undecidable"]
        self.missing += bool(lacking)
        for one in lacking:
            known = (one.id, one.why)
            full = len(self.undecidable) >= MAX_KINDS and known not in self.undecidable
            self.undecidable[(one.id, OTHERS) if full else known] += 1
        self.waived.update(one.waived for one in after.fired if one.waived)

    def _flip(self, file: str, event: Event, before: Before, after: Decision, how: Change) -> None:
        self._sagas.setdefault(how, set()).add(event.saga)
        self.open += after.code == "undecidable"
        if len(self.flips) < MAX_FLIPS:
            persons = (before.persons, after.approve.quorum if after.approve else 0)
            said = (event.tool, how, before.effect, after.effect, after.rule, after.reason)
            self.flips.append(Flip(file, event.line, event.saga, event.step, *said, event.amount, *persons))

    def tally(self, how: Change) -> Tally:
        """The calls of one kind."""
        money = {currency: minor for (one, currency), minor in sorted(self._money.items()) if one == how}
        return Tally(self._calls[how], money, self._without[how])

    def sagas(self, how: Change | None = None) -> int:
        """How many sagas have a call that changes in this way, or in any."""
        wanted = [how] if how else [one for one in CHANGES if one != "unchanged"]
        return len(set().union(*(self._sagas.get(one, set()) for one in wanted)))

    @property
    def changed(self) -> int:
        """How many calls would be answered otherwise."""
        return sum(count for how, count in self._calls.items() if how != "unchanged")

    @property
    def code(self) -> int:
        """The exit code: 4 no call, 1 something changes, 3 nothing but what cannot be decided, 0 nothing."""
        if not self.calls and not self.refusals:
            return 4
        if self.changed > self.open or self.undos.changed:
            return 1
        return 3 if self.changed or self.missing or self.unread or self.undos.sealed else 0
