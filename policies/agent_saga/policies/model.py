"""A policy as its file says it, every value of one type and every part with its place in the file.

Made by :mod:`agent_saga.policies.loading` alone, which refuses what does not fit; nothing here checks again.

Source: docs/spec/policy-v1.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agent_saga.policies.cel.syntax import Expression
from agent_saga.trace.forms import Semantics as Semantics

Strength = Literal["A", "B", "C", "D"]
Enforcement = Literal["advisory", "soft", "hard", "evaluate"]
"""advisory: told, never blocks. soft: blocks, and a signed waiver may lift it. hard: blocks, no waiver lifts it.
evaluate: computed and recorded, without any effect on the answer: a rule on trial."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the file: line and column count from 1, in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Condition:
    """One CEL condition. text: as written. tree: its checked syntax, of type bool. place: of its first character."""

    text: str
    tree: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Approve:
    """What persons must do before a call. within: seconds until the request ends, which denies."""

    quorum: int = 1
    roles: tuple[str, ...] = ("approver",)
    strength: Strength = "D"
    within: int = 900


Then = Literal["deny", "allow"] | Approve
"""allow only notes that the rule fired: it never lifts what another rule asks for."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Where money stands among arguments. minor: an argument of type int. currency: one of type string, or a text."""

    minor: Condition
    currency: Condition


@dataclass(frozen=True, slots=True)
class Inverse:
    """What must hold of the call that undoes another. args: JSON Schema of its arguments, which conditions call
    ``undo``. amount: what it gives back; None where it moves no money. must: a condition over ``args`` and ``undo``.
    """

    args: Mapping[str, Any]
    amount: Amount | None = None
    must: Condition | None = None


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A tool that may be called at all. args: its argument JSON Schema as data; None where the policy gives none.

    undo: of a compensable tool. consequence: how bad a wrong call is. fee: minor units that an undo may keep back.
    amount: what a call moves; there exactly where inverse has one. inverse: what its undo must be; None for anything.
    """

    name: str
    semantics: Semantics
    undo: str | None = None
    args: Mapping[str, Any] | None = None
    consequence: Literal["low", "medium", "high", "critical"] | None = None
    fee: int = 0
    amount: Amount | None = None
    inverse: Inverse | None = None
    place: Place = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Rule:
    """If ``when`` holds for a call, ``then`` applies."""

    id: str
    when: Condition
    then: Then
    why: str = ""
    enforcement: Enforcement = "soft"
    place: Place = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound over a sliding window, kept apart for each value of ``per``.

    measure: what each call adds: the int expression ``sum``; None counts calls. of: which calls count. per: expressions
    of scalar type. window: seconds; a call counts as long as less than this has passed since. max: the sum that may be
    reached. Gross authorised outflow: what was undone still counts. then: when one more call would exceed it.
    """

    id: str
    of: Condition
    per: tuple[Condition, ...]
    measure: Condition | None
    window: int
    max: int
    then: Then = "deny"
    why: str = ""
    enforcement: Enforcement = "soft"
    place: Place = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Case:
    """A test in the policy file: what is given, and the answer that it must get.

    given: a call as JSON (tool, args, and optionally agent, saga, at, semantics, chain). spent: sums already used, by
    limit id. expect: deny, allow, or {approve: {...}} of which every member that is named must equal.
    """

    name: str
    given: Mapping[str, Any]
    expect: Literal["deny", "allow"] | Mapping[str, Any]
    spent: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[str, ...] | None = None
    place: Place = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that loaded without a fault. digest: 64 hex digits of docs/spec/policy-v1.md, "Digest".

    irreversible: what a call of an irreversible tool needs where no rule asks for an approval. decide: who may decide
    about a call that nobody can prove, by verdict (undone, kept, landed, absent); a verdict without an entry: nobody.
    agents: ids of agents that may call at all; empty for any. source: the file, for messages. waive: whose signature a
    waiver needs, by role and strength; one person signs it.
    """

    policy: str
    version: int
    owner: str
    digest: str
    tools: Mapping[str, ToolRule]
    rules: tuple[Rule, ...] = ()
    limits: tuple[Limit, ...] = ()
    tests: tuple[Case, ...] = ()
    irreversible: Approve = Approve()
    decide: Mapping[str, Approve] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    description: str = ""
    source: str = "policy"
    waive: Approve = Approve()


@dataclass(frozen=True, slots=True)
class Waiver:
    """A rule or limit lifted for a while. created, expires: days (UTC, YYYY-MM-DD); the last day still counts.

    scope: a condition on the call; None for every call. proof: the approver's signature, verified by the reader of
    the waiver file; a waiver without one lifts nothing. key: id of the key that signed it.
    """

    id: str
    rule: str
    reason: str
    owner: str
    approved_by: str
    created: str
    expires: str
    scope: Condition | None = None
    place: Place = Place(1, 1)
    key: str = ""


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of one file. waivers: well formed, each with its approver's signature verified; also ended ones.

    problems: a sentence for each that lifts nothing: unsigned, malformed, signed by another. digest: of the file, 64
    hex digits. source: the file, for messages.
    """

    waivers: tuple[Waiver, ...] = ()
    problems: tuple[str, ...] = ()
    digest: str = ""
    source: str = "waivers"
