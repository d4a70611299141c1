"""What is asked of a policy and what it answers.

Source: docs/spec/policy-v1.md, "Deciding".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent_saga.policies.model import Approve, Enforcement, Semantics

Effect = Literal["allow", "approve", "deny"]
"""What is to be done with the call, from the mildest to the strictest."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a saga may do in all, known before its first step: the worst class and consequence among its steps."""

    semantics: Semantics
    consequence: str = "critical"


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the policy sees it. at: an instant of the trace format, in UTC. args: as on the trace line.

    args may hold digests of concealed values: a condition that needs one of them is undecidable, and fails closed.
    """

    tool: str
    args: Mapping[str, Any]
    semantics: Semantics
    at: str
    agent: str = ""
    saga: str = ""
    step: str = ""
    chain: Chain | None = None


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule or limit that had something to say. values: the parts of its condition with what they were, for people.

    outcome: held (its ``then`` applies), undecidable (a value is missing: fails closed as deny, unless advisory or
    evaluate), exceeded (a limit). waived: the id of the waiver that lifted it; "" for none. used, asked, max: of a
    limit, what the window held, what the call adds, and the bound.
    """

    id: str
    kind: Literal["rule", "limit", "tool", "amount", "default"]
    enforcement: Enforcement
    effect: Effect
    approve: Approve | None
    outcome: Literal["held", "undecidable", "exceeded"]
    why: str = ""
    values: tuple[tuple[str, str], ...] = ()
    waived: str = ""
    used: int | None = None
    asked: int | None = None
    max: int | None = None
    lapsed: tuple[str, ...] = ()
    concealed: bool = False
    """It is undecidable only because a value is concealed that nothing here opens."""

    @property
    def binds(self) -> bool:
        """Whether it has an effect on the answer."""
        return not self.waived and self.enforcement in ("soft", "hard")


@dataclass(frozen=True, slots=True)
class Decision:
    """The policy's answer to one call. effect: the strictest of what fired with effect. approve: all of it in one.

    code: of a denial, one word: undeclared_tool, wrong_class, wrong_agent, denied, limit, undecidable,
    irreconcilable (approvals asked of no common role). rule: the id that decided. fired: all, also what had no effect.
    """

    effect: Effect
    code: str = ""
    rule: str = ""
    reason: str = ""
    approve: Approve | None = None
    fired: tuple[Fired, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Spend:
    """What one call takes from one limit. key: the values of ``per`` as compact JSON text."""

    limit: str
    key: str
    amount: int
    window: int
    max: int
