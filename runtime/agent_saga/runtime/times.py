"""Instants as they stand on a line: RFC 3339 UTC with six decimals. Text order is time order."""

from datetime import UTC, datetime, timedelta

from agent_saga.trace.values import dumps


def instant(moment: datetime) -> str:
    """The moment as a line writes it; a time zone is required."""
    if moment.tzinfo is UTC and moment.microsecond:  # a whole second has another form in JSON
        try:
            return dumps(moment)[1:-1].decode()  # several times as fast as isoformat
        except TypeError:
            pass  # a class of its own, as those that freeze time for tests
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def later(at: str, seconds: float) -> str:
    """The instant this many seconds after another."""
    return instant(datetime.fromisoformat(at) + timedelta(seconds=seconds))


def seconds_between(start: str, end: str) -> float:
    """Seconds from one instant to another; negative when the clock went back."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def utc_now() -> datetime:
    """The system's clock. The only place where it is read."""
    return datetime.now(UTC)
