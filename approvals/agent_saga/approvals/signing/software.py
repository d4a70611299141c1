"""Software keys: Ed25519 in an encrypted file of purpose ``approval``. For CI and tests; strength D.

Source: docs/spec/log-v1.md, "Keys"; docs/spec/approval-v1.md, "ed25519 and pkcs11".
"""

from typing import Any

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry.model import Key
from agent_saga.proofs.keys import SigningKey
from agent_saga.trace.base64url import unpadded


class SoftwareSigner:
    """Signs with a key that :func:`agent_saga.proofs.keys.open_key` opened for the purpose ``approval``."""

    def __init__(self, key: SigningKey) -> None:
        if key.purpose != "approval":
            raise SigningFault(f"key {key.name} is for {key.purpose}, not for approval: one key serves one purpose")
        self._key = key

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """Sign the message line. Raises SigningFault when another key is enrolled."""
        if key.scheme != "ed25519" or key.raw != self._key.vkey.raw:
            raise SigningFault(f"key {self._key.name} is not the one that is enrolled as {key.id}")
        return {"signature": unpadded(self._key.sign(line))}
