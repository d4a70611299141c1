"""``webauthn``: an assertion of a passkey or security key, whose challenge is the digest.

    signed = authenticatorData || SHA-256(clientDataJSON)

Checked are the type, the challenge, the origin, that the page was not framed by another site, the relying party, the
flags (a touch; a PIN or biometry; a backup that could not be), the counter, and the signature under the algorithm that
was enrolled.

Source: W3C Web Authentication Level 3, section 7.2; docs/spec/approval-v1.md, "webauthn".
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_AUTHENTICATOR_DATA, MAX_CLIENT_DATA
from agent_saga.approvals.schemes.cbor import check_map
from agent_saga.approvals.schemes.evidence import Evidence, check_ed25519, check_es256
from agent_saga.approvals.spelling import from_base64url
from agent_saga.approvals.strict import Unreadable, parse
from agent_saga.trace.base64url import unpadded

EDDSA: Final = -8
ES256: Final = -7
"""COSE algorithm numbers (RFC 9053)."""
_UP, _UV, _BE, _BS, _AT, _ED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
_FIXED: Final = 37
"""Bytes of authenticator data without attested credential and extensions: rpIdHash, flags, counter."""


class WebAuthnProof(Struct, frozen=True, forbid_unknown_fields=True):
    """The scheme's own members, as the browser gave them, base64url."""

    credential: str
    authenticator_data: str
    client_data: str
    signature: str


class RelyingParty(Struct, frozen=True):
    """Where signatures may be made. id: such as ``approve.example``. origins: such as ``https://approve.example``."""

    id: str
    origins: Sequence[str]


class Credential(Struct, frozen=True):
    """An enrolled passkey. public: 32 bytes for EdDSA, 65 (uncompressed point) for ES256."""

    id: str
    public: bytes
    algorithm: int


def check(proof: WebAuthnProof, credential: Credential, challenge: bytes, party: RelyingParty) -> Evidence:
    """Check an assertion. challenge: the 32 bytes of the digest.

    Raises NotApproved (``bad-proof``, ``other-key``, ``wrong-type``, ``wrong-challenge``, ``wrong-origin``,
    ``cross-origin``, ``wrong-rp``, ``no-touch``, ``bad-flags``, ``wrong-algorithm``, ``bad-signature``).
    """
    if proof.credential != credential.id:
        raise NotApproved("other-key", "the assertion is of another passkey than the one that is enrolled")
    client = from_base64url(proof.client_data, "clientDataJSON", most=MAX_CLIENT_DATA)
    told = from_base64url(proof.authenticator_data, "authenticatorData", most=MAX_AUTHENTICATOR_DATA)
    _check_client(client, challenge, party)
    evidence = _check_authenticator(told, party)
    signed = told + hashlib.sha256(client).digest()
    _check_signature(credential, signed, from_base64url(proof.signature, "the signature", most=256))
    return evidence


def _check_client(data: bytes, challenge: bytes, party: RelyingParty) -> None:
    """Browsers may add members of their own, so others than these are passed over; none may stand twice."""
    client = _client(data)
    if client.get("type") != "webauthn.get":
        raise NotApproved("wrong-type", f"clientDataJSON is of type {_cut(client.get('type'))}: expected webauthn.get")
    if client.get("challenge") != unpadded(challenge):
        raise NotApproved("wrong-challenge", "the passkey signed another challenge than this request's digest")
    if client.get("origin") not in party.origins:
        raise NotApproved(
            "wrong-origin", f"signed on {_cut(client.get('origin'))}: expected {', '.join(party.origins)}"
        )
    if client.get("crossOrigin", False) is not False or "topOrigin" in client:
        raise NotApproved("cross-origin", "signed inside a frame of another site")


def _client(data: bytes) -> dict[str, Any]:
    try:
        client = parse(data, "clientDataJSON", MAX_CLIENT_DATA)
    except Unreadable as fault:
        raise NotApproved("bad-proof", str(fault)) from fault
    if not isinstance(client, dict):
        raise NotApproved("bad-proof", "clientDataJSON is no JSON object")
    return client


def _cut(found: object) -> str:
    return repr(found)[:80]


def _check_authenticator(data: bytes, party: RelyingParty) -> Evidence:
    if len(data) < _FIXED:
        raise NotApproved("bad-proof", f"authenticatorData of {len(data)} bytes: expected at least {_FIXED}")
    if data[:32] != hashlib.sha256(party.id.encode()).digest():
        raise NotApproved("wrong-rp", f"the passkey signed for another relying party than {party.id}")
    flags, counter = data[32], int.from_bytes(data[33:37], "big")
    if not flags & _UP:
        raise NotApproved("no-touch", "the authenticator was not touched")
    if flags & _BS and not flags & _BE:
        raise NotApproved("bad-flags", "the authenticator says that a key which cannot be backed up was backed up")
    if flags & _AT or bool(flags & _ED) != (len(data) > _FIXED):
        raise NotApproved("bad-flags", "authenticatorData is longer or shorter than its flags say")
    if flags & _ED:
        check_map(data[_FIXED:])
    return Evidence(True, bool(flags & _UV), counter, bool(flags & _BS))


def _check_signature(credential: Credential, signed: bytes, signature: bytes) -> None:
    if credential.algorithm == EDDSA:
        check_ed25519(credential.public, signed, signature)
    elif credential.algorithm == ES256:
        check_es256(credential.public, signed, signature)
    else:
        raise NotApproved("wrong-algorithm", f"COSE algorithm {credential.algorithm}: expected -8 or -7")
