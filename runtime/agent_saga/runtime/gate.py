"""The gate: asked before every effect whether it may be made, and who may decide about a saga that waits.

A gate is pure: it answers from what it is told. Policies and approvals bring gates of their own; :class:`StaticGate`
answers from fixed sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One exact action that is about to be made.

    action: its digest (:mod:`agent_saga.runtime.kernel.action`), "" before anybody was asked to approve it. approvals:
    leaves of the approvals that would be used for it; each of their signatures was verified.
    """

    saga: str
    name: str
    step: str
    tool: str
    version: str
    semantics: str
    args: Mapping[str, Any]
    amount: Mapping[str, Any] | None
    agent: str
    action: str
    at: str
    approvals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allow:
    """It may be made now."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """It may not be made. code: the reason in one word; reason: for the agent; rule: of the policy."""

    code: str
    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class NeedsApproval:
    """Persons must approve it first. seconds: until the request ends, which denies."""

    rule: str
    roles: tuple[str, ...] = ()
    quorum: int = 1
    strength: Literal["A", "B", "C", "D"] = "D"
    seconds: float = 900.0


Answer = Allow | Refuse | NeedsApproval


class Gate(Protocol):
    """Says yes, no, or "ask a person"."""

    def judge(self, request: Request) -> Answer:
        """May this action be made?"""
        ...

    def may_decide(self, person: str, target: str, verdict: str, proof: Mapping[str, Any]) -> bool:
        """May this person decide so about a call that nobody can prove?

        proof: with the signature, which is verified as well; empty where no key registry is in force.
        """
        ...


@dataclass(frozen=True, slots=True)
class StaticGate:
    """Fixed answers. What is irreversible needs an approval in any case.

    refuse: code and reason by tool. approve: tools that need an approval. persons: who may decide about what waits.
    roles, quorum, strength, seconds: of :class:`NeedsApproval`.
    """

    refuse: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    approve: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    roles: tuple[str, ...] = ("approver",)
    quorum: int = 1
    strength: Literal["A", "B", "C", "D"] = "D"
    seconds: float = 900.0

    def judge(self, request: Request) -> Answer:
        """Refused, else to be approved, else allowed."""
        if request.tool in self.refuse:
            return Refuse(*self.refuse[request.tool])
        if (request.tool in self.approve or request.semantics == "irreversible") and not request.approvals:
            return NeedsApproval("static", self.roles, self.quorum, self.strength, self.seconds)
        return Allow()

    def may_decide(self, person: str, target: str, verdict: str, proof: Mapping[str, Any]) -> bool:
        """Whoever is listed; where nobody is, whoever signs and has the role."""
        return person in self.persons or (not self.persons and bool(proof))
