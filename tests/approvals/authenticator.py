"""A software authenticator: assertions as a browser gives them, with every part to be set wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agent_saga.trace.base64url import unpadded

Sign = Callable[[bytes], bytes]


def _es256(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(sha256(b"es256 " + name.encode()).digest()[:31], "big"), ec.SECP256R1())


def es256_public(name: str) -> bytes:
    """The uncompressed point of the P-256 key of this name."""
    return _es256(name).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def es256_signer(name: str) -> Sign:
    """Signs the same bytes the same way each time (RFC 6979)."""
    return lambda data: _es256(name).sign(data, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


def client_data(challenge: bytes, **changed: Any) -> bytes:
    """clientDataJSON of an assertion on the approval page."""
    members = {
        "type": "webauthn.get",
        "challenge": unpadded(challenge),
        "origin": "https://approve.example",
        "crossOrigin": False,
    } | changed
    return json.dumps(
        {name: value for name, value in members.items() if value is not None}, separators=(",", ":")
    ).encode()


def authenticator_data(rp: str = "approve.example", flags: int = 0x05, counter: int = 7, rest: bytes = b"") -> bytes:
    """rpIdHash, flags, counter, and what may follow."""
    return sha256(rp.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big") + rest


def assertion(
    sign: Sign,
    credential: str,
    challenge: bytes,
    *,
    client: dict[str, Any] | bytes | None = None,
    rp: str = "approve.example",
    flags: int = 0x05,
    counter: int = 7,
    rest: bytes = b"",
    signed: bytes = b"",
    tail: bytes = b"",
) -> dict[str, str]:
    """The members of a proof. client: members to change, or all bytes. signed: a digest other than the challenge.

    tail: bytes after the signature.
    """
    data = client if isinstance(client, bytes) else client_data(signed or challenge, **(client or {}))
    told = authenticator_data(rp, flags, counter, rest)
    return {
        "credential": credential,
        "authenticator_data": unpadded(told),
        "client_data": unpadded(data),
        "signature": unpadded(sign(told + sha256(data).digest()) + tail),
    }
