"""Reads events, one after the other, and keeps of each tool what a policy has to say of it. Memory grows with the
number of tools and the shape of their arguments, never with the log.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.learning.shapes import Shape
from agent_saga.trace.events import EffectIntended, Event, SagaStarted, StepProposed

MAX_TOOLS: Final = 2_000
"""Tools of one skeleton: more is no catalogue but names made up by a program."""
MAX_CURRENCIES: Final = 32


@dataclass
class Range:
    """The amounts of one currency, in minor units."""

    count: int = 0
    least: int = 0
    most: int = 0

    def add(self, minor: int) -> None:
        """Take one amount in."""
        self.least = min(self.least, minor) if self.count else minor
        self.most = max(self.most, minor) if self.count else minor
        self.count += 1


@dataclass
class ToolSeen:
    """What was seen of one tool. claimed: classes by how many calls claimed them; declared: by how many catalogues.

    pointers, undo_pointers: where catalogues say that its amounts stand, and those of what undoes it.
    """

    name: str
    calls: int = 0
    proposals: int = 0
    claimed: Counter[str] = field(default_factory=Counter)
    declared: Counter[str] = field(default_factory=Counter)
    undos: Counter[str] = field(default_factory=Counter)
    pointers: Counter[str] = field(default_factory=Counter)
    undo_pointers: Counter[str] = field(default_factory=Counter)
    args: Shape = field(default_factory=Shape)
    amounts: dict[str, Range] = field(default_factory=dict)
    concealed_amounts: int = 0

    def amount(self, found: Any) -> None:
        """Take the amount of a call in."""
        minor, currency = (found.get("minor"), found.get("currency")) if isinstance(found, dict) else (None, None)
        if type(minor) is not int or not isinstance(currency, str):
            self.concealed_amounts += 1
        elif currency in self.amounts or len(self.amounts) < MAX_CURRENCIES:
            self.amounts.setdefault(currency, Range()).add(minor)


@dataclass
class Observed:
    """All that was seen. first, last: times of the earliest and the latest line; left_out: calls of too many tools."""

    tools: dict[str, ToolSeen] = field(default_factory=dict)
    sagas: int = 0
    events: int = 0
    first: str = ""
    last: str = ""
    left_out: int = 0

    def take(self, events: Iterable[Event]) -> None:
        """Take the events of one input in, in their order."""
        for event in events:
            self.events += 1
            self.first = min(self.first or event.at, event.at)
            self.last = max(self.last, event.at)
            if isinstance(event, EffectIntended):
                self._called(event)
            elif isinstance(event, SagaStarted):
                self._started(event)
            elif isinstance(event, StepProposed) and (tool := self._tool(event.tool)) is not None:
                tool.proposals += 1

    def _called(self, event: EffectIntended) -> None:
        tool = self._tool(event.tool)
        if tool is None:
            self.left_out += 1
        elif event.attempt == 1:  # a retry is the same call
            tool.calls += 1
            tool.claimed[event.semantics] += 1
            tool.args.add(event.args)
            if event.amount is not None:
                tool.amount(event.amount)

    def _started(self, event: SagaStarted) -> None:
        self.sagas += 1
        undoing = {spec.undo for spec in event.tools.values() if spec.undo}
        for name, spec in event.tools.items():
            tool = None if name in undoing and name not in self.tools else self._tool(name)
            if tool is not None:
                tool.declared[spec.semantics] += 1
                tool.undos.update([spec.undo] if spec.undo else [])
                undo = event.tools.get(spec.undo) if spec.undo else None
                tool.pointers.update([spec.amount_from] if spec.amount_from else [])
                tool.undo_pointers.update([undo.amount_from] if undo and undo.amount_from else [])

    def _tool(self, name: str) -> ToolSeen | None:
        if name not in self.tools and len(self.tools) >= MAX_TOOLS:
            return None
        return self.tools.setdefault(name, ToolSeen(name))
