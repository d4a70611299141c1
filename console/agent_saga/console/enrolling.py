"""A new passkey, as an entry that an administrator puts into the registry by a signed change.

The page changes no registry: whoever can open it may make an entry, and only the administrators' signatures bring it
into force. What the authenticator said of itself is kept as it came; it is verified against a trust root by whoever
enrols the key, so an entry from here never says ``attested``.

Source: W3C Web Authentication Level 3, sections 6.5 and 7.1; docs/spec/approval-v1.md, "The registry".
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import Struct

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.limits import MAX_CLIENT_DATA, MAX_CREDENTIAL
from agent_saga.approvals.registry import Key, Person, Registry, parse_registry
from agent_saga.approvals.schemes.webauthn import EDDSA, ES256
from agent_saga.approvals.spelling import from_base64url
from agent_saga.approvals.strict import Unreadable, parse
from agent_saga.console.cbor import read_map
from agent_saga.console.errors import Refused
from agent_saga.trace.base64url import unpadded

_UP, _UV, _BE, _BS, _AT, _ED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
_FIXED, _AAGUID, _LENGTH = 37, 16, 2
_MAX_OBJECT: Final = 32_768
"""Bytes of an attestation object: certificates make it some 1,000 to 10,000."""
_OKP, _EC2 = {1: 1, 3: EDDSA, -1: 6}, {1: 2, 3: ES256, -1: 1}
"""COSE members that name an Ed25519 key and a P-256 key (RFC 9053, 7)."""


class Made(Struct, frozen=True):
    """What a browser gave for a new passkey. client, attestation: clientDataJSON and the object, base64url."""

    person: str
    client: str
    attestation: str


class _Passkey(Struct, frozen=True):
    credential: bytes
    public: bytes
    algorithm: int
    counter: int


def entry_of(made: Made, challenge: bytes, registry: Registry, not_before: str, not_after: str) -> dict[str, Any]:
    """The registry's entry for a new passkey. challenge: 32 bytes. not_before, not_after: instants.

    Raises Refused: ``bad-answer``, ``wrong-challenge``, ``wrong-origin``, ``cross-origin``, ``wrong-rp``, ``no-touch``,
    ``no-verification``, ``bad-flags``, ``bad-attestation``, ``wrong-algorithm``, ``bad-entry``.
    """
    _check_client(made.client, challenge, registry)
    passkey = _passkey(made.attestation, registry)
    key = Key(
        id=f"k-{sha256(passkey.public).hexdigest()[:16]}",
        person=made.person,
        scheme="webauthn",
        public=unpadded(passkey.public),
        not_before=not_before,
        not_after=not_after,
        credential=unpadded(passkey.credential),
        algorithm=EDDSA if passkey.algorithm == EDDSA else ES256,
        verify=True,
        counter=passkey.counter,
        attestation={"object": made.attestation, "client": made.client},
    )
    entry: dict[str, Any] = msgspec.to_builtins(key)
    _check_entry(entry, registry)
    return entry


def _check_client(text: str, challenge: bytes, registry: Registry) -> None:
    try:
        client = parse(from_base64url(text, "clientDataJSON", most=MAX_CLIENT_DATA), "clientDataJSON", MAX_CLIENT_DATA)
        party = registry.party
    except (NotApproved, Unreadable) as fault:
        raise Refused(400, "bad-answer", str(fault)) from fault
    if not isinstance(client, dict) or client.get("type") != "webauthn.create":
        raise Refused(400, "bad-answer", "the browser did not say that it made a passkey")
    if client.get("challenge") != unpadded(challenge):
        raise Refused(400, "wrong-challenge", "the passkey was made for another challenge than this page's")
    if client.get("origin") not in party.origins:
        raise Refused(400, "wrong-origin", f"made on {str(client.get('origin'))[:80]!r}: expected {party.origins[0]}")
    if client.get("crossOrigin", False) is not False or "topOrigin" in client:
        raise Refused(400, "cross-origin", "the passkey was made inside a frame of another site")


def _passkey(text: str, registry: Registry) -> _Passkey:
    try:
        data = from_base64url(text, "the attestation object", most=_MAX_OBJECT)
    except NotApproved as fault:
        raise Refused(400, "bad-attestation", str(fault)) from fault
    found, end = read_map(data)
    told = found.get("authData")
    if end != len(data) or set(found) != {"fmt", "attStmt", "authData"} or not isinstance(told, bytes):
        raise Refused(400, "bad-attestation", "the attestation object has other members than fmt, attStmt, authData")
    _check_told(told, registry.party.id)
    return _credential(told)


def _check_told(told: bytes, rp: str) -> None:
    if len(told) < _FIXED + _AAGUID + _LENGTH:
        raise Refused(400, "bad-attestation", f"authenticatorData of {len(told)} bytes holds no new passkey")
    flags = told[32]
    if told[:32] != sha256(rp.encode()).digest():
        raise Refused(400, "wrong-rp", f"the passkey was made for another relying party than {rp}")
    if not flags & _UP:
        raise Refused(400, "no-touch", "the authenticator was not touched")
    if not flags & _UV:
        raise Refused(400, "no-verification", "the passkey was made without PIN or biometry: set one up, and try again")
    if not flags & _AT or (flags & _BS and not flags & _BE):
        raise Refused(400, "bad-flags", "the authenticator's flags contradict each other")


def _credential(told: bytes) -> _Passkey:
    at = _FIXED + _AAGUID + _LENGTH
    size = int.from_bytes(told[at - _LENGTH : at], "big")
    if not 0 < size <= min(MAX_CREDENTIAL, len(told) - at):
        raise Refused(400, "bad-attestation", f"a credential id of {size} bytes")
    cose, end = read_map(told, at + size)
    if told[32] & _ED:
        _, end = read_map(told, end)
    if end != len(told):
        raise Refused(400, "bad-attestation", "bytes after the new passkey")
    public, algorithm = _public(cose)
    return _Passkey(told[at : at + size], public, algorithm, int.from_bytes(told[33:37], "big"))


def _public(cose: Mapping[Any, Any]) -> tuple[bytes, int]:
    for named, names, head in ((_OKP, (-2,), b""), (_EC2, (-2, -3), b"\x04")):
        parts = [cose.get(name) for name in names]
        if named.items() <= cose.items() and all(isinstance(part, bytes) and len(part) == 32 for part in parts):
            return head + b"".join(part for part in parts if isinstance(part, bytes)), named[3]
    raise Refused(400, "wrong-algorithm", "the new passkey is neither an Ed25519 key nor one on P-256")


def _check_entry(entry: dict[str, Any], registry: Registry) -> None:
    """The registry with this entry must be one; the person may be new to it."""
    value = msgspec.to_builtins(registry)
    if entry["person"] not in registry.person:
        value["people"] = [*value.get("people", ()), msgspec.to_builtins(Person(entry["person"]))]
    value["keys"] = [*value.get("keys", ()), entry]
    try:
        parse_registry(value)
    except RegistryFault as fault:
        raise Refused(400, "bad-entry", str(fault)) from fault
