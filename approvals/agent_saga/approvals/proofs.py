"""One approval, verified: the proof on a line against the registry, for exactly what the line says.

The verifier recomputes everything from the request that stands in the proof. What the line or the proof claims about
person, action or strength is compared, never believed.

Source: docs/spec/approval-v1.md, "Verifying".
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from agent_saga.approvals.digests import APPROVAL, DECISION, canonical, digest_written, message
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry.model import Key, Registry
from agent_saga.approvals.requests import ByPerson, Decision, Exact, Request, read_request, strictly
from agent_saga.approvals.schemes import raw, sshsig, webauthn
from agent_saga.approvals.schemes.evidence import Evidence, Strength
from agent_saga.approvals.strict import Unreadable, read
from agent_saga.trace.events import ApprovalRecorded, PersonDecided

T = TypeVar("T", bound=Struct)
A = TypeVar("A", bound=ByPerson)
_COMMON: Final = frozenset({"scheme", "key_id", "request"})


class Signed(Struct, Generic[A], frozen=True):
    """A signature that was verified. digest: 32 bytes, what was signed. strength: as the signature and enrolment show.

    about: the request, decision or change, now known to be what this person signed.
    """

    about: A
    digest: bytes
    key: Key
    evidence: Evidence
    strength: Strength


def verify_approval(proof: Mapping[str, Any], registry: Registry, call: Exact | None = None) -> Signed[Request]:
    """Verify the proof of an approval.recorded line. Raises NotApproved; windows and roles are judged elsewhere.

    call: what it should be about, if its content was read before; a proof about anything else is verified all the same.
    """
    return verified(proof, registry, *read_request(proof.get("request"), call), APPROVAL)


def verify_decision(proof: Mapping[str, Any], registry: Registry) -> Signed[Decision]:
    """Verify the proof of a person.decided line. Raises NotApproved."""
    return verified(proof, registry, *strictly(proof.get("request"), Decision), DECISION)


def verify_recorded(line: ApprovalRecorded, registry: Registry, call: Exact | None = None) -> Signed[Request]:
    """Verify an approval.recorded line: its proof, and that the line says nothing else. Raises NotApproved.

    call: as of :func:`verify_approval`.
    """
    signed = verify_approval(line.proof, registry, call)
    about = signed.about
    found = (about.content.saga, about.content.step, about.action, about.decision, about.person)
    if found != (line.saga, line.step, line.action, line.decision, line.person):
        _same(("saga", "step", "action", "decision", "person"), found, line)
    return signed


def verify_decided(line: PersonDecided, registry: Registry) -> Signed[Decision]:
    """Verify a person.decided line: its proof, and that the line says nothing else. Raises NotApproved."""
    signed = verify_decision(line.proof, registry)
    about = signed.about
    found = (about.saga, about.target, about.verdict, about.reason, about.person)
    _same(("saga", "target", "verdict", "reason", "person"), found, line)
    return signed


def _same(names: tuple[str, ...], found: tuple[Any, ...], line: ApprovalRecorded | PersonDecided) -> None:
    for name, signed in zip(names, found, strict=True):
        said = getattr(line, name)
        if signed != said or (type(said) is not str and canonical(signed) != canonical(said)):  # true equals 1 here
            raise NotApproved("wrong-line", f"the line says {name} {str(said)[:80]!r}: not what is signed")


def verified(proof: Mapping[str, Any], registry: Registry, about: A, written: bytes, domain: bytes) -> Signed[A]:
    """Verify the signature over a request that was read strictly. about: what it says; written: its canonical JSON.

    Raises NotApproved (``unknown-key``, ``wrong-person``, ``wrong-scheme``, and the reasons of the schemes).
    """
    named = proof.get("key_id")
    key = registry.key.get(named) if isinstance(named, str) else None
    if key is None:
        raise NotApproved("unknown-key", f"the registry holds no key {str(named)[:64]!r}")
    if about.key_id != key.id or about.person != key.person:
        raise NotApproved(
            "wrong-person", f"the request names {about.person} with key {about.key_id}; signed by {key.id}"
        )
    if proof.get("scheme") != key.scheme:
        raise NotApproved(
            "wrong-scheme", f"a proof of scheme {str(proof.get('scheme'))[:40]!r}: {key.id} is {key.scheme}"
        )
    found = digest_written(domain, written)
    own = {name: value for name, value in proof.items() if name not in _COMMON}
    evidence = _checked(own, key, registry, found, message(domain, found))
    if key.verify and not evidence.verified:
        raise NotApproved("no-verification", f"key {key.id} signs with a PIN or biometry only, and there was none")
    return Signed(about, found, key, evidence, strength_of(key, evidence))


def _checked(own: dict[str, Any], key: Key, registry: Registry, found: bytes, line: bytes) -> Evidence:
    if key.scheme == "webauthn":
        return webauthn.check(_members(own, webauthn.WebAuthnProof), key.passkey, found, registry.party)
    if key.scheme in ("sshsig", "sshsig-sk"):
        return sshsig.check(_members(own, sshsig.SshProof), key.raw, line, key.application)
    return raw.check(_members(own, raw.RawProof), key.raw, line)


def _members(own: dict[str, Any], cls: type[T]) -> T:
    try:
        return read(own, cls, "the proof's members are not its scheme's")
    except Unreadable as fault:
        raise NotApproved("bad-proof", str(fault)) from fault


def strength_of(key: Key, evidence: Evidence) -> Strength:
    """How much the signature shows: A attested passkey with PIN, B the same over ssh, C hardware, D software.

    Ed25519 alone proves no hardware: only attestation kept at enrolment does, and a key that was copied to other
    devices is no longer where it was attested.
    """
    if key.attested and evidence.present and evidence.verified and not evidence.backed_up:
        return "A" if key.scheme == "webauthn" else "B"
    if key.scheme == "pkcs11" or (key.scheme in ("webauthn", "sshsig-sk") and evidence.present):
        return "C"
    return "D"
