"""A policy as a gate. Pure: what is used of its limits is told with each request.

Before persons are asked, and once more when they have answered, the policy is asked about the very call: what they
approved must be at least what it asks for then.

Source: docs/spec/policy-v1.md, "In the runtime".
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_saga.approvals.strengths import reaches
from agent_saga.policies.answers import Call, Decision, Spend
from agent_saga.policies.cel import Undecided
from agent_saga.policies.compiled import Compiled, chain_of
from agent_saga.policies.model import Approve
from agent_saga.policies.records import record
from agent_saga.runtime.gate import Allow, Answer, NeedsApproval, Refuse, Request, Take


class PolicyGate:
    """Answers by one compiled policy."""

    def __init__(self, compiled: Compiled, recording: bool = False) -> None:
        """recording: whether each answer comes with its record."""
        self.compiled, self._recording = compiled, recording
        self.waives = bool(compiled.lifting.waivers)
        enforced = ("soft", "hard")
        self._bounded = {one.id for one in compiled.policy.limits if one.enforcement in enforced}

    def judge(self, request: Request) -> Answer:
        """May this action be made?"""
        call = self._call(request)
        spends = self.compiled.spends(call)
        used = {(one.limit, one.key): request.used.get((self._named(one.limit), one.key), 0) for one in spends}
        told, revoked = self._recording, request.revoked
        decision = self.compiled.decide(call, used, request.at[:10], told=told, revoked=revoked)
        answer = self._answer(request, decision, spends)
        return replace(answer, record=record(call, decision, spends)) if self._recording else answer

    def _answer(self, request: Request, decision: Decision, spends: tuple[Spend, ...]) -> Answer:
        if decision.effect == "deny":
            return Refuse(decision.code, decision.reason, decision.rule)
        if decision.approve is not None:
            if not request.approvals:
                return _asks(decision.rule, decision.approve)
            if request.asked is None or not covers(request.asked, decision.approve):
                return Refuse("approval_outgrown", _outgrown(decision), decision.rule)
        over = {one.id for one in decision.fired if one.outcome == "exceeded"}
        return Allow(tuple(self._take(one, one.limit in self._bounded - over) for one in spends))

    def takes(self, request: Request) -> tuple[Take, ...]:
        """What the call would take."""
        return tuple(self._take(one, True) for one in self.compiled.spends(self._call(request)))

    def unfit_undo(self, tool: str, args: Mapping[str, Any], undo: Mapping[str, Any]) -> str:
        """Why a call of this tool may not be undone by a call with these arguments; "" where it may."""
        terms = self.compiled.terms(tool)
        if terms is None:
            return ""
        try:
            return terms.wrong(args, undo)
        except Undecided as fault:
            return f"whether the policy lets it undo {tool} cannot be told: {fault.words}"

    def deciders(self, verdict: str) -> Approve | None:
        """Who may give this verdict about a call that nobody can prove."""
        return self.compiled.policy.decide.get(verdict)

    def may_decide(self, person: str, target: str, verdict: str, proof: Mapping[str, Any]) -> bool:
        """Whoever signs, where the policy lets anybody give this verdict; their role is checked with the signature."""
        return bool(proof) and self.deciders(verdict) is not None

    def _call(self, request: Request) -> Call:
        policy = self.compiled.policy
        return Call(
            tool=request.tool,
            args=request.seen,
            semantics=request.semantics,  # type: ignore[arg-type]  # of the catalogue, which holds no other
            at=request.at,
            agent=request.agent,
            saga=request.saga,
            step=request.step,
            chain=chain_of(policy, request.classes) if request.classes else None,
        )

    def _take(self, spend: Spend, bounded: bool) -> Take:
        most = spend.max if bounded else None
        return Take(self._named(spend.limit), spend.key, spend.amount, spend.window, most)

    def _named(self, limit: str) -> str:
        """How the store calls a limit: budgets go on over the versions of a policy, and are apart from another's."""
        return f"{self.compiled.policy.policy}/{limit}"


def covers(asked: Approve, needed: Approve) -> bool:
    """Whether what persons were asked for is at least what is needed."""
    roles = set(asked.roles) <= set(needed.roles)
    in_time = asked.within <= needed.within
    return asked.quorum >= needed.quorum and reaches(asked.strength, needed.strength) and roles and in_time


def _asks(rule: str, approve: Approve) -> NeedsApproval:
    return NeedsApproval(rule, approve.roles, approve.quorum, approve.strength, float(approve.within))


def _outgrown(decision: Decision) -> str:
    return f"more is asked for by now than persons approved ({decision.reason}); propose it again"
