"""One policy that the user gave, asked about calls. It is compiled once a process.

Limits are only noted here: whether one was exceeded is told when all lines were seen (:mod:`~.exceeding`), since other
sagas spend from it too.

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md, "Deciding".
"""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.asked import COUNTED, Then
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.trace.events import EffectIntended, ToolSpec
from agent_saga.trace.values import CONCEALED_NAME

if TYPE_CHECKING:
    from agent_saga.policies.answers import Call, Chain, Decision, Fired, Spend
    from agent_saga.policies.compiled import Compiled
    from agent_saga.policies.model import Policy, ToolRule
    from agent_saga.policies.undoing import Terms

Gaps = tuple[tuple[str, bool], ...]
"""Limits of which nobody can tell what a call takes, each with whether only a concealed value keeps that open."""

_KEPT: Final = 256
"""Chains of catalogues that are kept: bounds memory on hostile input."""


class Statute:
    """A policy with its waivers. named: as findings call it."""

    def __init__(self, policy: "Policy", trust: PolicyTrust) -> None:
        self.policy, self.digest = policy, policy.digest
        self.named = f"policy {policy.policy} version {policy.version}"
        self._waivers = trust.waivers
        self._lifts = trust.waivers is not None and bool(trust.waivers.waivers)
        self._chains: dict[int, tuple[dict[str, ToolSpec], Chain]] = {}

    def tool(self, name: str) -> "ToolRule | None":
        """What the policy says of a tool; None for an undeclared one."""
        return self.policy.tools.get(name)

    @cached_property
    def says_of_undos(self) -> bool:
        """Whether it says of any tool what its undos must be."""
        return any(one.inverse is not None for one in self.policy.tools.values())

    def terms(self, tool: str) -> "Terms | None":
        """What the undos of a tool must be; None where the policy says nothing of them."""
        return self._compiled.terms(tool) if self.says_of_undos else None

    def call(self, saga: Saga, event: EffectIntended) -> "Call":
        """The call as the policy sees it: its arguments opened as far as disclosures allow."""
        from agent_saga.policies.answers import Call

        args = _legible(event.args) if saga.foreign else event.args
        return Call(
            tool=event.tool,
            args=saga.disclosures.open(args)[0],
            semantics=event.semantics,
            at=event.at,
            agent=_agent(saga, event),
            saga=saga.id,
            step=event.step,
            chain=self._chain(saga),
        )

    def answer(
        self, call: "Call", revoked: Collection[str] = ()
    ) -> "tuple[Decision, tuple[tuple[str, Spend, Then], ...]]":
        """The answer by tool, agent, rules, and limits that cannot be decided; and what the other limits count.

        revoked: ids of keys whose waivers lift nothing.
        """
        compiled = self._compiled
        spends, day = compiled.spends(call), call.at[:10]
        full = {(one.limit, one.key): one.max for one in spends} if self._lifts else {}
        decision = compiled.decide(call, full, day, told=False, revoked=revoked)
        if not spends:
            return decision, ()
        over = {one.id: one for one in decision.fired if one.outcome == "exceeded"}
        noted = tuple(
            (self.digest, one, then) for one in spends if (then := self._then(one, over.get(one.limit))) is not None
        )
        return self._without_limits(decision, bool(noted)) if decision.fired else decision, noted

    def counted(self, saga: Saga, event: EffectIntended) -> "tuple[tuple[tuple[str, Spend, Then], ...], Gaps]":
        """What this policy's limits count of a call that is judged by another, and of which limits nobody can tell."""
        if not self._thens:
            return (), ()
        call = self.call(saga, event)
        spends = tuple((self.digest, one, COUNTED) for one in self._compiled.spends(call) if one.limit in self._thens)
        fired = self._compiled.decide(call, {}, call.at[:10], told=False).fired
        gaps = [one for one in fired if one.outcome == "undecidable" and one.kind in ("limit", "tool")]
        return spends, tuple((one.id, one.concealed) for one in gaps if one.kind == "tool" or one.id in self._thens)

    def _without_limits(self, decision: "Decision", default: bool) -> "Decision":
        """default: also without the approval that an irreversible call needs where nothing else asks for one."""
        from agent_saga.policies.deciding.merging import conclude

        gone = ("default",) if default else ()
        kept = [one for one in decision.fired if one.outcome != "exceeded" and one.kind not in gone]
        return decision if len(kept) == len(decision.fired) else conclude(kept, decision.digest)

    def _then(self, spend: "Spend", fired: "Fired | None") -> Then | None:
        """What going beyond this limit would ask for; None where it has no effect.

        fired: what the limit said to the call as if it went beyond, which is asked where waivers may lift it.
        """
        then = self._thens.get(spend.limit)
        if then is None or fired is None:
            return then
        return Then(then.approve, fired.waived, fired.lapsed)

    @cached_property
    def _thens(self) -> dict[str, Then]:
        """What going beyond each limit that has an effect asks for."""
        bound = [one for one in self.policy.limits if one.enforcement in ("soft", "hard")]
        return {one.id: Then(None if one.then == "deny" else one.then) for one in bound if one.then != "allow"}

    @cached_property
    def _compiled(self) -> "Compiled":
        from agent_saga.policies.compiled import compile_policy

        return compile_policy(self.policy, self._waivers)

    def _chain(self, saga: Saga) -> "Chain | None":
        """What the saga may do in all, by its catalogue; None where the source has none."""
        if saga.tools is None:
            return None
        known = self._chains.get(id(saga.tools))
        if known is None:
            from agent_saga.policies.compiled import chain_of

            if len(self._chains) >= _KEPT:
                self._chains.clear()
            chain = chain_of(self.policy, {name: spec.semantics for name, spec in saga.tools.items()})
            known = self._chains[id(saga.tools)] = saga.tools, chain
        return known[1]


def _agent(saga: Saga, event: EffectIntended) -> str:
    step = saga.steps.get(event.step)
    return (step.by if step else "") or saga.agent


def _legible(args: Any) -> Any:
    """Arguments of another format, in which what was redacted stands as a value that is withheld."""
    from agent_saga.certify.importers.agent_saga_log.withheld import WITHHELD
    from agent_saga.certify.importers.agentic_saga.integrity import REDACTED

    if isinstance(args, str):
        return {CONCEALED_NAME: args} if REDACTED in args or args == WITHHELD else args
    if isinstance(args, dict):
        return {name: _legible(value) for name, value in args.items()}
    return [_legible(one) for one in args] if isinstance(args, list | tuple) else args
