"""``ed25519`` and ``pkcs11``: a bare Ed25519 signature over the message line.

Source: docs/spec/approval-v1.md, "ed25519 and pkcs11"; RFC 8032.
"""

from msgspec import Struct

from agent_saga.approvals.schemes.evidence import Evidence, check_ed25519
from agent_saga.approvals.spelling import from_base64url


class RawProof(Struct, frozen=True, forbid_unknown_fields=True):
    """The scheme's own members. signature: 86 base64url characters."""

    signature: str


def check(proof: RawProof, public: bytes, message: bytes) -> Evidence:
    """Check the signature. Raises NotApproved (``bad-proof``, ``bad-signature``)."""
    check_ed25519(public, message, from_base64url(proof.signature, "the signature", 64))
    return Evidence()
