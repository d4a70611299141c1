"""What calls took from the policy's limits, kept in columns until all lines were seen: some fifty bytes a call.

A log of millions of calls must not fill the memory, and what a limit says depends on the calls of all sagas in the
order of the log, which are judged saga by saga, by several processes. So each call that a limit counts leaves a row of
numbers; names that recur are kept once.

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md, "Limits".
"""

from array import array
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from agent_saga.certify.policing.asked import Asked, Then
from agent_saga.certify.policing.given import NOTHING, Given
from agent_saga.certify.policing.police import Ruling
from agent_saga.trace.instants import micros

T = TypeVar("T", bound=Hashable)


class Table(Generic[T]):
    """Values by number: each is kept once."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        """The number of a value, a new one for a new value."""
        found = self._numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def renumber(self, other: "Table[T]") -> list[int]:
        """Take in another table; for each of its numbers the one here."""
        return [self.number(value) for value in other.values]


class Bucket(NamedTuple):
    """One limit of one policy under one key. policy: its digest. window: seconds. max: the bound."""

    policy: str
    limit: str
    key: str
    window: int
    max: int


class Row(NamedTuple):
    """One call with what is known of it, as it is read from the columns. first, last: its rows among the spends."""

    line: int
    at: int
    saga: str
    effect: str
    tool: str
    asked: Asked
    given: Given
    first: int
    last: int


@dataclass(slots=True)
class Spending:
    """The columns. Those of a call stand at one index, those of what it takes at others from ``firsts`` on."""

    lines: "array[int]" = field(default_factory=lambda: array("q"))
    ats: "array[int]" = field(default_factory=lambda: array("q"))
    sagas: "array[int]" = field(default_factory=lambda: array("l"))
    effects: "array[int]" = field(default_factory=lambda: array("l"))
    kinds: "array[int]" = field(default_factory=lambda: array("l"))
    firsts: "array[int]" = field(default_factory=lambda: array("q"))
    buckets: "array[int]" = field(default_factory=lambda: array("l"))
    amounts: "array[int]" = field(default_factory=lambda: array("q"))
    thens: "array[int]" = field(default_factory=lambda: array("l"))
    saga_names: Table[str] = field(default_factory=Table)
    effect_names: Table[str] = field(default_factory=Table)
    kind_table: Table[tuple[str, Asked, Given]] = field(default_factory=Table)
    """Tool, what else is asked, and what the call had."""
    bucket_table: Table[Bucket] = field(default_factory=Table)
    then_table: Table[Then] = field(default_factory=Table)

    def note(self, ruling: Ruling) -> None:
        """Keep what a call takes from limits."""
        if not ruling.spends:
            return
        event = ruling.event
        denied = ruling.decision.effect == "deny"
        asked = Asked(ruling.decision.approve, ruling.default, denied, ruling.statute.digest)
        self.lines.append(ruling.line)
        self.ats.append(micros(event.at))
        self.sagas.append(self.saga_names.number(ruling.saga.id))
        self.effects.append(self.effect_names.number(event.effect))
        self.kinds.append(self.kind_table.number((event.tool, asked, ruling.given)))
        self.firsts.append(len(self.buckets))
        for policy, spend, then in ruling.spends:
            bucket = Bucket(policy, spend.limit, spend.key, spend.window, spend.max)
            self.buckets.append(self.bucket_table.number(bucket))
            self.amounts.append(spend.amount)
            self.thens.append(self.then_table.number(then))

    def put(self, line: int, at: int, taken: "Iterable[tuple[Bucket, int]]") -> None:
        """Keep what a call took that was judged before. at: its instant, in microseconds."""
        self.lines.append(line)
        self.ats.append(at)
        self.sagas.append(self.saga_names.number(""))
        self.effects.append(self.effect_names.number(""))
        self.kinds.append(self.kind_table.number(("", Asked(), NOTHING)))
        self.firsts.append(len(self.buckets))
        for bucket, amount in taken:
            self.buckets.append(self.bucket_table.number(bucket))
            self.amounts.append(amount)
            self.thens.append(self.then_table.number(Then(None)))

    def taken(self, index: int) -> Iterator[tuple[Bucket, int]]:
        """What the call at this index took, and from which limits."""
        last = self.firsts[index + 1] if index + 1 < len(self.firsts) else len(self.buckets)
        for place in range(self.firsts[index], last):
            yield self.bucket_table.values[self.buckets[place]], self.amounts[place]

    def merge(self, other: "Spending") -> None:
        """Take in the columns of another part of the same input."""
        moved = len(self.buckets)
        self.lines += other.lines
        self.ats += other.ats
        self.firsts.extend(first + moved for first in other.firsts)
        self.amounts += other.amounts
        _join(self.sagas, other.sagas, self.saga_names.renumber(other.saga_names))
        _join(self.effects, other.effects, self.effect_names.renumber(other.effect_names))
        _join(self.kinds, other.kinds, self.kind_table.renumber(other.kind_table))
        _join(self.buckets, other.buckets, self.bucket_table.renumber(other.bucket_table))
        _join(self.thens, other.thens, self.then_table.renumber(other.then_table))

    def in_order(self) -> list[int]:
        """The calls in the order of the log."""
        return sorted(range(len(self.lines)), key=self.lines.__getitem__)

    def row(self, index: int) -> Row:
        """A call, from its columns."""
        tool, asked, given = self.kind_table.values[self.kinds[index]]
        last = self.firsts[index + 1] if index + 1 < len(self.firsts) else len(self.buckets)
        return Row(
            line=self.lines[index],
            at=self.ats[index],
            saga=self.saga_names.values[self.sagas[index]],
            effect=self.effect_names.values[self.effects[index]],
            tool=tool,
            asked=asked,
            given=given,
            first=self.firsts[index],
            last=last,
        )

    def rows(self) -> Iterator[Row]:
        """Every call in the order of the log."""
        return map(self.row, self.in_order())


def _join(column: "array[int]", more: Iterable[int], numbers: list[int]) -> None:
    column.extend(numbers[one] for one in more)
