"""Signed checkpoints over small files, made with nothing but hashlib and an Ed25519 key. Seeds are for tests only."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "log.example/acme"
LOG, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in (1, 9))
PIN_NAME = "checkpoints.pin"


def root(lines: list[bytes]) -> bytes:
    """The RFC 9162 root, as its section 2.1.1 defines it."""
    if not lines:
        return sha256().digest()
    if len(lines) == 1:
        return sha256(b"\0" + lines[0]).digest()
    left = 1 << (len(lines) - 1).bit_length() - 1
    return sha256(b"\1" + root(lines[:left]) + root(lines[left:])).digest()


def _public(key: Ed25519PrivateKey) -> bytes:
    return b"\1" + key.public_key().public_bytes_raw()


def _id(key: Ed25519PrivateKey, name: str) -> bytes:
    return sha256(name.encode() + b"\n" + _public(key)).digest()[:4]


def pin() -> bytes:
    """The pin file of all fixtures."""
    vkey = f"{ORIGIN}+{_id(LOG, ORIGIN).hex()}+{b64encode(_public(LOG)).decode()}"
    return f"agent-saga-pin-v1\norigin {ORIGIN}\nlog {vkey}\n".encode()


def note(lines: list[bytes], key: Ed25519PrivateKey = LOG, origin: str = ORIGIN, claimed: int | None = None) -> bytes:
    """A signed checkpoint over these lines; claimed: a size that it names instead of theirs."""
    size = len(lines) if claimed is None else claimed
    text = f"{origin}\n{size}\n{b64encode(root(lines)).decode()}\n"
    blob = b64encode(_id(key, origin) + key.sign(text.encode())).decode()
    return f"{text}\n— {origin} {blob}\n".encode()
