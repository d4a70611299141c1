"""Instants as they stand on a line: RFC 3339 UTC with six decimals. Text order is time order."""

from datetime import UTC, datetime, timedelta


def instant(moment: datetime) -> str:
    """The moment as a line writes it; a time zone is required."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def later(at: str, seconds: float) -> str:
    """The instant this many seconds after another."""
    return instant(datetime.fromisoformat(at) + timedelta(seconds=seconds))


def seconds_between(start: str, end: str) -> float:
    """Seconds from one instant to another; negative when the clock went back."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def utc_now() -> datetime:
    """The system's clock. The only place where it is read."""
    return datetime.now(UTC)
