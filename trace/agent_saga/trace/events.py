"""The event objects of trace format 1: frozen, one class a line type, members in the order of the line.

This module is the single place where the shape of a line is written down. From these classes come the line codec
(:mod:`agent_saga.trace.codec`), the pydantic models and the published JSON Schema (:mod:`agent_saga.trace.models`)
and the tables of ``docs/spec/trace-v1.md``. Everything behind the reader handles these objects and nothing else.

Source: docs/spec/trace-v1.md, sections "Members of every line" and "Types".
"""

from typing import Final, Literal, get_args

import msgspec

from agent_saga.trace.forms import (
    Amount,
    BranchPath,
    Count,
    Decimal,
    Decision,
    Digest,
    FormatName,
    Found,
    Id,
    Instant,
    Json,
    JsonObject,
    Key,
    OptionName,
    OptionPath,
    Pointer,
    SagaId,
    Salt,
    Semantics,
    Seq,
    Speaker,
    Status,
    Text,
    ToolName,
    Verdict,
)
from agent_saga.trace.limits import LOG_SAGA

SUCCEEDED_UNVERIFIED: Final = "succeeded_unverified"
"""Status of a completion that a source without checks claims. Importers only; never accepted on a line."""


class _Part(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A nested object of fixed shape."""


class ToolSpec(_Part, frozen=True):
    """A tool as the trace's own catalogue declares it."""

    version: Text
    semantics: Semantics
    undo: ToolName | None = None
    amount_from: Pointer | None = None
    resource_from: Pointer | None = None
    schema: Digest | None = None


class UndoCall(_Part, frozen=True):
    """The inverse call, derived from the forward result: what must be called to undo the effect."""

    tool: ToolName
    args: JsonObject
    amount: Amount | None = None


class EffectRef(_Part, frozen=True):
    """An effect of another saga."""

    saga: SagaId
    effect: Id


class Option(_Part, frozen=True):
    """One candidate that a closed-choice driver offered to the model."""

    id: Id
    tool: ToolName
    args: JsonObject
    p: Decimal


class DigestAt(_Part, frozen=True):
    """A digest in force and the leaf index of the line that set it."""

    digest: Digest
    index: Seq


class _Salted(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    salt: Salt = ""


class _Line(_Salted, frozen=True):
    v: Literal[1]
    saga: SagaId
    seq: Seq
    prev: Digest
    at: Instant
    type: str
    by: Speaker


class SagaStarted(_Line, frozen=True):
    """The first line: the catalogue that later lines are checked against is inside the trace."""

    type: Literal["saga.started"]
    log: Text
    name: Text
    format: FormatName
    tools: dict[ToolName, ToolSpec]
    policy: Digest | None = None
    keys: Digest | None = None
    spec: Digest | None = None
    goal: Json | None = None
    agent: Text | None = None
    parent: EffectRef | None = None
    pivot: Id | None = None


class StepProposed(_Line, frozen=True):
    """What the agent chose, and what it could choose from."""

    type: Literal["step.proposed"]
    step: Id
    tool: ToolName
    args: JsonObject
    allowed: tuple[ToolName, ...]
    driver: Text
    options: tuple[Option, ...] | None = None
    choice: Id | None = None
    confidence: Decimal | None = None
    why: Json | None = None


class StepRefused(_Line, frozen=True):
    """Refused before any effect."""

    type: Literal["step.refused"]
    step: Id
    code: Text
    reason: Json
    rule: Text | None = None


class ApprovalRequested(_Line, frozen=True):
    """The wait for approvers begins; each approver's request names this line's leaf."""

    type: Literal["approval.requested"]
    step: Id
    action: Digest
    rule: Text
    quorum: Count
    roles: tuple[Text, ...]
    strength: Literal["A", "B", "C", "D"]
    not_after: Instant


class ApprovalRecorded(_Line, frozen=True):
    """A person's answer, with a signature that can be verified years later."""

    type: Literal["approval.recorded"]
    step: Id
    action: Digest
    decision: Decision
    person: Text
    proof: JsonObject


class EffectIntended(_Line, frozen=True):
    """Durable before the call is made."""

    type: Literal["effect.intended"]
    effect: Id
    step: Id
    tool: ToolName
    semantics: Semantics
    args: JsonObject
    key: Key
    attempt: Count
    action: Digest | None = None
    approvals: tuple[Digest, ...] = ()
    amount: Amount | None = None
    resource: Json | None = None
    after: tuple[Id, ...] | None = None
    branch: OptionPath | None = None
    fallback_of: Id | None = None
    reads: tuple[EffectRef, ...] = ()


class EffectSucceeded(_Line, frozen=True):
    """The call took effect; the inverse is derived from its result."""

    type: Literal["effect.succeeded"]
    effect: Id
    attempt: Count
    result: Json
    undo: UndoCall | None = None


class EffectFailed(_Line, frozen=True):
    """This attempt is proven not to have happened."""

    type: Literal["effect.failed"]
    effect: Id
    attempt: Count
    error: Json


class EffectUnknown(_Line, frozen=True):
    """Time-out, crash or lost reply: the call may have happened."""

    type: Literal["effect.unknown"]
    effect: Id
    attempt: Count
    error: Json
    undo: UndoCall | None = None


class EffectReconciled(_Line, frozen=True):
    """The provider was asked about the idempotency key."""

    type: Literal["effect.reconciled"]
    effect: Id
    found: Found
    result: Json | None = None
    undo: UndoCall | None = None


class UndoIntended(_Line, frozen=True):
    """Durable before the compensating call is made."""

    type: Literal["undo.intended"]
    undo: Id
    effect: Id
    tool: ToolName
    args: JsonObject
    key: Key
    attempt: Count
    amount: Amount | None = None


class UndoSucceeded(_Line, frozen=True):
    """The compensating call took effect."""

    type: Literal["undo.succeeded"]
    undo: Id
    attempt: Count
    result: Json


class UndoFailed(_Line, frozen=True):
    """This attempt to undo is proven not to have happened."""

    type: Literal["undo.failed"]
    undo: Id
    attempt: Count
    error: Json


class UndoUnknown(_Line, frozen=True):
    """The compensating call may have happened."""

    type: Literal["undo.unknown"]
    undo: Id
    attempt: Count
    error: Json


class UndoReconciled(_Line, frozen=True):
    """The provider was asked whether the undo took."""

    type: Literal["undo.reconciled"]
    undo: Id
    found: Found
    result: Json | None = None


class CheckEvaluated(_Line, frozen=True):
    """Proof that the goal holds, or that the undo took."""

    type: Literal["check.evaluated"]
    check: Id
    passed: bool
    evidence: Json


class RollbackStarted(_Line, frozen=True):
    """No new forward effect after this line."""

    type: Literal["rollback.started"]
    cause: Json


class BranchChosen(_Line, frozen=True):
    """One option of a group of parallel branches won; the effects of the others must be undone."""

    type: Literal["branch.chosen"]
    branch: BranchPath
    winner: OptionName


class SagaHalted(_Line, frozen=True):
    """Stopped (kill switch, quarantine, deadline, budget): no new forward effect until a person decides."""

    type: Literal["saga.halted"]
    reason: Json


class SagaEscalated(_Line, frozen=True):
    """Handed to a person (refusals, budget): no new forward effect until a person decides."""

    type: Literal["saga.escalated"]
    reason: Json


class SagaPaused(_Line, frozen=True):
    """Waits for a person about the named effects and undos."""

    type: Literal["saga.paused"]
    reason: Json
    waiting: tuple[Id, ...]


class PersonDecided(_Line, frozen=True):
    """A person's decision about an effect or undo that the machine could not prove."""

    type: Literal["person.decided"]
    target: Id
    verdict: Verdict
    reason: Json
    person: Text
    proof: JsonObject


class SagaEnded(_Line, frozen=True):
    """The runtime's own summary. It is compared with the events, never believed."""

    type: Literal["saga.ended"]
    status: Status
    held: tuple[Id, ...]


class LogOpened(_Line, frozen=True):
    """Leaf 0 of the log: its origin, its verification key and its first key registry."""

    type: Literal["log.opened"]
    origin: Text
    vkey: Text
    keys: JsonObject
    policy: Digest | None = None


class LogIndexed(_Line, frozen=True):
    """The last line of an indexed checkpoint: the root over the saga index, and what was in force."""

    type: Literal["log.indexed"]
    size: Count
    root: Digest
    keys: DigestAt
    policy: DigestAt | None = None


class KeysEnrolled(_Line, frozen=True):
    """A new version of the key registry, approved under the one before."""

    type: Literal["keys.enrolled"]
    registry: JsonObject
    proof: JsonObject


class KeysRevoked(_Line, frozen=True):
    """A key that no later intent may rely on."""

    type: Literal["keys.revoked"]
    key_id: Text
    proof: JsonObject
    compromised_since: Instant | None = None


class PolicyAdopted(_Line, frozen=True):
    """The policy in force from here on."""

    type: Literal["policy.adopted"]
    policy: Digest
    proof: JsonObject


SagaEvent = (
    SagaStarted
    | StepProposed
    | StepRefused
    | ApprovalRequested
    | ApprovalRecorded
    | EffectIntended
    | EffectSucceeded
    | EffectFailed
    | EffectUnknown
    | EffectReconciled
    | UndoIntended
    | UndoSucceeded
    | UndoFailed
    | UndoUnknown
    | UndoReconciled
    | CheckEvaluated
    | RollbackStarted
    | BranchChosen
    | SagaHalted
    | SagaEscalated
    | SagaPaused
    | PersonDecided
    | SagaEnded
)
LogEvent = LogOpened | LogIndexed | KeysEnrolled | KeysRevoked | PolicyAdopted
Event = SagaEvent | LogEvent


def _name(cls: type[_Line]) -> str:
    name: str = get_args(cls.__annotations__["type"])[0]
    return name


EVENT_TYPES: Final[dict[str, type[Event]]] = {_name(cls): cls for cls in get_args(Event)}
"""Every line type of the format, by its name."""

LOG_TYPES: Final = frozenset(_name(cls) for cls in get_args(LogEvent))
"""Types that stand only in the reserved saga :data:`~agent_saga.trace.limits.LOG_SAGA`, and only there."""


def may_stand_in(saga: str, event_type: str) -> bool:
    """Tell whether a line of this type may stand in this saga (the log's own lines and sagas never mix)."""
    return (saga == LOG_SAGA) == (event_type in LOG_TYPES)
