"""The gate: asked before every effect whether it may be made, and who may decide about a saga that waits.

A gate is pure: it answers from what it is told. Policies and approvals bring gates of their own; :class:`StaticGate`
answers from fixed sets. One that counts what is spent says first what a call would take (:class:`Counting`), is told
what is used, and says with its answer what is to be taken together with the intent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

from msgspec import Struct

from agent_saga.policies.model import Approve


class Request(Struct, frozen=True):
    """One exact action that is about to be made.

    action: its digest (:mod:`agent_saga.runtime.kernel.action`), "" before anybody was asked to approve it. approvals:
    leaves of the approvals that would be used for it; each of their signatures was verified. seen: the arguments as
    they stand on the line, concealed parts as digests: what others can judge by later. classes: of all tools of the
    saga, by name. used: what is used of each limit and key that the gate named. asked: what the request for approval
    asked for, where there was one. revoked: ids of keys that no longer count.
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
    seen: Mapping[str, Any] = {}
    classes: Mapping[str, Any] = {}
    used: Mapping[tuple[str, str], int] = {}
    asked: Approve | None = None
    revoked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Take:
    """What a call takes from one limit. window: seconds. max: what the window may hold with it; None: it is counted in
    any case, because persons approved it, a waiver lifts the limit, or the limit only observes.
    """

    limit: str
    key: str
    amount: int
    window: int
    max: int | None


@dataclass(frozen=True, slots=True)
class Allow:
    """It may be made now. takes: what it takes from limits, checked once more and kept together with its intent.

    record: of the decision, a JSON line for those who collect them; b"" for none. So with the other answers.
    """

    takes: tuple[Take, ...] = ()
    record: bytes = b""


@dataclass(frozen=True, slots=True)
class Refuse:
    """It may not be made. code: the reason in one word; reason: for the agent; rule: of the policy."""

    code: str
    reason: str
    rule: str | None = None
    record: bytes = b""


@dataclass(frozen=True, slots=True)
class NeedsApproval:
    """Persons must approve it first. seconds: until the request ends, which denies."""

    rule: str
    roles: tuple[str, ...] = ()
    quorum: int = 1
    strength: Literal["A", "B", "C", "D"] = "D"
    seconds: float = 900.0
    record: bytes = b""


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


class Counting(Protocol):
    """A gate that counts what is spent, over all sagas of the store."""

    def takes(self, request: Request) -> tuple[Take, ...]:
        """What the call would take, so that it can be told what is used; ``used`` of the request plays no part."""
        ...


def counts(gate: object) -> TypeGuard[Counting]:
    """Whether a gate counts what is spent. Asked at every turn: by one look-up, not by comparing protocols."""
    return hasattr(gate, "takes")


def waives(gate: object) -> bool:
    """Whether waivers lift what a gate asks for, so that it has to know which keys were revoked."""
    return bool(getattr(gate, "waives", False))


def unfit_undo(gate: object, tool: str, args: Mapping[str, Any], undo: Mapping[str, Any]) -> str:
    """Why a gate does not let a call of this tool be undone by a call with these arguments; "" where it does.

    args: of the call. A gate that knows nothing of undos lets any undo be made that the tool itself recorded.
    """
    ask = getattr(gate, "unfit_undo", None)
    return ask(tool, args, undo) if ask is not None else ""


@runtime_checkable
class Entitling(Protocol):
    """A gate that says which roles may decide about a call that nobody can prove."""

    def deciders(self, verdict: str) -> Approve | None:
        """Who may give this verdict; None: nobody."""
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
