"""A condition as plain English: ``args.amount.minor > 500000`` is "the amount is more than EUR 5,000.00".

A condition holds values, and a value may be a condition ("whether ..."): both are put into words here.

``!`` is pushed inwards (De Morgan) down to comparisons, so that a sentence says "is below 100 or above 50,000" and not
"it is not so that". Where "and" stands inside "or", parentheses keep them apart, as in the condition itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Select
from agent_saga.policies.rendering.comparisons import MIRROR, OPPOSITE, bound
from agent_saga.policies.rendering.constants import constant, literal, moment
from agent_saga.policies.rendering.naming import Names, money_of, path_of, variable
from agent_saga.policies.rendering.prose import Code, Prose, any_of, flat, join

ATOM, ALL, ANY = 0, 1, 2
"""How loosely a phrase holds together; a looser one inside a tighter one needs parentheses."""

_WORDS: Final = {
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "==": "is",
    "!=": "is not",
}
_TESTS: Final = {
    "startsWith": ("begins with", "does not begin with"),
    "endsWith": ("ends with", "does not end with"),
    "contains": ("contains", "does not contain"),
}
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
_CONVERSIONS: Final = {"int": "as a whole number", "double": "as a number", "string": "as text", "uint": "as a number"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that are true or false, and how loosely they hold together."""

    words: Prose
    binding: int = ATOM

    def within(self, binding: int) -> Prose:
        """As a part of an "and" or an "or"."""
        return ("(", *self.words, ")") if self.binding > ATOM and self.binding != binding else self.words


def condition(tree: Expression, names: Names) -> Prose:
    """The words of a condition, to stand behind "when"."""
    return phrase(tree, names, False).words


def phrase(tree: Expression, names: Names, negated: bool) -> Phrase:
    """The words of a condition, or of its opposite."""
    if isinstance(tree, Call):
        if tree.name == "!":
            return phrase(tree.args[0], names, not negated)
        if tree.name in ("&&", "||"):
            return _joined(tree, names, negated)
        if tree.name == "?:":
            return _choice(tree, names, negated)
        if tree.name in _WORDS:
            return Phrase(_compared(tree, names, negated))
        if tree.name in _TESTS:
            words = _TESTS[tree.name][negated]
            return Phrase((*term(tree.args[0], names), f" {words} ", *term(tree.args[1], names)))
        if tree.name == "in":
            return Phrase(_among(tree, names, negated))
    if isinstance(tree, Literal):
        return Phrase(("always" if bool(tree.value) is not negated else "never",))
    if isinstance(tree, Select) and tree.test:
        words = "is not given" if negated else "is given"
        return Phrase((*term(Select(tree.of, tree.field), names), f" {words}"))
    return Phrase((*term(tree, names), " is false" if negated else " is true"))


def chained(tree: Expression, operator: str) -> list[Expression]:
    """The parts of a chain of one operator, from left to right; the expression alone when it is none."""
    if isinstance(tree, Call) and tree.name == operator:
        return [part for arg in tree.args for part in chained(arg, operator)]
    return [tree]


def _joined(tree: Call, names: Names, negated: bool) -> Phrase:
    every = (tree.name == "&&") is not negated
    parts = chained(tree, tree.name)
    binding = ALL if every else ANY
    found = [p.within(binding) for p in _phrases(parts, names, negated, every)]
    if len(found) == 1:
        return Phrase(found[0])
    between = " and " if every else " or "
    return Phrase(flat([(*part, between) for part in found[:-1]] + [found[-1]]), binding)


def _phrases(parts: Sequence[Expression], names: Names, negated: bool, every: bool) -> list[Phrase]:
    """The parts in words; two neighbours that bound one value become one phrase."""
    out: list[Phrase] = []
    rest = list(parts)
    while rest:
        one = rest.pop(0)
        if rest and (both := _range(one, rest[0], names, negated, every)) is not None:
            out.append(Phrase(both))
            rest.pop(0)
        else:
            out.append(phrase(one, names, negated))
    return out


def _range(one: Expression, two: Expression, names: Names, negated: bool, every: bool) -> Prose | None:
    low, high = bound(one, negated), bound(two, negated)
    if low is None or high is None or low[0] != high[0]:
        return None
    if every and low[1].startswith(">") and high[1].startswith("<"):
        ends = {(">=", "<="): "", (">", "<"): " (both excluded)"}.get((low[1], high[1]))
        if ends is not None:
            said = "is from " if not ends else "is between "
            word = " to " if not ends else " and "
            return (*term(low[0], names), f" {said}", *_value(low, names), word, *_value(high, names), ends)
    if not every and low[1] == "<" and high[1] == ">":
        return (*term(low[0], names), " is below ", *_value(low, names), " or above ", *_value(high, names))
    return None


def _value(found: tuple[Expression, str, Literal], names: Names) -> Prose:
    return constant(found[2], found[0], names)


def _compared(tree: Call, names: Names, negated: bool) -> Prose:
    left, right, word = tree.args[0], tree.args[1], tree.name
    if isinstance(left, Literal) and not isinstance(right, Literal):
        left, right, word = right, left, MIRROR[word]
    word = OPPOSITE[word] if negated else word
    said = f" {_WORDS[word]} "
    if isinstance(right, Literal):
        if right.value is None:
            return (*term(left, names), " is null" if word == "==" else " is not null")
        return (*term(left, names), said, *constant(right, left, names))
    return (*term(left, names), said, *term(right, names))


def _among(tree: Call, names: Names, negated: bool) -> Prose:
    item, group = tree.args
    if isinstance(group, ListOf) and all(isinstance(one, Literal) for one in group.items):
        words = any_of([constant(one, item, names) for one in group.items if isinstance(one, Literal)])
        if len(group.items) == 1:
            return (*term(item, names), " is not " if negated else " is ", *words)
        return (*term(item, names), " is none of " if negated else " is one of ", *words)
    return (*term(item, names), " is not among " if negated else " is among ", *term(group, names))


def _choice(tree: Call, names: Names, negated: bool) -> Phrase:
    test, yes, no = tree.args
    return Phrase(
        (
            *phrase(yes, names, negated).within(ALL),
            " (if ",
            *phrase(test, names, False).words,
            "), or else ",
            *phrase(no, names, negated).within(ALL),
        ),
        ANY,
    )


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
        return (f"{_GETTERS[tree.name]} of ", *term(args[0], names), " (", *_zone(args[1:], names), ")")
    if tree.name in ("timestamp", "duration") and isinstance(args[0], Literal):
        return moment(tree.name, str(args[0].value))
    if tree.name == "timestamp":
        return (*_inner(args[0], names), " as a time")
    if tree.name == "duration":
        return (*_inner(args[0], names), " as a length of time")
    if tree.name in _CONVERSIONS:
        return (*_inner(args[0], names), f" {_CONVERSIONS[tree.name]}")
    return ("whether ", *phrase(tree, names, False).words)


def _inner(tree: Expression, names: Names) -> Prose:
    compound = isinstance(tree, Call) and tree.name in (*_ARITHMETIC, "%", "?:")
    return ("(", *term(tree, names), ")") if compound else term(tree, names)


def _zone(given: Sequence[Expression], names: Names) -> Prose:
    """The zone in which an hour or a day is counted: ``UTC``, ``UTC+01:00``, or what says it."""
    if not given:
        return ("UTC",)
    zone = given[0]
    if isinstance(zone, Literal):
        return ("UTC",) if zone.value == "UTC" else (f"UTC{'' if str(zone.value)[:1] in '+-' else '+'}{zone.value}",)
    return ("in the zone ", *term(zone, names))
