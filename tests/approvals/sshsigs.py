"""SSHSIG blobs made by hand, with every part to be set wrong; and the real ssh-keygen, where it is installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PROVIDER = Path("/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so")
NAMESPACE = b"approval@agent-saga"
PLAIN, SK = b"ssh-ed25519", b"sk-ssh-ed25519@openssh.com"


def packed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def made(
    key: Ed25519PrivateKey,
    line: bytes,
    *,
    application: str = "",
    namespace: bytes = NAMESPACE,
    hash_name: str = "sha512",
    reserved: bytes = b"",
    flags: int = 0x05,
    counter: int = 7,
    version: int = 1,
    algorithm: bytes = b"",
    inner: bytes = b"",
    tail: bytes = b"",
    inner_tail: bytes = b"",
) -> bytes:
    """An SSHSIG over the line. application: of a security key, "" for a plain one. algorithm, inner: what key and
    signature call themselves. tail, inner_tail: bytes that should not be there.
    """
    raw = key.public_key().public_bytes_raw()
    word = algorithm or (SK if application else PLAIN)
    public = packed(word, raw, application.encode()) if application else packed(word, raw)
    hashed = hashlib.new(hash_name, line).digest()
    signed = b"SSHSIG" + packed(namespace, reserved, hash_name.encode(), hashed)
    if application:
        told = bytes([flags]) + counter.to_bytes(4, "big")
        over = hashlib.sha256(application.encode()).digest() + told + hashlib.sha256(signed).digest()
        signature = packed(inner or word, key.sign(over)) + told + inner_tail
    else:
        signature = packed(inner or word, key.sign(signed)) + inner_tail
    body = packed(public, namespace, reserved, hash_name.encode(), signature)
    return b"SSHSIG" + version.to_bytes(4, "big") + body + tail


def armored(blob: bytes) -> bytes:
    """As ssh-keygen writes it: 70 characters a line."""
    text = b64encode(blob)
    lines = [text[at : at + 70] for at in range(0, len(text), 70)]
    return b"-----BEGIN SSH SIGNATURE-----\n" + b"\n".join(lines) + b"\n-----END SSH SIGNATURE-----\n"


def public_line(key: Ed25519PrivateKey, application: str = "") -> str:
    """As in a .pub file."""
    raw, word = key.public_key().public_bytes_raw(), SK if application else PLAIN
    blob = packed(word, raw, application.encode()) if application else packed(word, raw)
    return f"{word.decode()} {b64encode(blob).decode()}"


def need(provider: bool = False) -> None:
    """Skip, with what to install, where the real programs are not."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("install openssh-client")
    if provider and not PROVIDER.exists():
        pytest.skip("install openssh-tests (Debian), which holds sk-dummy.so")


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return kept | {"SSH_SK_PROVIDER": str(PROVIDER), "LC_ALL": "C"} | more


def keygen(*arguments: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["ssh-keygen", *arguments], input=stdin, capture_output=True, env=environment(**more), timeout=60, check=False
    )


def said_good(folder: Path, public: str, blob: bytes, line: bytes) -> bool:
    """Whether `ssh-keygen -Y verify` accepts this signature in our namespace."""
    (folder / "signers").write_text(f"somebody {public}\n")
    (folder / "sig").write_bytes(armored(blob))
    names = ("-I", "somebody", "-n", NAMESPACE.decode(), "-s", str(folder / "sig"))
    return keygen("-Y", "verify", "-f", str(folder / "signers"), *names, stdin=line).returncode == 0
