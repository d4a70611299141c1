"""What a policy says to the unknown call, as formulas: denied, or who must approve.

Source: docs/spec/policy-v1.md, "Deciding" and "Merging".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import z3

from agent_saga.policies.cel import specialise
from agent_saga.policies.cel.syntax import Expression
from agent_saga.policies.diffing.meters import Meter, meter_of
from agent_saga.policies.diffing.solving.encoding import number, truth
from agent_saga.policies.diffing.solving.terms import NEVER, Val, both, characters, either
from agent_saga.policies.diffing.solving.world import World
from agent_saga.policies.model import Approve, Limit, Policy, Rule, Semantics

STRENGTHS: Final = {"D": 0, "C": 1, "B": 2, "A": 3}
FOREVER: Final = (1 << 63) - 1


@dataclass
class Said:
    """Formulas over the unknown call. asks: each approval that is asked for, and when."""

    denied: Any = NEVER
    asks: list[tuple[Any, Approve]] = field(default_factory=list)

    @property
    def asked(self) -> Any:
        """When any approval is asked for."""
        return either(*(when for when, _ in self.asks))

    def number(self, of: str) -> Any:
        """The merged quorum or strength (the greatest), or time (the least, and none is for ever)."""
        if of == "within":
            return _extreme([(when, one.within) for when, one in self.asks], FOREVER, least=True)
        values = [(when, one.quorum if of == "quorum" else STRENGTHS[one.strength]) for when, one in self.asks]
        return _extreme(values, 0, least=False)

    def may(self, role: str) -> Any:
        """When a role may answer: every approval that is asked for names it."""
        return both(*(z3.Not(when) for when, one in self.asks if role not in one.roles))

    def settled(self, roles: Sequence[str]) -> "Said":
        """With the denial where approvals of no common role are asked for."""
        nobody = both(self.asked, *(z3.Not(self.may(role)) for role in roles))
        return Said(either(self.denied, nobody), self.asks)


def _extreme(values: Sequence[tuple[Any, int]], start: int, least: bool) -> Any:
    """The greatest (or least) value of those that count; start where none does."""
    found = z3.IntVal(start)
    for when, value in sorted(values, key=lambda one: one[1], reverse=least):
        found = z3.If(when, z3.IntVal(value), found)
    return found


def weaker(before: Said, after: Said, roles: Iterable[str]) -> Any:
    """When the second is looser than the first in something."""
    more = either(
        after.number("quorum") < before.number("quorum"),
        after.number("strength") < before.number("strength"),
        after.number("within") > before.number("within"),
        *(both(after.may(role), z3.Not(before.may(role))) for role in roles),
    )
    milder = both(before.asked, either(z3.Not(after.asked), more))
    return both(z3.Not(after.denied), either(before.denied, milder))


class Speaker:
    """One policy about the calls of one tool. spent: the variable of what each meter holds."""

    def __init__(self, policy: Policy, tool: str, semantics: Semantics, world: World, spent: Mapping[Meter, Any]):
        self.policy, self.world, self.spent = policy, world, spent
        self.semantics = semantics
        self._known = {"tool": tool, "semantics": semantics}
        self._tool = tool

    def whole(self, roles: Sequence[str]) -> Said:
        """What the policy says in all."""
        declared = self.policy.tools.get(self._tool)
        if declared is None:
            return Said(denied=z3.BoolVal(True))
        said = self.parts([*self.policy.limits, *self.policy.rules]).settled(roles)
        if self.semantics == "irreversible":
            said.asks.append((z3.Not(said.asked), self.policy.irreversible))
        if self.policy.agents:
            agent = self.world.name("agent").term
            stranger = z3.Not(either(*(agent == characters(name) for name in self.policy.agents)))
            said.denied = either(said.denied, stranger)
        return said

    def parts(self, parts: Iterable[Rule | Limit]) -> Said:
        """What some rules and limits say."""
        said = Said()
        for part in parts:
            if part.enforcement in ("advisory", "evaluate") or self._tool not in self.policy.tools:
                continue
            fires, wrong = self._limit(part) if isinstance(part, Limit) else self.fires(part)
            said.denied = either(said.denied, wrong)
            if part.then == "deny":
                said.denied = either(said.denied, fires)
            elif isinstance(part.then, Approve):
                said.asks.append((fires, part.then))
        return said

    def fires(self, part: Rule | Limit) -> tuple[Any, Any]:
        """When a rule holds or a limit counts, and when nobody can tell."""
        found = truth(self._folded(part.when.tree if isinstance(part, Rule) else part.of.tree), self.world)
        return both(found.term, z3.Not(found.wrong)), found.wrong

    def _limit(self, limit: Limit) -> tuple[Any, Any]:
        held, uncounted = self.fires(limit)
        if z3.is_false(held) and z3.is_false(uncounted):
            return NEVER, NEVER
        one = Val("int", z3.IntVal(1))
        amount = number(self._folded(limit.measure.tree), self.world) if limit.measure else one
        keys = [number(self._folded(key.tree), self.world).wrong for key in limit.per]
        unmeasured = either(amount.wrong, amount.term < 0, *keys)
        beyond = z3.And(amount.term > 0, self.spent[meter_of(limit)] + amount.term > limit.max)
        wrong = either(uncounted, both(held, unmeasured))
        return both(held, beyond, z3.Not(wrong)), wrong

    def _folded(self, tree: Expression) -> Expression:
        return specialise(tree, self._known)
