"""What a verified signature shows, and the public keys that verify it."""

from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from agent_saga.approvals.errors import NotApproved

Scheme = Literal["webauthn", "sshsig-sk", "sshsig", "pkcs11", "ed25519"]
Strength = Literal["A", "B", "C", "D"]


class Evidence(Struct, frozen=True):
    """What the signature itself shows. present: a touch. verified: PIN or biometry. counter: None without one."""

    present: bool = False
    verified: bool = False
    counter: int | None = None
    backed_up: bool = False


def check_ed25519(public: bytes, message: bytes, signature: bytes) -> None:
    """Check a signature (RFC 8032). Raises NotApproved (``bad-signature``)."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError) as fault:
        raise NotApproved("bad-signature", "the signature is not over this request by this key") from fault
