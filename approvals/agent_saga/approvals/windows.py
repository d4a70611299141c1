"""Times: whether something lay between two instants, and how surely that is known.

A line's own ``at`` is what the operator's clock said. Outside time is an interval: after the last checkpoint without
the line, before the first one with it, each as a witness or a time-stamping authority says.

Source: docs/spec/approval-v1.md, "Time".
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import SKEW_SECONDS

Place = Literal["inside", "outside", "undecided"]


class Moment(Struct, frozen=True):
    """When a line was written. at: by its own words. earliest, latest: by outside time; "" where there is none."""

    at: str
    earliest: str = ""
    latest: str = ""

    @property
    def asserted(self) -> bool:
        """Whether nothing but the operator's clock tells."""
        return not (self.earliest and self.latest)


def shifted(instant: str, seconds: int) -> str:
    """The instant so many seconds later, in the form of trace lines."""
    try:
        moved = datetime.fromisoformat(instant).replace(tzinfo=None) + timedelta(seconds=seconds)
    except OverflowError:
        return instant
    return moved.isoformat(timespec="microseconds") + "Z"


def seconds_between(begin: str, end: str) -> float:
    """From one instant to another, in seconds."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def placed(moment: Moment, begin: str, end: str) -> Place:
    """Where a moment lies to a window, both ends included and honest clocks allowed to differ.

    With outside time, ``undecided`` means that its interval is too wide to tell; the line's own time then speaks, but
    only as long as outside time does not refute it.
    """
    begin, end = shifted(begin, -SKEW_SECONDS), shifted(end, SKEW_SECONDS)
    if (moment.latest and moment.latest < begin) or (moment.earliest and moment.earliest > end):
        return "outside"
    if not begin <= moment.at <= end or refuted(moment):
        return "outside"
    inside = not moment.asserted and begin <= moment.earliest and moment.latest <= end
    return "inside" if moment.asserted or inside else "undecided"


def refuted(moment: Moment) -> bool:
    """Whether outside time shows that the line's own clock was wrong by more than clocks may be."""
    early = bool(moment.earliest) and moment.at < shifted(moment.earliest, -SKEW_SECONDS)
    late = bool(moment.latest) and moment.at > shifted(moment.latest, SKEW_SECONDS)
    return early or late


def surely_before(moment: Moment, instant: str) -> bool:
    """Whether a line was written before this instant: by outside time where there is any, else by its own words."""
    return not refuted(moment) and (moment.latest or moment.at) < instant


def check_window(begin: str, end: str, at: str, reason: str, what: str) -> None:
    """Check an instant by the operator's clock. Raises NotApproved with this reason.

    Clocks may differ at the beginning, which the signer's clock set; the end is exact, so that time-out denies.
    """
    if at > end or (at < begin and at < shifted(begin, -SKEW_SECONDS)):
        raise NotApproved(reason, f"{what} holds from {begin} to {end}: not at {at}")
