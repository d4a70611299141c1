"""What the tests of a policy have seen: each condition and each part of one true and false, limits kept and exceeded.

A part counts as seen where it was reached from left to right: in ``a && b``, b is not when a is false. An outcome that
no tool of the policy can bring about is not asked for, such as ``tool == "x"`` being false where x is the only tool.

Source: docs/spec/policy-v1.md, "Coverage".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.answers import Call, Decision
from agent_saga.policies.cel import Undecided, atoms, compile_, specialise, text_of
from agent_saga.policies.cel.syntax import Call as Operation
from agent_saga.policies.cel.syntax import Expression, Literal
from agent_saga.policies.compiled import chain_of
from agent_saga.policies.deciding.conditions import NAMES, seen, values_of
from agent_saga.policies.model import Condition, Place, Policy

_BOTH: Final = frozenset({True, False})
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Gap:
    """An outcome that no test has seen. what: the rule, and the part of its condition, if it is one."""

    place: Place
    what: str
    outcome: str

    def __str__(self) -> str:
        return f"{self.what} was never {self.outcome}"


@dataclass(frozen=True, slots=True)
class Coverage:
    """seen: outcomes that some test brought about, of total that some test could."""

    seen: int
    total: int
    gaps: tuple[Gap, ...]

    @property
    def percent(self) -> int:
        """Per cent seen, rounded down; 100 where there is nothing to see."""
        return self.seen * 100 // self.total if self.total else 100


def cover(policy: Policy, calls: Sequence[Call], decisions: Sequence[Decision]) -> Coverage:
    """What these calls, and the answers to them, have seen of a policy."""
    known = [one for one in zip(calls, decisions, strict=True) if one[0].tool in policy.tools]
    values = [_values(policy, call) for call, _ in known]
    wanted: list[tuple[Gap, bool]] = []
    for rule in policy.rules:
        wanted += _of(rule.id, rule.when, policy, values)
    for limit in policy.limits:
        wanted += _of(limit.id, limit.of, policy, values)
        both = [
            limit.id in _exceeded(decision)
            for (_, decision), one in zip(known, values, strict=True)
            if _evaluated(limit.of.tree, one)
        ]
        wanted += [
            (Gap(limit.place, limit.id, word), was in both) for word, was in (("exceeded", True), ("kept", False))
        ]
    return Coverage(sum(found for _, found in wanted), len(wanted), tuple(gap for gap, found in wanted if not found))


def _values(policy: Policy, call: Call) -> Values:
    chain = call.chain or chain_of(policy, {call.tool: call.semantics})
    return values_of(call, seen(chain), True)


def _exceeded(decision: Decision) -> frozenset[str]:
    return frozenset(one.id for one in decision.fired if one.outcome == "exceeded")


def _of(id: str, condition: Condition, policy: Policy, values: Sequence[Values]) -> Iterator[tuple[Gap, bool]]:
    """The outcomes of a condition and of its parts, each with whether it was seen."""
    found = _Watch(condition.tree).over(values)
    for part in dict.fromkeys([condition.tree, *atoms(condition.tree)]):
        what = id if part == condition.tree else f"{id}: `{text_of(part)}`"
        for outcome in sorted(possible(part, policy), reverse=True):
            yield Gap(condition.place, what, str(outcome).lower()), outcome in found.get(part, ())


def possible(part: Expression, policy: Policy) -> frozenset[bool]:
    """The outcomes that a part can have for some tool of the policy."""
    found: set[bool] = set()
    for tool in policy.tools.values():
        left = specialise(part, {"tool": tool.name, "semantics": tool.semantics})
        if not isinstance(left, Literal):
            return _BOTH
        found.add(bool(left.value))
    return frozenset(found)


@dataclass
class _Watch:
    """Evaluates a condition from left to right and notes what every part of it was."""

    tree: Expression
    found: dict[Expression, set[bool]] = field(default_factory=dict)

    def over(self, values: Iterable[Values]) -> dict[Expression, set[bool]]:
        """What the parts were, over all these calls; the whole is among them."""
        self.found.setdefault(self.tree, set())
        for one in values:
            outcome = self._visit(self.tree, one)
            if outcome is not None:
                self.found[self.tree].add(outcome)
        return self.found

    def _visit(self, part: Expression, values: Values) -> bool | None:
        """The outcome of a part; None where it has none for this call."""
        if isinstance(part, Operation) and part.name in ("&&", "||"):
            return self._joined(part, part.name == "||", values)
        if isinstance(part, Operation) and part.name == "!":
            outcome = self._visit(part.args[0], values)
            return None if outcome is None else not outcome
        if isinstance(part, Operation) and part.name == "?:":
            test = self._visit(part.args[0], values)
            return None if test is None else self._visit(part.args[1 if test else 2], values)
        outcome = _evaluated(part, values)
        if outcome is not None:
            self.found.setdefault(part, set()).add(outcome)
        return outcome

    def _joined(self, part: Operation, decides: bool, values: Values) -> bool | None:
        unknown = False
        for one in part.args:
            outcome = self._visit(one, values)
            if outcome is decides:
                return decides
            unknown = unknown or outcome is None
        return None if unknown else not decides


def _evaluated(part: Expression, values: Values) -> bool | None:
    try:
        outcome = compile_(part, NAMES)(values)
    except Undecided:
        return None
    return outcome if isinstance(outcome, bool) else None
