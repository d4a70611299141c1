"""Which rules hold of which calls: sampled, and proven where the solver is installed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_saga.policies.cel import specialise
from agent_saga.policies.cel.syntax import Expression, Literal
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.diffing.proving import available
from agent_saga.policies.diffing.searching import trees_of
from agent_saga.policies.explaining.calls import asked
from agent_saga.policies.model import Limit, Policy, Rule
from agent_saga.policies.sampling.calls import space

if TYPE_CHECKING:
    from agent_saga.policies.diffing.solving.asking import Question

Part = Rule | Limit
SWEEPS: Final = 60
MOST_TESTS: Final = 8
"""Tests of one tool around which further calls are tried."""
SECONDS: Final = 1.0
"""For a question to the solver: a check is run often, and what takes longer is told as sampled."""


class Look:
    """One policy, and the calls that were tried on it. proving: ask the solver."""

    def __init__(self, policy: Policy, proving: bool | None = None) -> None:
        self.policy = policy
        self.proving = available() if proving is None else proving
        self.parts: tuple[Part, ...] = (*policy.rules, *policy.limits)
        self._questions: dict[str, Question] = {}
        self._spaces = {tool: space([policy], tool, trees_of([policy], tool)) for tool in policy.tools}
        self._seen: dict[str, list[frozenset[str]]] = {tool: self._sample(tool) for tool in policy.tools}

    def calls(self, tool: str) -> Iterator[dict[str, Any]]:
        """Calls that are tried: those of the policy's tests, with each value moved a little, and samples."""
        space, tests = self._spaces[tool], [one.given for one in self.policy.tests if one.given.get("tool") == tool]
        yield from map(dict, tests)
        for given in tests[:MOST_TESTS]:
            for path in space.choices:
                yield from space.sweep(dict(given), path)
        yield from space.calls(SWEEPS)

    def _sample(self, tool: str) -> list[frozenset[str]]:
        """Of each sampled call, the ids of the rules that held and of the limits that counted it."""
        compiled = compile_policy(self.policy)
        found: dict[frozenset[str], None] = {}
        for given in self.calls(tool):
            call = asked(given, self.policy).call
            fired = compiled.decide(call, None, call.at[:10], told=False).fired
            held = {one.id for one in fired if one.kind == "rule" and one.outcome == "held"}
            found[frozenset({*held, *(spend.limit for spend in compiled.spends(call))})] = None
        return list(found)

    def tree(self, part: Part) -> Expression:
        """The condition of a rule, or of what a limit counts."""
        return part.when.tree if isinstance(part, Rule) else part.of.tree

    def about(self, part: Part) -> list[str]:
        """The tools that a condition can be about at all."""
        tree = self.tree(part)
        return [tool for tool in self.policy.tools if specialise(tree, {"tool": tool}) != Literal(False)]

    def written(self, part: Part, tool: str) -> bool:
        """Whether a condition says of a tool that it always holds, in so many words."""
        known = {"tool": tool, "semantics": self.policy.tools[tool].semantics}
        return specialise(self.tree(part), known) == Literal(True)

    def never(self, one: Part, tools: Sequence[str], without: Part | None = None) -> bool | None:
        """Whether a part holds of no call (without another's holding): None if only no sample was met."""
        return self._none(tools, [one], [without] if without is not None else [])

    def always(self, one: Part, tools: Sequence[str]) -> bool | None:
        """Whether a part holds of every call of the tools."""
        return self._none(tools, [], [one])

    def _none(self, tools: Sequence[str], holding: Sequence[Part], lacking: Sequence[Part]) -> bool | None:
        """Whether for no call these hold and those do not. True: proven. None: no sample was met. False: there is."""
        need, lack = {part.id for part in holding}, {part.id for part in lacking}
        if any(need <= seen and not lack & seen for tool in tools for seen in self._seen[tool]):
            return False
        if not self.proving:
            return None
        answers = [self._asked(tool, holding, lacking) for tool in tools]
        return False if False in answers else None if None in answers else True

    def _asked(self, tool: str, holding: Sequence[Part], lacking: Sequence[Part]) -> bool | None:
        from agent_saga.policies.diffing.solving.terms import both
        from agent_saga.policies.diffing.solving.terms import negated as no

        question = self._question(tool)

        def formula(speaker: Any, _other: Any) -> Any:
            return both(*(speaker.fires(one)[0] for one in holding), *(no(speaker.fires(one)[0]) for one in lacking))

        found = question.ask(formula).found
        return {"no": True, "yes": False}.get(found)

    def _question(self, tool: str) -> "Question":
        from agent_saga.policies.diffing.solving.asking import Question

        if tool not in self._questions:
            own = self.policy.tools[tool].semantics
            pair = (self.policy, self.policy)
            self._questions[tool] = Question(pair, self._spaces[tool], (own, own), ((), ()), SECONDS)
        return self._questions[tool]
