"""What a verified signature shows, and the public keys that verify it."""

from functools import lru_cache
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import KNOWN_KEYS

Scheme = Literal["webauthn", "sshsig-sk", "sshsig", "pkcs11", "ed25519"]
Strength = Literal["A", "B", "C", "D"]

_ED25519 = lru_cache(KNOWN_KEYS)(Ed25519PublicKey.from_public_bytes)


class Evidence(Struct, frozen=True):
    """What the signature itself shows. present: a touch. verified: PIN or biometry. counter: None without one.

    backed_up: the key is known to be copied to other devices.
    """

    present: bool = False
    verified: bool = False
    counter: int | None = None
    backed_up: bool = False


def check_ed25519(public: bytes, message: bytes, signature: bytes) -> None:
    """Check a signature (RFC 8032). Raises NotApproved (``bad-signature``)."""
    try:
        _ED25519(public).verify(signature, message)
    except (InvalidSignature, ValueError) as fault:
        raise NotApproved("bad-signature", "the signature is not over this request by this key") from fault


@lru_cache(KNOWN_KEYS)
def es256_key(public: bytes) -> ec.EllipticCurvePublicKey:
    """A key on P-256 from its uncompressed point of 65 bytes. Raises ValueError for a point that is none."""
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)


def check_es256(public: bytes, message: bytes, signature: bytes) -> None:
    """Check an ECDSA signature in DER over P-256 with SHA-256. Raises NotApproved (``bad-signature``)."""
    try:
        es256_key(public).verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError) as fault:
        raise NotApproved("bad-signature", "the signature is not over this request by this passkey") from fault
