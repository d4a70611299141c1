"""Constants inside a condition as words: numbers, texts, money, times, days of the week and months."""

from datetime import datetime
from typing import Any, Final

from agent_saga.policies.cel.syntax import Call, Expression, Literal
from agent_saga.policies.rendering.naming import Names, amount, money_of
from agent_saga.policies.rendering.prose import Code, Prose, duration

_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def constant(value: Literal, compared: Expression, names: Names) -> Prose:
    """A constant as one says it of what it is compared with: money, a day of the week, or as it is."""
    currencies = money_of(compared, names)
    if currencies is not None and isinstance(value.value, int):
        return amount(value.value, currencies)
    return _weekday_or_month(compared, value) or literal(value.value)


def literal(value: Any) -> Prose:
    """A constant: numbers with groups of three digits, strings as code."""
    if value is True or value is False:
        return ("true" if value else "false",)
    if value is None:
        return ("null",)
    if isinstance(value, int):
        return (f"{value:,}",)
    if isinstance(value, float):
        return (f"{value:,}" if abs(value) < 1e15 else repr(value),)
    return (Code(value if isinstance(value, str) else repr(value)),)


def _weekday_or_month(compared: Expression, value: Literal) -> Prose | None:
    """A number that is a day of the week or a month, by its name."""
    if isinstance(compared, Call) and type(value.value) is int:
        names = {"getDayOfWeek": _DAYS, "getMonth": _MONTHS}.get(compared.name, ())
        if 0 <= value.value < len(names):
            return (names[value.value],)
    return None


def moment(kind: str, text: str) -> Prose:
    """A constant time or length of time, as a person writes it; as it stands where it is no usual one."""
    if kind == "duration":
        whole = text[:-1].isdigit() and {"s": 1, "m": 60, "h": 3600}.get(text[-1:])
        return (duration(int(text[:-1]) * whole),) if whole else (Code(text),)
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return (Code(text),)
    if at.utcoffset() or at.microsecond:
        return (Code(text),)
    return (f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {at:%H:%M:%S} UTC".replace(":00 UTC", " UTC"),)
