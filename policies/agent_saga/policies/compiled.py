"""A policy compiled: asked about one call, it answers deny, approve or allow, and what fired. Pure: no clock, no store.

First a tool that is not declared is refused, a call of a milder class than declared, and an agent that may not call at
all; then come limits, then rules. An irreversible call of which nothing asks for an approval gets the policy's own. A
condition that cannot be decided denies, and so do arguments of other types than it was checked against. For each tool
only what may apply to it is asked, so that more rules for other tools cost nothing.

    compiled = compile_policy(policy)
    decision = compiled.decide(call, windows.used_by(compiled.spends(call), call.at), call.at[:10])

Source: docs/spec/policy-v1.md, "Deciding".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from agent_saga.policies.answers import Call, Chain, Decision, Fired, Spend
from agent_saga.policies.cel import Undecided, specialise, trace_values
from agent_saga.policies.cel.syntax import Expression, Literal
from agent_saga.policies.deciding.conditions import seen, values_of
from agent_saga.policies.deciding.merging import conclude
from agent_saga.policies.deciding.parts import LimitPart, RulePart, exceeded, limit_part, rule_part, unmeasured
from agent_saga.policies.fitting import Fits, fitting
from agent_saga.policies.lifting import Lifting
from agent_saga.policies.model import Condition, Policy, Semantics, Waivers
from agent_saga.policies.undoing import Terms, terms_of
from agent_saga.policies.windows import exceeds

Used = Mapping[tuple[str, str], int]
"""What windows hold, by limit and key; 0 for what is not named."""

IRREVERSIBLE: Final = "irreversible"
"""Id of what an irreversible call gets where nothing else asks for an approval."""

BINDING: Final = ("soft", "hard")
"""Enforcements with an effect on the answer."""

_CLASSES: Final = ("preview", "reversible", "compensable", "irreversible")
_CONSEQUENCES: Final = ("low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class _Tool:
    """All of the policy that may apply to one tool of one class. timed: whether the time of a call is asked for.

    alone: the chain of a call of which no saga is told. quiet: the answer where nothing fires. fits: says of arguments
    what is not of the type that conditions were checked against; None where they read none. terms: what undos must be.
    """

    limits: tuple[LimitPart, ...]
    rules: tuple[RulePart, ...]
    timed: bool
    alone: Mapping[str, str]
    quiet: Decision
    fits: Fits | None
    terms: Terms | None


class Compiled:
    """One policy with its waivers, ready to answer. problems: what is wrong with the waivers, a sentence each."""

    def __init__(self, policy: Policy, waivers: Waivers | None = None) -> None:
        self.policy, self.digest = policy, policy.digest
        self.lifting = Lifting(policy, waivers)
        self.problems = self.lifting.problems
        self._agents = frozenset(policy.agents)
        self._tools: dict[tuple[str, str], _Tool] = {}
        self._terms: dict[str, Terms | None] = {}
        self._conditions: dict[str, Condition] = {rule.id: rule.when for rule in policy.rules}
        self._conditions |= {limit.id: limit.of for limit in policy.limits}

    def spends(self, call: Call) -> tuple[Spend, ...]:
        """What the call takes from each limit that counts it; without those of which nobody can tell."""
        tool = self._tool(call)
        if tool is None or not tool.limits or (tool.fits is not None and tool.fits(call.args)):
            return ()
        values, found = self._values(call, tool, tool.timed), []
        for part in tool.limits:
            try:
                spend = part.spend(values)
            except Undecided:
                continue
            if spend is not None:
                found.append(spend)
        return tuple(found)

    def decide(
        self, call: Call, used: Used | None, day: str, *, told: bool = True, revoked: Collection[str] = ()
    ) -> Decision:
        """The answer to one call. used: what its windows hold; None: limits are not asked at all. day: UTC, for
        waivers. told: with the values in the conditions that fired, for people. revoked: keys whose waivers lift none.
        """
        tool = self._tool(call)
        if tool is None or (self._agents and call.agent not in self._agents):
            return self._refused(call)
        wrong = tool.fits(call.args) if tool.fits is not None else ""
        if wrong:
            return self._unfit(call, wrong)
        values = self._values(call, tool, tool.timed)
        fired = self._limits(tool, values, used) if used is not None and tool.limits else []
        if tool.terms is not None and tool.terms.amounts:
            fired += _unknown_amount(tool.terms, call)
        for part in tool.rules:
            one = part.fired(values)
            if one is not None:
                fired.append(one)
        if not fired:
            return tool.quiet
        if told and not tool.timed:
            values = self._values(call, tool, True)
        lifted = [self.lifting.lifted(one, values, day, revoked) for one in fired]
        finished = [self._valued(one, values) for one in lifted] if told else lifted
        return self._with_default(call.semantics, conclude(finished, self.digest))

    def _tool(self, call: Call) -> _Tool | None:
        """The policy for the call's tool, made when it is first asked for; None where it lets no such call through."""
        found = self._tools.get((call.tool, call.semantics))
        if found is None:
            rule = self.policy.tools.get(call.tool)
            if rule is None or _weaker(call.semantics, rule.semantics):
                return None
            found = self._tools[call.tool, call.semantics] = self._made(call.tool, call.semantics)
        return found

    def _made(self, name: str, semantics: Semantics) -> _Tool:
        known = {"tool": name, "semantics": semantics}
        limits = tuple(one for one in (limit_part(limit, known) for limit in self.policy.limits) if one is not None)
        rules = tuple(one for one in (rule_part(rule, known) for rule in self.policy.rules) if one is not None)
        timed = self.lifting.timed or any(one.timed for one in limits) or any(one.timed for one in rules)
        quiet = self._with_default(semantics, Decision("allow", digest=self.digest))
        fits = fitting(self.policy.tools[name].args, self._asked(known))
        alone = seen(chain_of(self.policy, {name: semantics}))
        return _Tool(limits, rules, timed, alone, quiet, fits, self.terms(name))

    def terms(self, tool: str) -> Terms | None:
        """What the undos of a tool must be; None where the policy says nothing of them."""
        if tool not in self._terms:
            if tool not in self.policy.tools:
                return None
            self._terms[tool] = terms_of(self.policy.tools[tool])
        return self._terms[tool]

    def _asked(self, known: Mapping[str, Any]) -> Iterator[Expression]:
        """The conditions that may bind a call of which this is known, without what cannot hold for it."""
        for rule in self.policy.rules:
            if rule.enforcement in BINDING:
                yield specialise(rule.when.tree, known)
        for limit in self.policy.limits:
            of = specialise(limit.of.tree, known)
            if limit.enforcement in BINDING and of != Literal(False):
                measure = (limit.measure,) if limit.measure is not None else ()
                yield from (of, *(specialise(one.tree, known) for one in (*limit.per, *measure)))

    def _values(self, call: Call, tool: _Tool, timed: bool) -> dict[str, Any]:
        """The variables of a call; one of which no saga is told is a chain of its own."""
        return values_of(call, tool.alone if call.chain is None else seen(call.chain), timed)

    def _limits(self, tool: _Tool, values: Mapping[str, Any], used: Used) -> list[Fired]:
        fired = []
        for part in tool.limits:
            try:
                spend = part.spend(values)
            except Undecided as fault:
                fired.append(unmeasured(part.limit, fault))
                continue
            if spend is not None:
                held = used.get((spend.limit, spend.key), 0)
                if exceeds(spend, held):
                    fired.append(exceeded(part.limit, spend, held))
        return fired

    def _valued(self, one: Fired, values: Mapping[str, Any]) -> Fired:
        """With the values that people look for."""
        condition = self._conditions.get(one.id) if one.kind in ("rule", "limit") else None
        more = trace_values(condition.tree, values) if condition is not None else ()
        return replace(one, values=(*one.values, *more))

    def _with_default(self, semantics: Semantics, decision: Decision) -> Decision:
        """With the approval that an irreversible call needs where nothing asks for one."""
        if semantics != "irreversible" or decision.effect != "allow":
            return decision
        why = "what cannot be undone needs an approval"
        default = Fired(IRREVERSIBLE, "default", "hard", "approve", self.policy.irreversible, "held", why)
        return conclude((*decision.fired, default), self.digest)

    def _unfit(self, call: Call, wrong: str) -> Decision:
        """A call whose arguments are not of the types that the conditions were checked against."""
        fired = Fired(call.tool, "tool", "hard", "deny", None, "undecidable", wrong)
        return Decision("deny", "undecidable", call.tool, wrong, None, (fired,), self.digest)

    def _refused(self, call: Call) -> Decision:
        """A call that is none of the policy's: it is refused before anything else is asked."""
        named, rule = f"policy {self.policy.policy} version {self.policy.version}", self.policy.tools.get(call.tool)
        if rule is None:
            code, reason = "undeclared_tool", f"{named} declares no tool {call.tool[:128]}"
        elif _weaker(call.semantics, rule.semantics):
            code, reason = "wrong_class", f"{call.tool} is called as {call.semantics}; {named} says {rule.semantics}"
        else:
            code, reason = "wrong_agent", f"agent {call.agent[:128]!r} is none of those that may call under {named}"
        fired = Fired(call.tool, "tool", "hard", "deny", None, "held", reason)
        return Decision("deny", code, call.tool, reason, None, (fired,), self.digest)


