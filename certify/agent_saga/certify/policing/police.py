"""What the policy says of one call that a trace shows, asked at the first intent of each effect.

A policy is compiled once a process. Limits are only noted here: whether one was exceeded is told when all lines were
seen (:mod:`~.exceeding`), since other sagas spend from it too.

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md, "Deciding".
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.asked import Then
from agent_saga.certify.policing.given import UNRECORDED, Given, given_to
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.trace.events import EffectIntended, ToolSpec
from agent_saga.trace.values import CONCEALED_NAME

if TYPE_CHECKING:
    from agent_saga.certify.approving.using import Use
    from agent_saga.policies.answers import Call, Chain, Decision, Fired, Spend
    from agent_saga.policies.compiled import Compiled
    from agent_saga.policies.model import Approve, Policy, ToolRule

_KEPT: Final = 256
"""Chains of catalogues that are kept: bounds memory on hostile input."""


@dataclass(slots=True)
class Ruling:
    """One call and what the policy says of it, limits apart.

    decision: by tool, agent and rules, and by limits of which nobody can tell what the call takes. spends: what it
    takes from limits, each with what the limit asks if that was too much. default: the approval that an irreversible
    call needs where no limit asks for one; None where a rule asks, or none is needed.
    """

    saga: Saga
    event: EffectIntended
    line: int
    decision: "Decision"
    given: Given
    policy: "Policy"
    spends: "tuple[tuple[Spend, Then], ...]" = ()
    default: "Approve | None" = None

    @property
    def certain(self) -> "Decision":
        """The answer without what cannot be decided: a value that is concealed hides nothing else."""
        if self.decision.code != "undecidable":
            return self.decision
        from agent_saga.policies.deciding.merging import conclude

        return conclude([one for one in self.decision.fired if one.outcome != "undecidable"], self.decision.digest)

    @property
    def lapsed(self) -> tuple[tuple[str, str], ...]:
        """Waivers that would have lifted something on another day, each with what it is for."""
        return tuple((name, one.id) for one in self.decision.fired if one.binds for name in one.lapsed)


class Police:
    """Asks the user's policy about calls. One in each process; what it finds is gathered elsewhere."""

    def __init__(self, trust: PolicyTrust, approvals: bool = True) -> None:
        """approvals: whether the format of the source has a field for them."""
        self.trust, self.policy, self._approvals = trust, trust.policy, approvals
        self._made: Compiled | None = None
        self._lifts = trust.waivers is not None and bool(trust.waivers.waivers)
        self._thens: dict[str, Then] = {}
        self._chains: dict[int, tuple[dict[str, ToolSpec], Chain]] = {}

    def __bool__(self) -> bool:
        return self.policy is not None

    def tool(self, name: str) -> "ToolRule | None":
        """What the policy says of a tool; None for an undeclared one, and where no policy is given."""
        return self.policy.tools.get(name) if self.policy else None

    def rule(self, saga: Saga, event: EffectIntended, line: int, use: "Use | None") -> Ruling:
        """What the policy says of this call. use: the approvals that it names, verified; None where it names none."""
        assert self.policy is not None
        compiled, call = self._compiled(), self._call(saga, event)
        spends, day = compiled.spends(call), event.at[:10]
        given = given_to(saga, event, use) if self._approvals else UNRECORDED
        full = {(one.limit, one.key): one.max for one in spends} if self._lifts else {}
        decision = compiled.decide(call, full, day, told=False)
        if not spends:
            return Ruling(saga, event, line, decision, given, self.policy)
        over = {one.id: one for one in decision.fired if one.outcome == "exceeded"}
        noted = tuple((one, then) for one in spends if (then := self._then(one, over.get(one.limit))) is not None)
        rest = self._without_limits(decision, bool(noted)) if decision.fired else decision
        if not noted:  # what counts the call has no effect, so no limit can ask for another approval than the default
            return Ruling(saga, event, line, rest, given, self.policy)
        asked_for = event.semantics == "irreversible" and rest.effect == "allow"
        default = self.policy.irreversible if asked_for and (event.approvals or saga.foreign) else None  # else AS301
        return Ruling(saga, event, line, rest, given, self.policy, noted, default)

    def _call(self, saga: Saga, event: EffectIntended) -> "Call":
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

    def _without_limits(self, decision: "Decision", default: bool) -> "Decision":
        """The answer by tool, agent and rules, and by limits that cannot be decided. default: also without that one."""
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

    def _compiled(self) -> "Compiled":
        if self._made is None:
            from agent_saga.policies.compiled import compile_policy

            assert self.policy is not None
            self._made = compile_policy(self.policy, self.trust.waivers)
            for one in self.policy.limits:
                if one.enforcement in ("soft", "hard") and one.then != "allow":
                    self._thens[one.id] = Then(None if one.then == "deny" else one.then)
        return self._made

    def _chain(self, saga: Saga) -> "Chain | None":
        """What the saga may do in all, by its catalogue; None where the source has none."""
        if saga.tools is None or self.policy is None:
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
