"""Money in conditions: counted in whole minor units, and never summed over several currencies.

Money of the trace format is ``{"minor": 4200, "currency": "EUR"}``. A member named ``minor``, or one whose name ends in
``_minor``, is money here, and its currency is the member ``currency`` beside it, or any whose name ends in
``_currency``.

Source: docs/spec/policy-v1.md, "Money".
"""

from collections.abc import Iterator, Sequence

from agent_saga.policies.cel import CelFault, text_of
from agent_saga.policies.cel.syntax import Call, Expression, ListOf, Literal, Select
from agent_saga.policies.cel.types import DOUBLE, ListType, ObjectType, Type
from agent_saga.policies.cel.walking import parts

_MEASURES = frozenset({"==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in"})


def _amounts(tree: Expression) -> list[Select]:
    """The parts of an expression that are money."""
    found = (part for part in parts(tree) if isinstance(part, Select) and not part.test)
    return [part for part in found if is_amount(part.field)]


def is_amount(name: str) -> bool:
    """Whether a member of this name counts money."""
    return name == "minor" or name.endswith("_minor")


def fractions_of_money(type_: Type, path: str = "args") -> Iterator[str]:
    """Paths of arguments that count money and are typed as numbers with a fraction."""
    if isinstance(type_, ObjectType):
        for name, field in type_.fields.items():
            if field.type == DOUBLE and is_amount(name):
                yield f"{path}.{name}"
            yield from fractions_of_money(field.type, f"{path}.{name}")
    elif isinstance(type_, ListType):
        yield from fractions_of_money(type_.item, f"{path}[]")


def money_faults(tree: Expression) -> Iterator[tuple[CelFault, int]]:
    """Numbers with a fraction that money is compared or reckoned with, each with the place of that operation."""
    for part in parts(tree):
        if not (isinstance(part, Call) and part.name in _MEASURES and any(map(_amounts, part.args))):
            continue
        for one in part.args:
            for number in parts(one):
                if isinstance(number, Literal) and isinstance(number.value, float):
                    what = f"{number.value} beside money; money is counted in whole minor units, such as 500000"
                    yield CelFault(number.at, what), part.at


def uncounted(measure: Expression, of: Expression, per: Sequence[Expression]) -> CelFault | None:
    """The fault of a limit that sums money of several currencies; None when it cannot.

    measure, of, per: the limit's. One currency is named by a part of ``of`` that must hold: ``X.currency == "EUR"``.
    """
    for amount in _amounts(measure):
        if not any(_is_currency(one, amount) for one in [*per, *_fixed(of)]):
            beside = text_of(Select(amount.of, "currency"))
            what = f"{text_of(amount)} may be of several currencies; add {beside} to per, or name one currency in of"
            return CelFault(amount.at, what)
    return None


def _is_currency(part: Expression, amount: Select) -> bool:
    if not isinstance(part, Select) or part.test:
        return False
    return part == Select(amount.of, "currency") or (amount.field != "minor" and _says_currency(part.field))


def _says_currency(name: str) -> bool:
    return name == "currency" or name.endswith("_currency")


def _fixed(of: Expression) -> Iterator[Expression]:
    """What a condition holds to one text, wherever it holds at all."""
    if isinstance(of, Call) and of.name == "&&":
        for part in of.args:
            yield from _fixed(part)
    elif isinstance(of, Call) and of.name == "==" and len(of.args) == 2:
        for one, other in (of.args, of.args[::-1]):
            if isinstance(other, Literal) and isinstance(other.value, str):
                yield one
    elif isinstance(of, Call) and of.name == "in" and len(of.args) == 2:
        known = of.args[1]
        if isinstance(known, ListOf) and len(known.items) == 1 and isinstance(known.items[0], Literal):
            yield of.args[0]
