"""Values inside a condition as words: arguments, sums, lengths, parts of a date, constants."""

from datetime import datetime
from typing import Any, Final

from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Select
from agent_saga.policies.rendering.naming import Names, money_of, path_of, variable
from agent_saga.policies.rendering.prose import Code, Prose, duration, flat, join

_ARITHMETIC: Final = {"+": " plus ", "-": " minus ", "*": " times ", "/": " divided by "}
_GETTERS: Final = {
    "getFullYear": "the year",
    "getMonth": "the month",
    "getDate": "the day of the month",
    "getDayOfMonth": "the day of the month, from 0,",
    "getDayOfWeek": "the day of the week",
    "getDayOfYear": "the day of the year, from 0,",
    "getHours": "the hour",
    "getMinutes": "the minute",
    "getSeconds": "the second",
    "getMilliseconds": "the millisecond",
}
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_CONVERSIONS: Final = {"int": "as a whole number", "double": "as a number", "string": "as text", "uint": "as a number"}


def term(tree: Expression, names: Names) -> Prose:
    """A value in words. Sums and products inside another stand in parentheses."""
    if path := path_of(tree):
        return names.named(path[:-1] if money_of(tree, names) is not None else path)
    if (said := variable(tree)) is not None:
        return said
    if isinstance(tree, Literal):
        return literal(tree.value)
    if isinstance(tree, Call):
        return _call(tree, names)
    if isinstance(tree, ListOf):
        return ("the list of ", *join([term(item, names) for item in tree.items], ", ", " and "))
    if isinstance(tree, MapOf):
        pairs = [(*term(key, names), " for ", *term(value, names)) for key, value in tree.entries]
        return ("the map of ", *join(pairs, ", "))
    if isinstance(tree, Index):
        return ("entry ", *term(tree.index, names), " of ", *term(tree.of, names))
    if isinstance(tree, Select):
        return (Code(tree.field), " of ", *term(tree.of, names))
    return (tree.name,)


def _call(tree: Call, names: Names) -> Prose:
    args = tree.args
    if tree.name in _ARITHMETIC and len(args) == 2:
        return flat([_inner(args[0], names), (_ARITHMETIC[tree.name],), _inner(args[1], names)])
    if tree.name == "%":
        return ("the rest of ", *_inner(args[0], names), " divided by ", *_inner(args[1], names))
    if tree.name in ("-_", "-"):
        return ("minus ", *_inner(args[0], names))
    if tree.name == "size":
        return ("the length of ", *term(args[0], names))
    if tree.name in _GETTERS:
        return (f"{_GETTERS[tree.name]} of ", *term(args[0], names), " (UTC)")
    if tree.name in ("timestamp", "duration") and isinstance(args[0], Literal):
        return _moment(tree.name, str(args[0].value))
    if tree.name == "timestamp":
        return (*_inner(args[0], names), " as a time")
    if tree.name == "duration":
        return (*_inner(args[0], names), " as a length of time")
    if tree.name in _CONVERSIONS:
        return (*_inner(args[0], names), f" {_CONVERSIONS[tree.name]}")
    return _truth(tree, names)


def _truth(tree: Call, names: Names) -> Prose:
    from agent_saga.policies.rendering.conditions import phrase

    return ("whether ", *phrase(tree, names, False).words)


def _inner(tree: Expression, names: Names) -> Prose:
    compound = isinstance(tree, Call) and tree.name in (*_ARITHMETIC, "%", "?:")
    return ("(", *term(tree, names), ")") if compound else term(tree, names)


def _moment(kind: str, text: str) -> Prose:
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


def weekday_or_month(compared: Expression, value: Literal) -> Prose | None:
    """A number that is a day of the week or a month, by its name."""
    if isinstance(compared, Call) and type(value.value) is int:
        names = {"getDayOfWeek": _DAYS, "getMonth": _MONTHS}.get(compared.name, ())
        if 0 <= value.value < len(names):
            return (names[value.value],)
    return None
