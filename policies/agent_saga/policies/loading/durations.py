"""Durations of ISO 8601 that always have one length: days, hours, minutes, seconds; no months, no fractions.

Source: ISO 8601-1:2019, 5.5.2; docs/spec/policy-v1.md, "Forms".
"""

import re
from typing import Final

MOST: Final = 31_622_400
"""Seconds: 366 days. What is longer is no window that a person thinks in."""

_FORM = re.compile(
    r"P(?:(?P<d>[0-9]{1,4})D)?(?:T(?:(?P<h>[0-9]{1,6})H)?(?:(?P<m>[0-9]{1,6})M)?(?:(?P<s>[0-9]{1,8})S)?)?"
).fullmatch
_UNITS: Final = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


class NoDuration(ValueError):
    """A text is no duration; the message says why."""


def seconds(text: str) -> int:
    """The length of a duration such as PT15M or P1D, in seconds. Raises NoDuration."""
    found = _FORM(text)
    parts = {unit: value for unit, value in found.groupdict().items() if value} if found else {}
    if found is None or not parts or text.endswith("T"):
        raise NoDuration("expected an ISO 8601 duration such as PT15M, PT24H or P1D")
    total = sum(int(value) * _UNITS[unit] for unit, value in parts.items())
    if not 0 < total <= MOST:
        raise NoDuration("expected a duration above nothing and of at most 366 days")
    return total
