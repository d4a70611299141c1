"""What the kernel asks of the engine next, and the lines it wants written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import Struct

from agent_saga.runtime.gate import Take
from agent_saga.runtime.kernel.consent import NOBODY, Authority
from agent_saga.runtime.kernel.state import Refusal

FRESH: Final = "FRESH"
"""In a draft's ``key``: the engine puts 128 bits from the operating system's random generator here. In the
``action`` of a request for approval: the digest of the step as it was written."""


class Draft(Struct, frozen=True):
    """A line to be written: its type, its members, and who makes the statement. takes: what it takes from limits."""

    type: str
    members: dict[str, Any]
    by: str = "runtime"
    takes: tuple[Take, ...] = ()
    record: bytes = b""
    """Of the gate's decision that it follows from, for those who collect them."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the agent may choose now. step: of the plan; "" where there is no plan. schema: of the arguments."""

    step: str
    tool: str
    semantics: str
    summary: str
    schema: dict[str, Any]


class View(Struct, frozen=True):
    """What the agent sees: never a client, a credential, an idempotency key or an undo.

    turn: how many proposals were made before. facts: results by step id, oldest first. failures: errors of steps that
    are proven not to have happened. refusals: what was refused, and why. finished: whether the plan is done.
    """

    saga: str
    name: str
    summary: str
    goal: Any
    turn: int
    allowed: tuple[Allowed, ...]
    facts: dict[str, Any]
    failures: dict[str, Any]
    refusals: tuple[Refusal, ...]
    turns_left: int


class Append(Struct, frozen=True):
    """Write these lines, in one commit, and decide again."""

    drafts: tuple[Draft, ...]


class Ask(Struct, frozen=True):
    """Ask the agent for its next proposal."""

    view: View


class CallEffects(Struct, frozen=True):
    """Make these calls now, side by side; their intents are durable."""

    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reconcile:
    """Ask the provider whether the call of this effect took effect."""

    effect: str


@dataclass(frozen=True, slots=True)
class CallUndo:
    """Make this compensating call now; its intent is durable."""

    undo: str


@dataclass(frozen=True, slots=True)
class ReconcileUndo:
    """Ask the provider whether this compensating call took effect."""

    undo: str


@dataclass(frozen=True, slots=True)
class RunCheck:
    """Evaluate a check and write it under this id. undo: the confirmed undo that it is to prove; "" for the goal."""

    check: str
    id: str
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be done before an instant, or before a person acts.

    until: the instant, "" when only a person helps. reason: approval, paused, stopped, parent or backoff. about: what
    waits.
    """

    reason: str
    until: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The saga has ended."""

    status: str
    held: tuple[str, ...] = field(default=())


Action = Append | Ask | CallEffects | Reconcile | CallUndo | ReconcileUndo | RunCheck | Wait | Done


class Moment(Struct, frozen=True):
    """What surrounds a decision. at: the time now. stop: why everything is to stop (kill switch, quarantine), or "".

    parent: of a child saga, where its parent stands: "open", "kept" (it ended and keeps the child's effects), "gone"
    (it undoes or never had them); "" without a parent. authority: who may approve. used: what is used of the
    limits that the gate named, by limit and key.
    """

    at: str
    stop: str = ""
    parent: str = ""
    authority: Authority = NOBODY
    used: Mapping[tuple[str, str], int] = {}
