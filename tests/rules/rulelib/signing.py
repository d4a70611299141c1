"""Persons who sign in the fixtures, with keys from seeds that everybody knows. Nothing of the approvals part is used.

The digests and the message line are written down here once more, as docs/spec/approval-v1.md has them.
"""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .lines import salt, unpadded

REGISTRY_NAME = "registry.json"
WINDOW = {"not_before": "2026-01-01T00:00:00.000000Z", "not_after": "2027-01-01T00:00:00.000000Z"}
PEOPLE = {
    "p-ana": ["treasury", "decider", "registrar"],
    "p-ben": ["treasury", "decider", "registrar"],
    "p-dan": ["treasury", "decider"],
    "p-eve": ["break-glass"],
    "p-fay": [],
}
KEYS = {
    "ana-1": ("p-ana", "ed25519", {}),
    "ben-1": ("p-ben", "ed25519", {}),
    "ben-hsm": ("p-ben", "pkcs11", {}),
    "ben-sk": ("p-ben", "sshsig-sk", {"application": "ssh:", "counter": 3}),
    "ana-ssh": ("p-ana", "sshsig", {}),
    "ana-old": ("p-ana", "ed25519", {"not_after": "2026-01-05T08:00:00.000000Z"}),
    "dan-1": ("p-dan", "ed25519", {}),
    "eve-1": ("p-eve", "ed25519", {}),
    "fay-1": ("p-fay", "ed25519", {}),
}
STRANGER = "stranger"


def jcs(value: Any) -> bytes:
    """Canonical JSON; the names of the fixtures are ASCII, where the order of bytes is that of RFC 8785."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(domain: str, value: Any) -> bytes:
    """SHA-256 over the domain and the canonical value."""
    return sha256(f"agent-saga/{domain}/v1".encode() + b"\0" + jcs(value)).digest()


def private(key: str) -> Ed25519PrivateKey:
    """The key of this id."""
    return Ed25519PrivateKey.from_private_bytes(sha256(b"fixture " + key.encode()).digest())


def _public(key: str) -> bytes:
    return private(key).public_key().public_bytes_raw()


def registry() -> dict[str, Any]:
    """Who may approve in the fixtures. Dan owns the agent."""
    keys = [
        {"id": id, "person": person, "scheme": scheme, "public": unpadded(_public(id))} | WINDOW | more
        for id, (person, scheme, more) in KEYS.items()
    ]
    return {
        "v": 1,
        "version": 1,
        "changes": {"roles": ["registrar"], "quorum": 2, "strength": "D"},
        "people": [{"id": person, "roles": roles} if roles else {"id": person} for person, roles in PEOPLE.items()],
        "agents": [{"id": "buyer", "owner": "p-dan"}],
        "keys": keys,
    }


REGISTRY = registry()
REGISTRY_DIGEST = sha256(b"agent-saga/registry/v1\0" + jcs(REGISTRY)).hexdigest()
REGISTRY_FILE = json.dumps(REGISTRY, indent=1).encode() + b"\n"


def nonce(*parts: object) -> str:
    """128 bits that look random and come out the same each time."""
    return salt("nonce", *parts)


def proof(domain: str, value: dict[str, Any], *, by: str = "", counter: int = 9) -> dict[str, Any]:
    """The proof over a value by the key that it names. by: another key that signs in its place."""
    key_id = value["key_id"]
    scheme = KEYS[key_id][1] if key_id in KEYS else "ed25519"
    line = f"agent-saga-{domain}-v1 sha256:{digest(domain, value).hex()}".encode()
    signed = private(by or key_id)
    own = line if scheme in ("ed25519", "pkcs11") else b""
    signature = signed.sign(own) if own else _sshsig(signed, line, counter if scheme == "sshsig-sk" else None)
    return {"scheme": scheme, "key_id": key_id, "request": value, "signature": unpadded(signature)}


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _sshsig(key: Ed25519PrivateKey, message: bytes, counter: int | None) -> bytes:
    """OpenSSH PROTOCOL.sshsig and PROTOCOL.u2f; with a counter as a security key signs, touch and PIN given."""
    space, hashed = b"approval@agent-saga", sha256(message).digest()
    about = _string(space) + _string(b"") + _string(b"sha256")
    raw = key.public_key().public_bytes_raw()
    body = b"SSHSIG" + about + _string(hashed)
    if counter is None:
        name, public = b"ssh-ed25519", _string(b"ssh-ed25519") + _string(raw)
        inner = _string(name) + _string(key.sign(body))
    else:
        name = b"sk-ssh-ed25519@openssh.com"
        public = _string(name) + _string(raw) + _string(b"ssh:")
        tail = b"\x05" + struct.pack(">I", counter)
        inner = _string(name) + _string(key.sign(sha256(b"ssh:").digest() + tail + sha256(body).digest())) + tail
    return b"SSHSIG" + struct.pack(">I", 1) + _string(public) + about + _string(inner)
