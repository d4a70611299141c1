"""Signing keys in files: Ed25519 in encrypted PKCS#8, readable by its owner alone, with one name and one purpose.

The PEM file begins with three lines for people and for us, which every PEM reader passes over::

    agent-saga key: log.example/acme
    purpose: log
    vkey: log.example/acme+b59a3d0c+AQlmKkhQ5...

PKCS#8 does not notice every damage: a file with a flipped bit can open as another key. So the key must be that of the
vkey.

Source: RFC 5958 (PKCS#8), RFC 7468 (text before the first boundary is ignored); docs/spec/log-v1.md, "Keys".
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from agent_saga.proofs.errors import KeyFault
from agent_saga.proofs.names import sound_name
from agent_saga.proofs.vkeys import COSIGNATURE, ED25519, VerifierKey, parse_vkey

PURPOSES: Final = {
    "log": ED25519,
    "witness": COSIGNATURE,
    "monitor": COSIGNATURE,
    "certificate": ED25519,
    "policy": ED25519,
    "approval": ED25519,
}
"""What a key may be for, and the type of its verifier key. One raw key has one purpose."""

SEED: Final = 32
_MAX_FILE: Final = 16_384


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key that was opened. It signs (:class:`agent_saga.proofs.notes.Signer`) and shows its public half."""

    name: str
    purpose: str
    _private: Ed25519PrivateKey

    @property
    def vkey(self) -> VerifierKey:
        """What verifies its signatures."""
        return VerifierKey(self.name, PURPOSES[self.purpose], self._private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """64 bytes over the message (RFC 8032)."""
        return self._private.sign(message)


def key_from_seed(name: str, purpose: str, seed: bytes) -> SigningKey:
    """A key from its 32 secret bytes (``os.urandom`` outside of tests). Raises KeyFault."""
    if not sound_name(name):
        raise KeyFault(f"{name[:80]!r} cannot name a key: expected 1-256 printing characters without spaces or +")
    if purpose not in PURPOSES:
        raise KeyFault(f"{purpose!r} is no purpose of a key: expected one of {', '.join(PURPOSES)}")
    return SigningKey(name, purpose, Ed25519PrivateKey.from_private_bytes(seed))


def save_key(key: SigningKey, path: Path, passphrase: bytes) -> None:
    """Write a new key file (mode 0600, durable). Raises KeyFault when it exists, or cannot be written."""
    if not passphrase:
        raise KeyFault("a key file needs a passphrase: it is all that stands between a copied file and your log")
    pem = key._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(passphrase))
    text = f"agent-saga key: {key.name}\npurpose: {key.purpose}\nvkey: {key.vkey}\n".encode() + pem
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as fault:
        raise KeyFault(f"{path}: exists; a key file is never written over: choose another name") from fault
    except OSError as fault:
        raise KeyFault(f"{path}: cannot be written: {fault.strerror}") from fault
    try:
        with open(handle, "wb") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        _sync_folder(path.parent)
    except OSError as fault:
        path.unlink(missing_ok=True)  # half a key file is worse than none
        raise KeyFault(f"{path}: cannot be written: {fault.strerror}") from fault


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file before it is opened: what it says of itself."""

    path: Path
    name: str
    purpose: str
    pem: bytes
    vkey: VerifierKey


def read_key(path: Path) -> KeyFile:
    """Read a key file without opening it. Raises KeyFault: unreadable, too widely readable, or none of ours."""
    try:
        # Nonblocking, so that a named pipe is told apart before anybody waits on it.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            status = os.fstat(stream.fileno())
            data = stream.read(_MAX_FILE + 1) if stat.S_ISREG(status.st_mode) else b""
    except (OSError, ValueError) as fault:
        raise KeyFault(f"{path}: the key cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        raise KeyFault(f"{path}: mode {mode:04o} lets others read the key: run chmod 600 on it, or make a new key")
    name, purpose = _said(data, b"agent-saga key: "), _said(data, b"purpose: ")
    if not sound_name(name) or purpose not in PURPOSES or b"-----BEGIN" not in data or len(data) > _MAX_FILE:
        raise KeyFault(f"{path}: is no key file of agent-saga: expected one that `agent-saga keys new` wrote")
    vkey = parse_vkey(_said(data, b"vkey: "))
    if (vkey.name, vkey.kind) != (name, PURPOSES[purpose]):
        raise KeyFault(f"{path}: the vkey is not one of {name} for {purpose}: the file was altered")
    return KeyFile(path, name, purpose, data[data.index(b"-----BEGIN") :], vkey)


def _said(data: bytes, label: bytes) -> str:
    for line in data.split(b"\n", 3)[:3]:
        if line.startswith(label):
            return line[len(label) :].decode("utf-8", "replace")
    return ""


def open_key(file: KeyFile, passphrase: bytes, purpose: str) -> SigningKey:
    """Open a key for one purpose. Raises KeyFault: wrong passphrase, another purpose, another kind of key."""
    if file.purpose != purpose:
        raise KeyFault(f"{file.path}: a key for {file.purpose}, not for {purpose}: one key serves one purpose")
    try:
        private = load_pem_private_key(file.pem, passphrase)
    except TypeError as fault:
        raise KeyFault(f"{file.path}: the key is not encrypted, or no passphrase was given") from fault
    except (ValueError, UnsupportedAlgorithm) as fault:
        raise KeyFault(f"{file.path}: the passphrase does not open it, or the file is damaged") from fault
    if not isinstance(private, Ed25519PrivateKey):
        raise KeyFault(f"{file.path}: holds no Ed25519 key")
    if private.public_key().public_bytes_raw() != file.vkey.raw:
        raise KeyFault(f"{file.path}: the key inside is not that of its vkey: the file is damaged or was altered")
    return SigningKey(file.name, file.purpose, private)