def _unknown_amount(terms: Terms, call: Call) -> list[Fired]:
    """What a call lacks of which nobody could tell later whether it was undone in full."""
    try:
        terms.takes(call.args)
    except Undecided as fault:
        why = f"what the call moves: {fault.words}"
        return [Fired(call.tool, "amount", "hard", "deny", None, "undecidable", why, concealed=fault.concealed)]
    return []


def compile_policy(policy: Policy, waivers: Waivers | None = None) -> Compiled:
    """Make a policy ready to answer. It must have loaded without a fault."""
    return Compiled(policy, waivers)


def chain_of(policy: Policy, tools: Mapping[str, Semantics]) -> Chain:
    """What a saga may do in all. tools: its catalogue, by name, as on its first line.

    A tool without a consequence in the policy counts as critical, and so does one that the policy does not declare.
    Those that undo others of them do not count: no agent calls them.
    """
    declared = [policy.tools[name] for name in tools if name in policy.tools]
    undos = {rule.undo for rule in declared}
    steps = {name: semantics for name, semantics in tools.items() if name not in undos}
    rules = [policy.tools.get(name) for name in steps]
    consequences = [rule.consequence or "critical" if rule is not None else "critical" for rule in rules]
    return Chain(_worst(steps.values(), _CLASSES), _worst(consequences, _CONSEQUENCES))


def _weaker(called: str, declared: str) -> bool:
    """Whether a call claims a milder class than the policy; a class that there is not is weaker than any."""
    return called not in _CLASSES or _CLASSES.index(called) < _CLASSES.index(declared)


def _worst(found: Iterable[Any], order: tuple[str, ...]) -> Any:
    return max(found, key=order.index, default=order[0])
