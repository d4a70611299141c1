"""Asks both policies about sampled calls, and keeps for each subject a call that shows which way it went.

A call that changes the whole answer is kept rather than one of which another rule hides the change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.answers import Decision
from agent_saga.policies.cel import specialise
from agent_saga.policies.cel.syntax import Expression, Literal
from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.diffing.result import Example
from agent_saga.policies.diffing.spending import Relations, Spent, sums
from agent_saga.policies.diffing.subjects import Subject
from agent_saga.policies.explaining.calls import Asked, asked, decided
from agent_saga.policies.model import Policy
from agent_saga.policies.sampling.calls import Given, Space, space
from agent_saga.policies.sampling.variables import Disagreement

Way = str
"""``looser`` or ``stricter``."""
WAYS: Final = ("looser", "stricter")


@dataclass
class Kept:
    """The calls that show which way a subject went. plain: those that change the whole answer too."""

    found: dict[Way, Example] = field(default_factory=dict)
    plain: set[Way] = field(default_factory=set)

    def add(self, way: Way, example: Example, plain: bool) -> None:
        """Keep a call, unless a better one is there."""
        if way not in self.found or (plain and way not in self.plain):
            self.found[way] = example
            if plain:
                self.plain.add(way)


class Search:
    """Two policies and the calls to ask them about. disagreements: tools of which no call fits both."""

    def __init__(self, before: Policy, after: Policy) -> None:
        self.policies = (before, after)
        self.compiled: tuple[Compiled, Compiled] = (compile_policy(before), compile_policy(after))
        self.tools = list(dict.fromkeys([*after.tools, *before.tools]))
        self.spaces: dict[str, Space] = {}
        self.disagreements: dict[str, str] = {}
        self.calls = 0
        for tool in self.tools:
            try:
                self.spaces[tool] = space(self.policies, tool, trees_of(self.policies, tool))
            except Disagreement as fault:
                self.disagreements[tool] = str(fault)

    def run(self, subjects: Sequence[Subject], relations: Relations, sweeps: int) -> dict[Subject, Kept]:
        """Ask about every sampled call."""
        kept = {subject: Kept() for subject in subjects}
        for tool, found in self.spaces.items():
            asked_about = [one for one in subjects if one.concerns(tool, self.policies)]
            for given in (*self._tested(tool), *found.calls(sweeps)):
                for example in self.examples(given, relations):
                    self.calls += 1
                    show(asked_about, example, kept)
        return kept

    def _tested(self, tool: str) -> list[Given]:
        """The calls of both policies' own tests: somebody thought of each."""
        tests = [case.given for policy in self.policies for case in policy.tests]
        return [dict(given) for given in tests if given.get("tool") == tool]

    def examples(self, given: Given, relations: Relations) -> Iterator[Example]:
        """A call under both policies, with each of the sums that windows may hold."""
        calls = tuple(asked(given, policy) for policy in self.policies)
        spends = tuple(one.spends(call.call) for one, call in zip(self.compiled, calls, strict=True))
        if not any(spends):
            yield self._example(given, calls, ({}, {}))
            return
        for spent in sums(self.policies, (spends[0], spends[1]), relations):
            yield self._example(given, calls, spent)

    def example(self, given: Given, spent: tuple[Spent, Spent]) -> Example:
        """A call under both policies."""
        return self._example(given, tuple(asked(given, policy) for policy in self.policies), spent)

    def _example(self, given: Given, calls: Sequence[Asked], spent: tuple[Spent, Spent]) -> Example:
        old, new = (
            decided(one, Asked(call.call, sums_), told=False)
            for one, call, sums_ in zip(self.compiled, calls, spent, strict=True)
        )
        before, after = (_with(given, one, policy) for one, policy in zip(spent, self.policies, strict=True))
        return Example(before, after, old, new)


def show(subjects: Sequence[Subject], example: Example, kept: Mapping[Subject, Kept]) -> None:
    """Keep the example for each subject that it shows something of."""
    if _same(example.old, example.new):
        return
    whole = Subject().compare(example.old, example.new)
    for subject in subjects:
        found = subject.compare(example.old, example.new)
        for way in WAYS if found == "incomparable" else [found]:
            if way in WAYS:
                kept[subject].add(way, example, plain=whole in (way, "incomparable"))


def _same(old: Decision, new: Decision) -> bool:
    """Quickly: whether the two decisions say the same in every part."""
    key = [
        [(one.id, one.effect, one.approve, one.enforcement, one.outcome) for one in decision.fired]
        for decision in (old, new)
    ]
    return old.effect == new.effect and old.approve == new.approve and key[0] == key[1]


def _with(given: Given, spent: Mapping[str, int], policy: Policy) -> dict[str, Any]:
    known = {limit.id for limit in policy.limits}
    sums_ = {name: value for name, value in spent.items() if value and name in known}
    return {**given, "spent": sums_} if sums_ else dict(given)


def trees_of(policies: Sequence[Policy], tool: str) -> list[Expression]:
    """The conditions of all policies as far as they are about a tool."""
    trees: list[Expression] = []
    for policy in policies:
        for rule in policy.rules:
            trees.append(rule.when.tree)
        for limit in policy.limits:
            trees += [limit.of.tree, *([limit.measure.tree] if limit.measure else []), *(key.tree for key in limit.per)]
    folded = [specialise(tree, {"tool": tool}) for tree in trees]
    return list(dict.fromkeys(tree for tree in folded if not isinstance(tree, Literal)))
