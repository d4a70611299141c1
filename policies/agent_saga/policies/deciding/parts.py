"""One rule, or one limit, as it applies to one tool: what cannot apply to the tool is not there.

Source: docs/spec/policy-v1.md, "Rules" and "Limits".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from agent_saga.policies.answers import Effect, Fired, Spend
from agent_saga.policies.cel import Undecided, names_in
from agent_saga.policies.deciding.conditions import Test, tested, valued
from agent_saga.policies.model import Approve, Limit, Rule, Then


@dataclass(frozen=True, slots=True)
class RulePart:
    """A rule for one tool. test: None where it holds for every call. timed: whether it asks for the time."""

    rule: Rule
    test: Test | None
    timed: bool = False

    def fired(self, values: Mapping[str, Any]) -> Fired | None:
        """What it says about a call; None when it does not hold."""
        if self.test is not None:
            try:
                if not truth(self.test(values)):
                    return None
            except Undecided as fault:
                return _undecided(self.rule, "rule", fault)
        return _held(self.rule)


@dataclass(frozen=True, slots=True)
class LimitPart:
    """A limit for one tool. counts: None where every call counts; amount: None where a call counts as one."""

    limit: Limit
    counts: Test | None
    per: tuple[Test, ...]
    amount: Test | None
    timed: bool = False

    def spend(self, values: Mapping[str, Any]) -> Spend | None:
        """What a call takes; None when it does not count. Raises Undecided, also for less than nothing."""
        if self.counts is not None and not truth(self.counts(values)):
            return None
        amount = self.amount(values) if self.amount is not None else 1
        if type(amount) is not int:
            raise Undecided("the sum is no integer", 0)
        if amount < 0:
            raise Undecided(f"the sum is {amount}, and less than nothing would earn budget", 0)
        key = f"[{','.join([_spelled(one(values)) for one in self.per])}]"
        return Spend(self.limit.id, key, amount, self.limit.window, self.limit.max)


def rule_part(rule: Rule, known: Mapping[str, Any]) -> RulePart | None:
    """The rule for a tool of which this is known; None where it can never hold."""
    test = tested(rule.when.tree, known)
    if isinstance(test, bool):
        return RulePart(rule, None) if test else None
    return RulePart(rule, test, "at" in names_in(rule.when.tree))


def limit_part(limit: Limit, known: Mapping[str, Any]) -> LimitPart | None:
    """The limit for a tool of which this is known; None where no call of it counts."""
    counts = tested(limit.of.tree, known)
    if counts is False:
        return None
    per = tuple(valued(one.tree, known) for one in limit.per)
    amount = valued(limit.measure.tree, known) if limit.measure is not None else None
    parts = (limit.of, *limit.per, *((limit.measure,) if limit.measure is not None else ()))
    timed = any("at" in names_in(one.tree) for one in parts)
    return LimitPart(limit, None if isinstance(counts, bool) else counts, per, amount, timed)


def exceeded(limit: Limit, spend: Spend, used: int) -> Fired:
    """A limit that one more call would exceed."""
    effect, approve = effect_of(limit.then)
    return Fired(
        id=limit.id,
        kind="limit",
        enforcement=limit.enforcement,
        effect=effect,
        approve=approve,
        outcome="exceeded",
        why=limit.why,
        values=(("key", spend.key),),
        used=used,
        asked=spend.amount,
        max=limit.max,
    )


def unmeasured(limit: Limit, fault: Undecided) -> Fired:
    """A limit of which nobody can tell what a call takes."""
    return _undecided(limit, "limit", fault)


def effect_of(then: Then) -> tuple[Effect, Approve | None]:
    """What a ``then`` does."""
    return ("approve", then) if isinstance(then, Approve) else (then, None)


def _held(rule: Rule) -> Fired:
    effect, approve = effect_of(rule.then)
    return Fired(rule.id, "rule", rule.enforcement, effect, approve, "held", rule.why)


def _undecided(part: Rule | Limit, kind: Any, fault: Undecided) -> Fired:
    return Fired(
        id=part.id,
        kind=kind,
        enforcement=part.enforcement,
        effect="deny",
        approve=None,
        outcome="undecidable",
        why=fault.words,
        concealed=fault.concealed,
    )


def truth(value: Any) -> bool:
    """Whether a condition holds. Raises Undecided where arguments that do not fit their schema make it no bool."""
    if value is True or value is False:
        return value is True
    raise Undecided("the condition is neither true nor false", 0)


def _spelled(value: Any) -> str:
    """A part of a key as JSON. Raises Undecided for any other type: such a value may have several spellings."""
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int:
        return str(value)
    if value is True or value is False:
        return "true" if value else "false"
    raise Undecided("a part of the key is neither string, int nor bool", 0)
