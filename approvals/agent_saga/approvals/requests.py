"""What a person signs: one decision about one exact action, in full, or about one call that nobody can prove.

Nothing is left to a look-up: the request holds the whole content of the action, and its digest is over all of it.

Source: docs/spec/approval-v1.md, "The request" and "A decision"; docs/spec/trace-v1.md, approval.recorded.
"""

from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from agent_saga.approvals.digests import ACTION, APPROVAL, DECISION, digest
from agent_saga.approvals.errors import NotApproved
from agent_saga.trace.forms import Digest, Id, Instant, JsonObject, SagaId, Salt, Semantics, Text, ToolName, Verdict

T = TypeVar("T")


class ToolOfAction(Struct, frozen=True, forbid_unknown_fields=True):
    """The tool that would be called. schema: digest of its argument schema; None when the catalogue has none."""

    name: ToolName
    version: Text
    schema: Digest | None


class Content(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One exact action. log: origin. start: leaf of the saga's line 0. args: as they stand on the line.

    policy, keys: digests in force at the approval.requested line; None before there are any.
    """

    log: Text
    start: Digest
    saga: SagaId
    step: Id
    tool: ToolOfAction
    args: JsonObject
    semantics: Semantics
    policy: Digest | None
    keys: Digest | None
    target: Any = None

    def action(self) -> str:
        """The action digest, lower-case hex."""
        return digest(ACTION, msgspec.to_builtins(self)).hex()


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """What an approver signs about an action. prev: leaf of the step's approval.requested line.

    nonce: 22 base64url characters, fresh for each approver. issued_at, not_after: between which it may be used.
    """

    v: Literal[1]
    decision: Literal["approve", "deny", "break_glass"]
    action: Digest
    content: Content
    person: Text
    proposer: Text
    key_id: Text
    nonce: Salt
    issued_at: Instant
    not_after: Instant
    prev: Digest
    reason: Text = ""
    """Why; required for break_glass, part of what is signed."""


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """What a person signs about a paused saga. prev: leaf of the saga.paused line. reason: as on the line."""

    v: Literal[1]
    log: Text
    start: Digest
    saga: SagaId
    target: Id
    verdict: Verdict
    reason: Any
    prev: Digest
    person: Text
    key_id: Text
    nonce: Salt
    issued_at: Instant
    not_after: Instant


def request_digest(request: Request) -> bytes:
    """The 32 bytes that an approver signs."""
    return digest(APPROVAL, msgspec.to_builtins(request))


def decision_digest(decision: Decision) -> bytes:
    """The 32 bytes that a person signs about a paused saga."""
    return digest(DECISION, msgspec.to_builtins(decision))


def parse_request(value: Any) -> Request:
    """Read a request strictly. Raises NotApproved (``bad-request``, ``wrong-action``)."""
    request = _strict(value, Request)
    if request.content.action() != request.action:
        raise NotApproved("wrong-action", "the request's action is not the digest of the content that it shows")
    return request


def parse_decision(value: Any) -> Decision:
    """Read a decision strictly. Raises NotApproved (``bad-request``)."""
    return _strict(value, Decision)


def _strict(value: Any, cls: type[T]) -> T:
    try:
        return msgspec.convert(value, cls, strict=True)
    except msgspec.ValidationError as fault:
        raise NotApproved("bad-request", f"no {cls.__name__.lower()} of version 1: {fault}") from fault
