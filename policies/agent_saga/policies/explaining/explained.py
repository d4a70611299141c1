"""Why a policy answers a call as it does: every rule and limit with the values that it saw, also where it stayed quiet.

The answer itself is the engine's; nothing here decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agent_saga.policies.answers import Call, Decision, Fired, Spend
from agent_saga.policies.cel import specialise, trace_values
from agent_saga.policies.cel.syntax import Expression
from agent_saga.policies.cel.syntax import Literal as Constant
from agent_saga.policies.compiled import Compiled, chain_of
from agent_saga.policies.deciding.conditions import seen, values_of
from agent_saga.policies.explaining.calls import Asked, decided
from agent_saga.policies.model import Limit, Policy, Rule, Waivers

State = Literal["fired", "quiet", "elsewhere", "undecidable", "waived"]
"""fired: it has a say. quiet: its condition does not hold, or the limit is not reached. elsewhere: it is about other
tools. undecidable: a value is missing. waived: a waiver lifts it for this call."""


@dataclass(frozen=True, slots=True)
class Part:
    """One rule or limit. values: the parts of its condition and what they were. spend, used: of a limit that counts."""

    part: Rule | Limit
    state: State
    values: tuple[tuple[str, str], ...] = ()
    fired: Fired | None = None
    spend: Spend | None = None
    used: int = 0

    @property
    def kind(self) -> str:
        """``rule`` or ``limit``."""
        return "limit" if isinstance(self.part, Limit) else "rule"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A call, the answer, and all that led to it, limits first. waivers: as read. problems: what is wrong with them."""

    policy: Policy
    call: Call
    decision: Decision
    parts: tuple[Part, ...]
    waivers: Waivers = field(default_factory=Waivers)
    problems: tuple[str, ...] = ()


def explain(policy: Policy, one: Asked, waivers: Waivers | None = None) -> Explanation:
    """Ask a policy about a call, and look at every part of it."""
    compiled = Compiled(policy, waivers)
    decision = decided(compiled, one)
    looked = _Look(policy, one, compiled, decision)
    parts = [*(looked.part(limit) for limit in policy.limits), *(looked.part(rule) for rule in policy.rules)]
    return Explanation(policy, one.call, decision, tuple(parts), waivers or Waivers(), compiled.problems)


class _Look:
    def __init__(self, policy: Policy, one: Asked, compiled: Compiled, decision: Decision) -> None:
        call, tool = one.call, policy.tools.get(one.call.tool)
        chain = call.chain or chain_of(policy, {call.tool: call.semantics})
        self._values: Mapping[str, Any] = values_of(call, seen(chain), timed=True)
        self._known = {"tool": call.tool, "semantics": call.semantics}
        self._refused = tool is None or any(fired.kind == "tool" for fired in decision.fired)
        self._fired = {fired.id: fired for fired in decision.fired}
        self._spends = {spend.limit: spend for spend in compiled.spends(call)}
        self._spent = one.spent

    def part(self, part: Rule | Limit) -> Part:
        """What became of a rule or limit."""
        tree = self._tree(part)
        if self._refused or tree == Constant(False):
            return Part(part, "elsewhere")
        values = trace_values(tree, self._values)
        spend, fired = self._spends.get(part.id), self._fired.get(part.id)
        return Part(part, _state(fired), values, fired, spend, self._spent.get(part.id, 0))

    def _tree(self, part: Rule | Limit) -> Expression:
        return specialise(part.when.tree if isinstance(part, Rule) else part.of.tree, self._known)


def _state(fired: Fired | None) -> State:
    if fired is None:
        return "quiet"
    if fired.waived:
        return "waived"
    return "undecidable" if fired.outcome == "undecidable" else "fired"
