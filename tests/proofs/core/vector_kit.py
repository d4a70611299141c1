"""What the makers of vectors share: keys from named seeds, notes written by hand, one spelling of hashes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Vector = dict[str, Any]
Named = tuple[str, Vector]

ORIGIN = "log.example/acme"
OTHER = "log.example/other"
WITNESS = "witness.example/one"
OK = {"ok": True}

# Test keys: 32 times one byte. Nobody may use them for anything else.
LOG_SEED, WITNESS_SEED, STRANGER_SEED, SECOND_SEED = (bytes([n]) * 32 for n in (1, 2, 3, 4))
SEEDS = {"log": LOG_SEED.hex(), "witness": WITNESS_SEED.hex(), "stranger": STRANGER_SEED.hex()}


def b64(data: bytes) -> str:
    """Standard base64."""
    return b64encode(data).decode()


def hashes(found: Sequence[bytes]) -> list[str]:
    """Hashes as they stand in vectors."""
    return [b64(one) for one in found]


def public(seed: bytes) -> bytes:
    """The 32 bytes of the public key."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def key_id(name: str, kind: int, raw: bytes) -> bytes:
    """The four bytes that commit to name, type and key."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + raw).digest()[:4]


def vkey(name: str, seed: bytes, kind: int = 1) -> str:
    """The verifier key of a seed."""
    return vkey_of(name, kind, public(seed))


def vkey_of(name: str, kind: int, raw: bytes) -> str:
    """The verifier key of a public key."""
    return f"{name}+{key_id(name, kind, raw).hex()}+{b64(bytes([kind]) + raw)}"


def signature(text: str, seed: bytes) -> bytes:
    """Ed25519 over a text."""
    return Ed25519PrivateKey.from_private_bytes(seed).sign(text.encode())


def line(name: str, ident: bytes, blob: bytes) -> str:
    """A signature line."""
    return f"— {name} {b64(ident + blob)}\n"


def signed_line(text: str, name: str = ORIGIN, seed: bytes = LOG_SEED) -> str:
    """The line of a log's signature."""
    return line(name, key_id(name, 1, public(seed)), signature(text, seed))


def cosigned_line(text: str, at: int, name: str = WITNESS, seed: bytes = WITNESS_SEED) -> str:
    """The line of a witness's signature."""
    blob = at.to_bytes(8, "big") + signature(f"cosignature/v1\ntime {at}\n{text}", seed)
    return line(name, key_id(name, 4, public(seed)), blob)


def note(text: str, *lines: str) -> str:
    """A signed note; by the log when no line is given."""
    return f"{text}\n{''.join(lines) or signed_line(text)}"


def checkpoint(size: int | str, root: bytes, origin: str = ORIGIN) -> str:
    """The text of a checkpoint."""
    return f"{origin}\n{size}\n{b64(root)}\n"


def entries(count: int) -> list[bytes]:
    """Entries of a log: `entry 0`, `entry 1` and so on."""
    return [f"entry {at}".encode() for at in range(count)]


def reason(word: str) -> Vector:
    """What is expected of a bad vector."""
    return {"reason": word}


def labelled(made: Iterator[tuple[str, str, Vector]], **more: Any) -> Iterator[Named]:
    """Turns (name, description, rest) into named vectors, the description first."""
    for name, description, rest in made:
        yield name, {"description": description, **more, **rest}
