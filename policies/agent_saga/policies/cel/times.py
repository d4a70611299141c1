"""Timestamps and durations: from text, with each other, and their parts in a zone.

Source: CEL language definition, "List of Standard Definitions" and "Timezones"; RFC 3339; the ranges are those
of its conformance tests "timestamp_range" and "duration_range": the years 1 to 9999, and 64 bits of nanoseconds.
"""

import re
from datetime import date
from typing import Final

from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.values import Duration, Timestamp

SECOND: Final = 10**9
DAY: Final = 86_400 * SECOND
_EPOCH: Final = date(1970, 1, 1).toordinal()
_CYCLE: Final = 146_097
MIN_TIMESTAMP: Final = (1 - _EPOCH) * DAY
MAX_TIMESTAMP: Final = (date.max.toordinal() - _EPOCH + 1) * DAY - 1
MAX_DURATION: Final = 2**63 - 1

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-][0-9]{2}:[0-9]{2}))"
).fullmatch
_ZONE = re.compile(r"([+-])([0-9]{2}):([0-9]{2})").fullmatch
_SPAN = re.compile(r"([+-]?)((?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|ms|s|m|h))+|0)").fullmatch
_SPAN_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|ms|s|m|h)").findall
_UNITS: Final = {"ns": 1, "us": 1_000, "ms": 10**6, "s": SECOND, "m": 60 * SECOND, "h": 3_600 * SECOND}
_LONGEST: Final = 100
"""Characters of a time that is read: more than any needs."""


def timestamp(ns: int) -> Timestamp:
    """The instant. Raises Undefined outside the years 1 to 9999."""
    if not MIN_TIMESTAMP <= ns <= MAX_TIMESTAMP:
        raise Undefined("the timestamp is outside the years 1 to 9999")
    return Timestamp(ns)


def duration(ns: int) -> Duration:
    """The span. Raises Undefined beyond 64 bits of nanoseconds, 292 years."""
    if not -MAX_DURATION <= ns <= MAX_DURATION:
        raise Undefined("the duration is beyond 292 years")
    return Duration(ns)


def read_timestamp(text: str) -> Timestamp:
    """An RFC 3339 date and time; digits beyond nanoseconds are cut off. Raises Undefined when it is none."""
    match = _RFC3339(text) if len(text) <= _LONGEST else None
    if match is None:
        raise Undefined("the text is no RFC 3339 date and time, as in 2026-11-30T12:00:00Z")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if hour > 23 or minute > 59 or second > 59:
        raise Undefined("the text names an hour that no day has")
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        raise Undefined("the text names a day that no calendar has") from None
    fraction = int((match[7] or "")[:9].ljust(9, "0"))
    local = ((days * 24 + hour) * 60 + minute) * 60 + second
    return timestamp((local - offset(match[8] or "UTC")) * SECOND + fraction)


def offset(zone: str) -> int:
    """Seconds east of UTC. Raises Undefined for what is neither ``UTC`` nor ``+HH:MM`` nor ``-HH:MM``."""
    if zone == "UTC":
        return 0
    match = _ZONE(zone)
    if match is None or int(match[2]) > 23 or int(match[3]) > 59:
        raise Undefined('the zone is neither "UTC" nor a fixed one as in "+01:00"')
    seconds = int(match[2]) * 3_600 + int(match[3]) * 60
    return seconds if match[1] == "+" else -seconds


def read_duration(text: str) -> Duration:
    """A sum of decimals with units, as in ``1h30m`` or ``-1.5s``. Raises Undefined when it is none."""
    match = _SPAN(text) if len(text) <= _LONGEST else None
    if match is None:
        raise Undefined("the text is no duration, as in 90s or 1h30m")
    total = sum(_span(whole, part, _UNITS[unit]) for whole, part, unit in _SPAN_PART(match[2]))
    return duration(-total if match[1] == "-" else total)


def _span(whole: str, part: str, unit: int) -> int:
    """Nanoseconds of one decimal; what is less than one is cut off."""
    return int(whole or "0") * unit + (int(part) * unit // 10 ** len(part) if part else 0)


def _fields(instant: Timestamp, zone: str) -> tuple[date, int, int]:
    """The day there, the years to add to it, and the nanoseconds since its midnight.

    A zone may lead out of the years that Python has; the calendar repeats itself, weekdays too, after 400 years.
    """
    days, rest = divmod(instant.ns + offset(zone) * SECOND, DAY)
    turn = -1 if days + _EPOCH < 1 else 1 if days + _EPOCH > date.max.toordinal() else 0
    return date.fromordinal(days + _EPOCH - turn * _CYCLE), turn * 400, rest


def getter(name: str, instant: Timestamp, zone: str = "UTC") -> int:
    """One part of an instant, as :data:`GETTERS` names them. Raises Undefined for a zone that is none."""
    day, years, rest = _fields(instant, zone)
    if name in _CLOCK:
        unit, turn = _CLOCK[name]
        return rest // unit % turn
    if name == "getDayOfYear":
        return day.timetuple().tm_yday - 1
    return {
        "getFullYear": day.year + years,
        "getMonth": day.month - 1,
        "getDate": day.day,
        "getDayOfMonth": day.day - 1,
        "getDayOfWeek": day.isoweekday() % 7,
    }[name]


_CLOCK: Final = {
    "getHours": (_UNITS["h"], 24),
    "getMinutes": (_UNITS["m"], 60),
    "getSeconds": (SECOND, 60),
    "getMilliseconds": (_UNITS["ms"], 1_000),
}

GETTERS: Final = ("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", *_CLOCK)


def span_getter(name: str, span: Duration) -> int:
    """The whole hours, minutes or seconds of a span, or the milliseconds within its second; towards zero."""
    unit, _ = _CLOCK[name]
    whole = abs(span.ns) % SECOND if name == "getMilliseconds" else abs(span.ns)
    return whole // unit if span.ns >= 0 else -(whole // unit)
