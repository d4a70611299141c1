"""People who sign policies and waivers in the tests, with keys from seeds that everybody knows."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_saga.approvals.registry import Key, Registry, parse_registry
from agent_saga.trace.base64url import unpadded

NOW = "2026-11-30T07:00:00.000000Z"
BEFORE, AFTER = "2026-01-01T00:00:00.000000Z", "2027-01-01T00:00:00.000000Z"


def private(id: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(b"policies " + id.encode()).digest())


def key(id: str, person: str, **more: Any) -> dict[str, Any]:
    public = unpadded(private(id).public_key().public_bytes_raw())
    return {
        "id": id,
        "person": person,
        "scheme": "ed25519",
        "public": public,
        "not_before": BEFORE,
        "not_after": AFTER,
    } | more


def registry(**changed: Any) -> dict[str, Any]:
    """Ana and Ben may change what is in force, Cyd approves, Dan does neither."""
    return {
        "v": 1,
        "version": 1,
        "people": [
            {"id": "p-ana", "roles": ["registrar", "treasury"]},
            {"id": "p-ben", "roles": ["registrar", "treasury", "risk"]},
            {"id": "p-cyd", "roles": ["approver"]},
            {"id": "p-dan", "roles": ["clerk"]},
        ],
        "agents": [{"id": "buyer", "owner": "p-dan"}],
        "keys": [
            key("ana-1", "p-ana"),
            key("ben-1", "p-ben"),
            key("cyd-1", "p-cyd"),
            key("dan-1", "p-dan"),
            key("cyd-old", "p-cyd", not_after="2026-06-01T00:00:00.000000Z"),
        ],
        "changes": {"roles": ["registrar"], "quorum": 1, "strength": "D"},
    } | changed


def parsed(**changed: Any) -> Registry:
    return parse_registry(registry(**changed))


class Seed:
    """Signs with the key of a seed, as a software key does."""

    def __init__(self, id: str) -> None:
        self._key = private(id)

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        return {"signature": unpadded(self._key.sign(line))}
