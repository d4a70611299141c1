"""Examples at the boundaries of a rule or limit: two calls that differ in one value, with the engine's answers.

The calls are those of :mod:`agent_saga.policies.sampling`; a pair is two neighbours of which the rule holds for one
alone. So an example can never say anything else than what the engine does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final

from agent_saga.policies.answers import Decision
from agent_saga.policies.compiled import Compiled
from agent_saga.policies.diffing.searching import trees_of
from agent_saga.policies.explaining.calls import Asked, asked, decided
from agent_saga.policies.model import Limit, Policy, Rule
from agent_saga.policies.sampling.calls import ABSENT, Given, Space, put, space
from agent_saga.policies.sampling.constants import Path, constants

MOST: Final = 2
"""Pairs that are shown of one rule: the two ends of a range."""
_GREAT: Final = 10**12
TRIED: Final = 60
"""Ordinary calls whose neighbours are looked at."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One value of one call. value: ABSENT where it is left out."""

    given: Given
    path: Path
    value: Any
    decision: Decision
    used: int | None = None
    amount: int | None = None


class Edges:
    """Looks for boundaries in one policy."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.compiled = policy, Compiled(policy)
        self._spaces: dict[str, Space] = {}

    def of_rule(self, rule: Rule, tools: Sequence[str]) -> list[tuple[Edge, Edge]]:
        """Pairs of neighbours, the one for which the rule does not hold first: those that change the answer rather
        than those that another rule hides, and numbers rather than other values.
        """
        found: dict[tuple[Any, ...], tuple[Edge, Edge]] = {}
        read = {path for path in constants([rule.when.tree]) if path != ("tool",)}
        for tool in tools:
            for base in islice(self._bases(tool), TRIED):
                for path in sorted(read & set(self._space(tool).choices)):
                    for pair in self._pairs(rule.id, base, path):
                        key = (path, repr(pair[0].value), repr(pair[1].value))
                        found[key] = min(found.get(key, pair), pair, key=_plainness)
            if any(_plainness(pair)[:2] == (0, 0) for pair in found.values()):
                break
        return _different(sorted(found.values(), key=_plainness))

    def of_limit(self, limit: Limit, tools: Sequence[str]) -> list[tuple[Edge, Edge]]:
        """A call that just fits into the window, and the same when one unit more is used."""
        for tool in tools:
            for given in islice(self._space(tool).calls(8), TRIED):
                spends = {one.limit: one for one in self.compiled.spends(asked(given, self.policy).call)}
                spend = spends.get(limit.id)
                if spend is not None and 0 < spend.amount <= limit.max:
                    room = limit.max - spend.amount
                    fits, not_ = (self._spent(given, limit, spend.amount, used) for used in (room, room + 1))
                    return [(fits, not_)]
        return []

    def _spent(self, given: Given, limit: Limit, amount: int, used: int) -> Edge:
        one = asked({**given, "spent": {limit.id: used}}, self.policy)
        return Edge(given, (), None, decided(self.compiled, one, told=False), used, amount)

    def _space(self, tool: str) -> Space:
        if tool not in self._spaces:
            self._spaces[tool] = space([self.policy], tool, trees_of([self.policy], tool))
        return self._spaces[tool]

    def _bases(self, tool: str) -> Iterator[Given]:
        """Calls that somebody thought of, which are the policy's own tests; then made ones."""
        found = self._space(tool)
        yield from (dict(case.given) for case in self.policy.tests if case.given.get("tool") == tool)
        yield found.base
        yield from found.calls(40)

    def _pairs(self, ident: str, base: Given, path: Path) -> Iterator[tuple[Edge, Edge]]:
        """Neighbours among all that one value can be, of which the rule holds for one; whole numbers side by side."""
        edges = [self._edge(given, path) for given in self._space(base["tool"]).sweep(base, path)]
        for one, two in pairwise(sorted(edges, key=_order)):
            if _holds(one, ident) != _holds(two, ident) and type(one.value) is type(two.value):
                one, two = self._nearest(ident, one, two)
                yield (two, one) if _holds(one, ident) else (one, two)

    def _nearest(self, ident: str, one: Edge, two: Edge) -> tuple[Edge, Edge]:
        """Between two whole numbers, two that stand side by side and still differ."""
        while type(one.value) is int and two.value - one.value > 1:
            middle = self._edge(put(one.given, one.path, (one.value + two.value) // 2), one.path)
            one, two = (middle, two) if _holds(middle, ident) == _holds(one, ident) else (one, middle)
        return one, two

    def _edge(self, given: Given, path: Path) -> Edge:
        decision = decided(self.compiled, Asked(asked(given, self.policy).call), told=False)
        return Edge(given, path, value_at(given, path), decision)


def value_at(given: Mapping[str, Any], path: Path) -> Any:
    """A value of a call by its path; ABSENT where it is missing."""
    found: Any = given
    for name in path:
        if not isinstance(found, Mapping) or name not in found:
            return ABSENT
        found = found[name]
    return found


def _order(edge: Edge) -> tuple[int, float, str]:
    value = edge.value
    if value is ABSENT:
        return (0, 0.0, "")
    if isinstance(value, int | float):
        return (1, float(value), "")
    return (2, 0.0, str(value))


def _holds(edge: Edge, ident: str) -> bool:
    return any(fired.id == ident and fired.outcome == "held" for fired in edge.decision.fired)


def _plainness(pair: tuple[Edge, Edge]) -> tuple[int, int, int, float, float]:
    """The order of examples: those that change the answer, of amounts that there are, of numbers, near, small."""
    one, two = pair[0].value, pair[1].value
    decisions = [(edge.decision.effect, edge.decision.approve) for edge in pair]
    hidden = int(decisions[0] == decisions[1])
    if isinstance(one, int | float) and isinstance(two, int | float) and not isinstance(one, bool):
        strange = int(any(_strange(edge.given) for edge in pair))
        return (hidden, strange, 0, abs(two - one), max(abs(one), abs(two)))
    return (hidden, 0, 1, 0.0, float(len(str(one))))


def _strange(value: Any) -> bool:
    """Whether a number in a call is below zero, or far beyond what anybody would write."""
    if isinstance(value, Mapping):
        return any(map(_strange, value.values()))
    return isinstance(value, int | float) and not 0 <= value <= _GREAT


def _written(edge: Edge) -> str:
    return repr(edge.value)


def _different(pairs: Sequence[tuple[Edge, Edge]]) -> list[tuple[Edge, Edge]]:
    """The first pairs, no two about the same values; hidden or strange ones only where there is nothing else."""
    kept: list[tuple[Edge, Edge]] = []
    best = _plainness(pairs[0])[:2] if pairs else (0, 0)
    for pair in pairs:
        values = set(map(_written, pair))
        other = all(pair[0].path != one[0].path or values.isdisjoint(map(_written, one)) for one in kept)
        if other and len(kept) < MOST and (not kept or _plainness(pair)[:2] == best):
            kept.append(pair)
    return kept
