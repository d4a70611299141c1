"""What comparing two policies finds: directions, and a call for each that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent_saga.policies.answers import Decision
from agent_saga.policies.diffing.directions import Direction, joined
from agent_saga.policies.model import Policy

Kind = Literal["whole", "rule", "limit", "tool", "setting"]


@dataclass(frozen=True, slots=True)
class Example:
    """A call as `policy explain` reads it, and what each policy really answered.

    before, after: the same call, unless the two policies count differently and their windows hold different sums.
    note: what has to be said beside it, such as a waiver that is taken to be in force.
    """

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    old: Decision
    new: Decision
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Which way something went. looser, stricter: a call that shows it; both for incomparable.

    proven: the solver has shown that what was not found is not there; otherwise it was only not met among the samples.
    why: why the solver could not tell.
    """

    direction: Direction
    proven: bool
    looser: Example | None = None
    stricter: Example | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One part of the policies, compared. details: what stands otherwise, a line each.

    beyond: the direction of what no single call shows, such as that a waiver may now lift the rule.
    """

    kind: Kind
    id: str
    what: Literal["added", "removed", "changed", "renamed", "same"]
    finding: Finding
    details: tuple[str, ...] = ()
    beyond: Direction = "equivalent"

    @property
    def direction(self) -> Direction:
        """Of both together."""
        return joined((self.finding.direction, self.beyond))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two policies compared. whole: the decisions in all. changes: the parts, in the order of the second policy."""

    before: Policy
    after: Policy
    whole: Change
    changes: tuple[Change, ...]
    calls: int
    """How many sampled calls both policies were asked about."""

    @property
    def direction(self) -> Direction:
        """In all."""
        return self.whole.direction
