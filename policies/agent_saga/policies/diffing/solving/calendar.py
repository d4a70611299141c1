"""Parts of a time as formulas: hours, days of the week, years, in UTC or a fixed zone.

Source: CEL language definition, "Timezones"; the calendar is the proleptic Gregorian one, in cycles of 400 years whose
years are taken to begin in March, so that the leap day is the last of its year.
"""

from typing import Any, Final

import z3

from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.times import MAX_TIMESTAMP, MIN_TIMESTAMP, offset
from agent_saga.policies.diffing.solving.terms import SECOND, Unsupported, Val, either

_DAY: Final = 86_400 * SECOND
_CLOCK: Final = {
    "getHours": (3600 * SECOND, 24),
    "getMinutes": (60 * SECOND, 60),
    "getSeconds": (SECOND, 60),
    "getMilliseconds": (SECOND // 1000, 1000),
}


def getter(name: str, of: Val, zone: str) -> Val:
    """A part of a time, or of a length of time. Raises Unsupported for a zone that is none."""
    if of.kind == "span":
        return _of_span(name, of)
    try:
        seconds = offset(zone)
    except Undefined as fault:
        raise Unsupported(f"the zone {zone}") from fault
    term = of.term + seconds * SECOND
    wrong = either(of.wrong, *([z3.Or(term < MIN_TIMESTAMP, term > MAX_TIMESTAMP)] if seconds else []))
    return Val("int", _part(name, term), wrong)


def _of_span(name: str, of: Val) -> Val:
    size, _ = _CLOCK[name]
    term = z3.If(of.term < 0, -of.term, of.term)
    whole = (term % SECOND if name == "getMilliseconds" else term) / size
    return Val("int", z3.If(of.term < 0, -whole, whole), of.wrong)


def _part(name: str, term: Any) -> Any:
    if name in _CLOCK:
        size, count = _CLOCK[name]
        return (term / size) % count
    days = term / _DAY
    if name == "getDayOfWeek":
        return (days + 4) % 7
    year, month, day, of_year = _civil(days)
    found = {
        "getFullYear": year,
        "getMonth": month - 1,
        "getDate": day,
        "getDayOfMonth": day - 1,
        "getDayOfYear": of_year,
    }
    return found[name]


def _civil(days: Any) -> tuple[Any, Any, Any, Any]:
    """Year, month 1-12, day 1-31 and day of the year 0-365 of a number of days since 1970."""
    shifted = days + 719_468
    era = shifted / 146_097
    of_era = shifted - era * 146_097
    march_year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365
    since_march = of_era - (365 * march_year + march_year / 4 - march_year / 100)
    march_month = (5 * since_march + 2) / 153
    day = since_march - (153 * march_month + 2) / 5 + 1
    month = z3.If(march_month < 10, march_month + 3, march_month - 9)
    year = march_year + era * 400 + z3.If(month <= 2, 1, 0)
    leap = z3.And(year % 4 == 0, z3.Or(year % 100 != 0, year % 400 == 0))
    of_year = z3.If(since_march >= 306, since_march - 306, since_march + 59 + z3.If(leap, 1, 0))
    return year, month, day, of_year
