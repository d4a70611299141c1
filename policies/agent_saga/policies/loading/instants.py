"""Instants as people write them, in the one form of the trace format.

Source: RFC 3339; docs/spec/trace-v1.md, "Forms".
"""

import re
from datetime import datetime
from typing import Final

DEFAULT: Final = "2026-01-01T00:00:00.000000Z"
"""When the call of a test is made that names no time; a Thursday, midnight in UTC."""

_FORM = re.compile(r"([1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?Z").fullmatch


def instant(text: str) -> str:
    """An instant with six decimals. Raises ValueError for what is none, or is not in UTC."""
    found = _FORM(text)
    if found is None:
        raise ValueError("expected a time in UTC such as 2026-11-30T07:00:00Z")
    try:
        datetime.fromisoformat(found[1])
    except ValueError as fault:
        raise ValueError("expected a time in UTC, such as 2026-11-30T07:00:00Z, that exists") from fault
    return f"{found[1]}.{(found[2] or ''):0<6}Z"
