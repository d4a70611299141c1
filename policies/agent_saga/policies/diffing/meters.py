"""What a limit counts, apart from how much of it may be: two limits that count alike hold the same sum.

The sum that a window holds stands in relation to that of another limit where one counts more: a longer window, more
calls, fewer keys. Where both ways differ, nothing is known.
"""

from dataclasses import dataclass
from typing import Literal

from agent_saga.policies.cel import text_of
from agent_saga.policies.model import Limit

Relation = Literal["same", "more", "less", "unrelated"]


@dataclass(frozen=True, slots=True)
class Meter:
    """What is counted. of, per, measure: as canonical text. window: seconds."""

    of: str
    per: frozenset[str]
    measure: str
    window: int


def meter_of(limit: Limit) -> Meter:
    """What a limit counts. An order of keys makes no difference."""
    measure = text_of(limit.measure.tree) if limit.measure else "1"
    return Meter(text_of(limit.of.tree), frozenset(text_of(one.tree) for one in limit.per), measure, limit.window)


def relation(before: Meter, after: Meter, scope: Relation) -> Relation:
    """How the sum of the second stands to that of the first. scope: how the calls that it counts do."""
    if before.measure != after.measure:
        return "unrelated"
    found = {scope}
    if before.window != after.window:
        found.add("more" if after.window > before.window else "less")
    if before.per != after.per:
        found.add("more" if after.per < before.per else "less" if after.per > before.per else "unrelated")
    found.discard("same")
    return found.pop() if len(found) == 1 else "unrelated" if found else "same"
