"""What is signed to change what is in force: enrol a new registry, revoke a key, adopt a policy.

    change = SHA-256("agent-saga/registry/v1\\0" || JCS(change))

Each change names the registry under which it is approved, and in ``prev`` the leaf of the last line that changed
anything: so changes stand in one order, and a signature serves once. The proof of such a line is
``{"signatures":[...]}``, one proof a person, as many as the registry in force demands. Who loses a key may revoke it
alone, but then not say that it was lost earlier: that would take back approvals, and is for the quorum.

Source: docs/spec/approval-v1.md, "Changes".
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from agent_saga.approvals.digests import REGISTRY, digest
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_SIGNATURES
from agent_saga.approvals.proofs import Signed, verified
from agent_saga.approvals.registry.model import Registry, Rule
from agent_saga.approvals.requests import Change, as_written, strictly
from agent_saga.approvals.strengths import reaches
from agent_saga.approvals.windows import check_window


class Due(Struct, frozen=True):
    """What a line of the log's own claims to change, and what was in force before it. at: as the line says."""

    log: str
    change: str
    subject: str
    registry: str
    prev: str
    at: str
    compromised_since: str | None = None


def change_digest(change: Change) -> bytes:
    """The 32 bytes that a person signs to allow a change."""
    return digest(REGISTRY, as_written(change))


def parse_change(value: Any) -> Change:
    """Read a change strictly. Raises NotApproved (``bad-request``)."""
    return strictly(value, Change)[0]


def check_change(
    proof: Mapping[str, Any], due: Due, registry: Registry, revoked: Sequence[str] = ()
) -> tuple[Signed[Change], ...]:
    """Check that enough persons signed exactly this change, under the registry in force before it.

    revoked: ids of keys that no longer sign. Raises NotApproved: a reason of one signature, ``wrong-change``,
    ``no-rule``, ``too-few``. Every signature must hold; one bad one spoils the proof.
    """
    signed = tuple(_one(one, due, registry, revoked) for one in _signatures(proof))
    persons = {one.about.person for one in signed}
    if len(persons) < len(signed):
        raise NotApproved("too-few", "one person signed twice: a quorum counts persons")
    if not _by_its_holder(signed, due, registry):
        _check_quorum(signed, registry)
    return signed


def _signatures(proof: Mapping[str, Any]) -> list[Any]:
    found = proof.get("signatures")
    if set(proof) != {"signatures"} or not isinstance(found, list | tuple) or not 1 <= len(found) <= MAX_SIGNATURES:
        raise NotApproved("bad-proof", f'a change is proven by {{"signatures":[...]}}, 1 to {MAX_SIGNATURES} of them')
    if not all(isinstance(one, dict) for one in found):
        raise NotApproved("bad-proof", "each signature of a change is an object")
    return list(found)


def _one(proof: dict[str, Any], due: Due, registry: Registry, revoked: Sequence[str]) -> Signed[Change]:
    change, written = strictly(proof.get("request"), Change)
    signed = verified(proof, registry, change, written, REGISTRY)
    for name in ("log", "change", "subject", "registry", "prev", "compromised_since"):
        if getattr(change, name) != getattr(due, name):
            raise NotApproved("wrong-change", f"{name} is {str(getattr(change, name))[:80]!r}: not what the line does")
    if signed.key.id in revoked:
        raise NotApproved("revoked", f"key {signed.key.id} was revoked before")
    check_window(signed.key.not_before, signed.key.not_after, due.at, "outside-window", f"key {signed.key.id}")
    check_window(change.issued_at, change.not_after, due.at, "late", "the signed change")
    return signed


def _by_its_holder(signed: Sequence[Signed[Change]], due: Due, registry: Registry) -> bool:
    lost = registry.key.get(due.subject)
    return (
        due.change == "revoke"
        and due.compromised_since is None
        and lost is not None
        and any(one.about.person == lost.person for one in signed)
    )


def _check_quorum(signed: Sequence[Signed[Change]], registry: Registry) -> None:
    rule: Rule | None = registry.changes
    if rule is None:
        raise NotApproved("no-rule", "the registry in force says of nobody that they may change it")
    for one in signed:
        if not registry.in_role(one.about.person, rule.roles):
            raise NotApproved("wrong-role", f"{one.about.person} has none of the roles {', '.join(rule.roles)}")
        if not reaches(one.strength, rule.strength):
            raise NotApproved("weak-key", f"a signature of strength {one.strength}: {rule.strength} is asked for")
    if len(signed) < rule.quorum:
        raise NotApproved("too-few", f"{len(signed)} persons signed the change: {rule.quorum} are asked for")
