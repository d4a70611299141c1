"""A passkey whose private key the tests hold: for the browser's authenticator, or to answer with one thing wrong."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agent_saga.trace.base64url import unpadded


class SoftPasskey:
    """The Ed25519 passkey of a name: the same in every run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._private = Ed25519PrivateKey.from_private_bytes(sha256(b"console " + name.encode()).digest())
        self.id = sha256(b"credential " + name.encode()).digest()

    def entry(self, person: str, **more: Any) -> dict[str, Any]:
        """As the registry holds it."""
        return {
            "id": f"k-{self.name}",
            "person": person,
            "scheme": "webauthn",
            "public": unpadded(self._private.public_key().public_bytes_raw()),
            "not_before": "2026-01-01T00:00:00.000000Z",
            "not_after": "2099-01-01T00:00:00.000000Z",
            "credential": unpadded(self.id),
        } | more

    def credential(self, rp: str, count: int) -> dict[str, Any]:
        """As Chromium's virtual authenticator takes it."""
        pkcs8 = self._private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        return {
            "credentialId": b64encode(self.id).decode(),
            "isResidentCredential": True,
            "rpId": rp,
            "privateKey": b64encode(pkcs8).decode(),
            "userHandle": b64encode(self.name.encode()).decode(),
            "signCount": count,
        }

    def answer(
        self, challenge: str, origin: str, rp: str = "localhost", flags: int = 0x05, count: int = 900_000, **client: Any
    ) -> dict[str, str]:
        """An assertion as the page's form takes it. challenge: base64url. client: other members of clientDataJSON."""
        members = {"type": "webauthn.get", "challenge": challenge, "origin": origin, "crossOrigin": False} | client
        data = json.dumps(members, separators=(",", ":")).encode()
        told = sha256(rp.encode()).digest() + bytes([flags]) + count.to_bytes(4, "big")
        return {
            "credential": unpadded(self.id),
            "authenticator_data": unpadded(told),
            "client_data": unpadded(data),
            "signature": unpadded(self._private.sign(told + sha256(data).digest())),
        }
