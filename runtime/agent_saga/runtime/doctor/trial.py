"""One thing that was tried, and what several of them come to.

Source: docs/exit-codes.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a trial. ABSENT: an extra that is not installed; nothing is promised, so nothing is broken."""

    HELD = "held"
    FAILED = "failed"
    UNPROBED = "not probed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial. says: what is promised; found: what was seen; todo: what to do about it, "" when it held."""

    id: str
    says: str
    outcome: Outcome
    found: str = ""
    todo: str = ""


def judged(id: str, says: str, good: bool, found: str, todo: str) -> Trial:
    """A trial that could be made."""
    return Trial(id, says, Outcome.HELD if good else Outcome.FAILED, found, "" if good else todo)


def verdict(trials: Iterable[Trial]) -> int:
    """The exit code: 1 when one failed, else 3 when one could not be made, 0 when every one held, 4 for none."""
    outcomes = {trial.outcome for trial in trials} - {Outcome.ABSENT}
    if Outcome.FAILED in outcomes:
        return 1
    if Outcome.UNPROBED in outcomes:
        return 3
    return 0 if outcomes else 4
