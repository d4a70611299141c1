"""What a policy says of the undos of one tool, compiled: how much they may give back, and what must hold of them.

Amounts are those at the places that the policy names, never those that a trace claims of itself.

Source: docs/spec/policy-v1.md, "Undos".
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from agent_saga.policies.cel import Undecided, compile_
from agent_saga.policies.cel.syntax import Expression, Literal, Select
from agent_saga.policies.fitting import Fits, fitting
from agent_saga.policies.model import Amount, Inverse, ToolRule
from agent_saga.trace.currencies import in_units

Args = Mapping[str, Any]
_NAMES: Final = ("args", "undo")


class Worth(NamedTuple):
    """Money: integer minor units and an ISO 4217 currency."""

    minor: int
    currency: str

    def __str__(self) -> str:
        return f"{self.currency} {in_units(self.minor, self.currency)}"


class Terms:
    """What undos of one tool must be. tool, undo: names. pointer: JSON Pointer to what counts the money in the
    arguments of an undo; "" where the policy names no amounts.
    """

    def __init__(self, rule: ToolRule, inverse: Inverse) -> None:
        self.tool, self.undo, self.fee = rule.name, rule.undo or "", rule.fee
        self._must = inverse.must
        self._holds = compile_(inverse.must.tree, _NAMES) if inverse.must is not None else None
        trees = [inverse.must.tree] if inverse.must is not None else []
        self._fits: Mapping[str, Fits | None] = {
            "args": fitting(rule.args, trees),
            "undo": fitting(inverse.args, trees, "undo"),
        }
        self._takes = _measure(rule.amount) if rule.amount is not None else None
        self._gives = _measure(inverse.amount) if inverse.amount is not None else None
        self.pointer = _pointer(inverse.amount.minor.tree) if inverse.amount is not None else ""

    @property
    def amounts(self) -> bool:
        """Whether the policy says where amounts stand."""
        return self._takes is not None and self._gives is not None

    def takes(self, args: Args) -> Worth:
        """What a call moves. Raises Undecided where that cannot be told."""
        assert self._takes is not None
        return self._takes({"args": args})

    def gives(self, undo: Args) -> Worth:
        """What an undo gives back. Raises Undecided where that cannot be told."""
        assert self._gives is not None
        return self._gives({"undo": undo})

    def unlike(self, args: Args, undo: Args) -> str:
        """What of ``must`` an undo does not satisfy, amounts apart; "" when it satisfies all. Raises Undecided."""
        if self._must is None or self._holds is None:
            return ""
        for name, values in (("args", args), ("undo", undo)):
            fits = self._fits[name]
            if fits is not None and (wrong := fits(values)):
                raise Undecided(wrong)
        if self._holds({"args": args, "undo": undo}) is True:
            return ""
        return f"it is not what the policy asks of an undo of {self.tool}: {self._must.text.strip()[:200]}"

    def wrong(self, args: Args, undo: Args) -> str:
        """Why this may not be the undo that is recorded for a call; "" when it may.

        It gives back all that was taken, but for the fee. Raises Undecided where that cannot be told.
        """
        if self.amounts:
            taken, given = self.takes(args), self.gives(undo)
            less = taken.minor - given.minor
            if given.currency != taken.currency or not 0 <= less <= self.fee:
                return f"it gives back {given}, and {self.tool} took {taken}"
        return self.unlike(args, undo)


def terms_of(rule: ToolRule | None) -> Terms | None:
    """What a policy says of the undos of a tool; None where it says nothing."""
    return Terms(rule, rule.inverse) if rule is not None and rule.inverse is not None else None


def _measure(amount: Amount) -> Callable[[Mapping[str, Any]], Worth]:
    minor, currency = (compile_(one.tree, _NAMES) for one in (amount.minor, amount.currency))

    def measure(values: Mapping[str, Any]) -> Worth:
        found, named = minor(values), currency(values)
        if type(found) is not int or found < 0:
            what = "less than nothing" if type(found) is int else f"of the type {type(found).__name__}"
            raise Undecided(f"{amount.minor.text} is {what}; expected minor units from 0")
        if type(named) is not str:
            raise Undecided(f"{amount.currency.text} is of the type {type(named).__name__}; expected a currency")
        return Worth(found, named)

    return measure


def _pointer(tree: Expression) -> str:
    names: list[str] = []
    while isinstance(tree, Select):
        names.append(tree.field.replace("~", "~0").replace("/", "~1"))
        tree = tree.of
    return "".join(f"/{name}" for name in reversed(names)) if not isinstance(tree, Literal) else ""
