"""What a person signs: one decision about one exact action, in full, or about one call that nobody can prove.

Nothing is left to a look-up: the request holds the whole content of the action, and its digest is over all of it. What
is hashed is the value as it was given; what it means is read from the same value, strictly.

Source: docs/spec/approval-v1.md, "The request" and "A decision"; docs/spec/trace-v1.md, approval.recorded.
"""

from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import Struct

from agent_saga.approvals.digests import ACTION, APPROVAL, DECISION, canonical, digest, digest_written
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_REQUEST
from agent_saga.approvals.strict import Unreadable, parse, read
from agent_saga.trace.forms import (
    Digest,
    Id,
    Instant,
    Json,
    JsonObject,
    Key,
    SagaId,
    Salt,
    Semantics,
    Text,
    ToolName,
    Verdict,
)
from agent_saga.trace.values import is_concealed

T = TypeVar("T", bound=Struct)
_MOST_REASON: Final = 4_096
_OF_THE_CALL: Final = frozenset({"action", "content"})
"""Members of a request that are compared to the byte with the call, whose own members were read before."""


class ToolOfAction(Struct, frozen=True, forbid_unknown_fields=True):
    """The tool that would be called. schema: digest of its argument schema; None when the catalogue has none."""

    name: ToolName
    version: Text
    schema: Digest | None


class Content(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One exact action. log: origin. start: leaf of the saga's line 0. args: as they stand on the line.

    policy, keys: digests in force at the approval.requested line; None before there are any. key: the idempotency key
    under which every attempt of the effect will be made.
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
    key: Key
    target: Json | None = None

    def exact(self) -> "Exact":
        """The action, to the byte."""
        written = canonical(self)
        return Exact(written, digest_written(ACTION, written).hex())

    def action(self) -> str:
        """The action digest, lower-case hex."""
        return self.exact().digest


class Exact(NamedTuple):
    """One action, to the byte. written: its content in canonical JSON. digest: of that, lower-case hex."""

    written: bytes
    digest: str

    @property
    def opening(self) -> bytes:
        """How each request about it begins in canonical JSON: by the names of its members, these two come first."""
        return b'{"action":"%b","content":%b,"decision":"' % (self.digest.encode(), self.written)


class Request(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an approver signs about an action. prev: leaf of the step's approval.requested line.

    nonce: 22 base64url characters, fresh for each approver. issued_at, not_after: between which it may be used.
    reason: why; required to break the glass; may stand concealed.
    """

    v: Literal[1]
    decision: Literal["approve", "deny", "break_glass"]
    action: Digest
    content: Content
    person: Id
    proposer: Text
    key_id: Id
    nonce: Salt
    issued_at: Instant
    not_after: Instant
    prev: Digest
    reason: Json | None = None


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """What a person signs about a paused saga. prev: leaf of the saga.paused line. reason: as on the line."""

    v: Literal[1]
    log: Text
    start: Digest
    saga: SagaId
    target: Id
    verdict: Verdict
    reason: Json
    prev: Digest
    person: Id
    key_id: Id
    nonce: Salt
    issued_at: Instant
    not_after: Instant


class Change(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one person signs to change what is in force (:mod:`~agent_saga.approvals.registry.changes`).

    change: enroll, revoke or adopt. subject: the new registry's digest, a key id, or the policy's digest.
    registry: digest of the one in force before. prev: leaf of the last line that changed anything.
    """

    v: Literal[1]
    log: Text
    change: Literal["enroll", "revoke", "adopt"]
    subject: Text
    registry: Digest
    prev: Digest
    person: Id
    key_id: Id
    nonce: Salt
    issued_at: Instant
    not_after: Instant
    compromised_since: Instant | None = None


class ByPerson(Protocol):
    """What is signed names who signs it, and with which of their keys."""

    @property
    def person(self) -> str:
        """The signer's id."""
        ...

    @property
    def key_id(self) -> str:
        """The key's id in the registry."""
        ...


def as_written(about: Struct) -> dict[str, Any]:
    """A request, decision or change as the JSON value that is hashed and put into a proof."""
    value: dict[str, Any] = msgspec.to_builtins(about)
    return value


def request_digest(request: Request) -> bytes:
    """The 32 bytes that an approver signs."""
    return digest(APPROVAL, as_written(request))


def decision_digest(decision: Decision) -> bytes:
    """The 32 bytes that a person signs about a paused saga."""
    return digest(DECISION, as_written(decision))


def parse_request(value: Any) -> Request:
    """Read a request strictly. Raises NotApproved (``bad-request``, ``wrong-action``)."""
    return read_request(value)[0]


def read_request(value: Any, call: Exact | None = None) -> tuple[Request, bytes]:
    """The same, and the canonical JSON that is hashed.

    call: of a content whose members are known to be in their forms, where the request should be about it. If it is, to
    the byte, then it holds that action and that content, and neither is looked at again.
    """
    read = _about(value, call) if call is not None else None
    request, written = read or strictly(value, Request)
    if not read and digest(ACTION, value["content"]).hex() != request.action:
        raise NotApproved("wrong-action", "the request's action is not the digest of the content that it shows")
    reason = request.reason
    text = isinstance(reason, str) and 0 < len(reason) <= _MOST_REASON
    if not (reason is None or text or is_concealed(reason)):
        raise NotApproved("bad-request", f"a reason is text of 1 to {_MOST_REASON} characters, concealed, or absent")
    return request, written


def parse_decision(value: Any) -> Decision:
    """Read a decision strictly. Raises NotApproved (``bad-request``)."""
    return strictly(value, Decision)[0]


def parse_file(data: bytes) -> Any:
    """The value in a request that is carried as a file, in its one spelling: canonical JSON, perhaps one LF.

    Raises NotApproved (``bad-request``), also for any other spelling: the bytes shown are the bytes signed.
    """
    try:
        value = parse(data, "the request", MAX_REQUEST)
        if data.removesuffix(b"\n") != canonical(value):
            raise Unreadable("the request is not in canonical JSON (RFC 8785)")
    except (ValueError, RecursionError) as fault:
        raise NotApproved("bad-request", str(fault)) from fault
    return value


def _about(value: Any, call: Exact) -> tuple[Request, bytes] | None:
    """:func:`strictly` of a request about this call; None where it is about another, or none at all."""
    try:
        written = canonical(value)
        if not written.startswith(call.opening) or value.get("reason", "") is None:
            return None
        return read(value, Request, _what(Request), _OF_THE_CALL), _bounded(written, Request)
    except (TypeError, ValueError, RecursionError) as fault:
        raise NotApproved("bad-request", str(fault)) from fault


def strictly(value: Any, cls: type[T]) -> tuple[T, bytes]:
    """Read a value that somebody signed, and its canonical JSON. Raises NotApproved (``bad-request``)."""
    try:
        found, written = read(value, cls, _what(cls)), canonical(value)
        if canonical(found) != written:
            raise Unreadable("a member without a value must be absent, not null or empty")
    except (TypeError, ValueError) as fault:
        raise NotApproved("bad-request", str(fault)) from fault
    return found, _bounded(written, cls)


def _what(cls: type[Struct]) -> str:
    return f"no {cls.__name__.lower()} of version 1"


def _bounded(written: bytes, cls: type[Struct]) -> bytes:
    if len(written) > MAX_REQUEST:
        name = cls.__name__.lower()
        raise NotApproved("bad-request", f"a {name} of {len(written)} bytes: expected at most {MAX_REQUEST}")
    return written
