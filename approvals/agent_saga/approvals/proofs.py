"""One approval, verified: the proof on a line against the registry, for exactly what the line says.

The verifier recomputes everything from the request that stands in the proof. What the line or the proof claims about
person, action or strength is compared, never believed.

Source: docs/spec/approval-v1.md, "Verifying".
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from agent_saga.approvals.digests import APPROVAL, DECISION, message
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry.model import Key, Registry
from agent_saga.approvals.requests import (
    Decision,
    Request,
    decision_digest,
    parse_decision,
    parse_request,
    request_digest,
)
from agent_saga.approvals.schemes import raw, sshsig, webauthn
from agent_saga.approvals.schemes.evidence import Evidence, Strength

T = TypeVar("T")
_COMMON: Final = frozenset({"scheme", "key_id", "request"})


class Signed(Struct, frozen=True):
    """A signature that was verified. digest: 32 bytes, what was signed. strength: as the signature and enrolment show.

    about: the request or decision, now known to be what this person signed.
    """

    about: Request | Decision
    digest: bytes
    key: Key
    evidence: Evidence
    strength: Strength


def verify_approval(proof: Mapping[str, Any], registry: Registry) -> Signed:
    """Verify the proof of an approval.recorded line. Raises NotApproved; windows and roles are judged elsewhere."""
    request = parse_request(proof.get("request"))
    return _verified(proof, registry, request, request_digest(request), APPROVAL)


def verify_decision(proof: Mapping[str, Any], registry: Registry) -> Signed:
    """Verify the proof of a person.decided line. Raises NotApproved."""
    decision = parse_decision(proof.get("request"))
    return _verified(proof, registry, decision, decision_digest(decision), DECISION)


def _verified(
    proof: Mapping[str, Any], registry: Registry, about: Request | Decision, found: bytes, domain: bytes
) -> Signed:
    key = registry.key.get(str(proof.get("key_id")))
    if key is None:
        raise NotApproved("unknown-key", f"the registry holds no key {str(proof.get('key_id'))[:64]!r}")
    if about.key_id != key.id or about.person != key.person:
        raise NotApproved(
            "wrong-person", f"the request names {about.person} with key {about.key_id}; signed by {key.id}"
        )
    if proof.get("scheme") != key.scheme:
        raise NotApproved("wrong-scheme", f"a proof of scheme {proof.get('scheme')!r}: key {key.id} is {key.scheme}")
    own = {name: value for name, value in proof.items() if name not in _COMMON}
    evidence = _checked(own, key, registry, found, message(domain, found))
    return Signed(about, found, key, evidence, strength_of(key, evidence))


def _checked(own: dict[str, Any], key: Key, registry: Registry, found: bytes, line: bytes) -> Evidence:
    if key.scheme == "webauthn":
        if registry.rp is None:
            raise NotApproved("wrong-rp", "the registry names no relying party for passkeys")
        credential = webauthn.Credential(key.credential, key.raw, key.algorithm)
        party = webauthn.RelyingParty(registry.rp.id, registry.rp.origins)
        return webauthn.check(_members(own, webauthn.WebAuthnProof), credential, found, party)
    if key.scheme in ("sshsig", "sshsig-sk"):
        return sshsig.check(_members(own, sshsig.SshProof), key.raw, line, key.application)
    return raw.check(_members(own, raw.RawProof), key.raw, line)


def _members(own: dict[str, Any], cls: type[T]) -> T:
    try:
        return msgspec.convert(own, cls, strict=True)
    except msgspec.ValidationError as fault:
        raise NotApproved("bad-proof", f"the proof's members are not its scheme's: {fault}") from fault


def strength_of(key: Key, evidence: Evidence) -> Strength:
    """How much the signature shows: A attested passkey with PIN, B the same over ssh, C hardware, D software.

    Ed25519 alone proves no hardware: only attestation kept at enrolment does.
    """
    if key.attested and evidence.present and evidence.verified:
        return "A" if key.scheme == "webauthn" else "B" if key.scheme == "sshsig-sk" else "C"
    if key.scheme == "pkcs11" or (key.scheme in ("webauthn", "sshsig-sk") and evidence.present):
        return "C"
    return "D"
