"""``sshsig`` and ``sshsig-sk``: what ``ssh-keygen -Y sign`` writes, taken apart and checked in full.

    "SSHSIG" || u32 1 || string publickey || string namespace || string reserved || string hash || string signature
    signed   = "SSHSIG" || string namespace || string reserved || string hash || string H(message)
    sk       : Ed25519 over SHA-256(application) || flags || u32 counter || SHA-256(signed)

``ssh-keygen -Y verify`` says Good for a security key that was not touched; here that is refused.

Source: OpenSSH PROTOCOL.sshsig and PROTOCOL.u2f; docs/spec/approval-v1.md, "sshsig".
"""

import hashlib
from typing import Final

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import MAX_SSHSIG
from agent_saga.approvals.schemes.evidence import Evidence, check_ed25519
from agent_saga.approvals.spelling import from_base64url

NAMESPACE: Final = "approval@agent-saga"
PLAIN: Final = b"ssh-ed25519"
SECURITY_KEY: Final = b"sk-ssh-ed25519@openssh.com"
_MAGIC: Final = b"SSHSIG"
_HASHES: Final = (b"sha256", b"sha512")
_UP, _UV, _BE, _BS = 0x01, 0x04, 0x08, 0x10


class SshProof(Struct, frozen=True, forbid_unknown_fields=True):
    """The scheme's own members. signature: the SSHSIG blob, base64url without its armor."""

    signature: str


class Reader:
    """Takes apart SSH's wire encoding: lengths before strings (RFC 4251, section 5). Raises NotApproved."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data, self._at, self._what = data, 0, what

    def take(self, size: int) -> bytes:
        """The next bytes."""
        found = self._data[self._at : self._at + size]
        if len(found) != size:
            raise NotApproved("bad-proof", f"{self._what} ends in the middle of a field")
        self._at += size
        return found

    def number(self) -> int:
        """The next u32."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """The next string."""
        return self.take(self.number())

    def end(self) -> None:
        """Nothing may follow."""
        if self._at != len(self._data):
            raise NotApproved("bad-proof", f"{self._what} has {len(self._data) - self._at} bytes too many")


def packed(*parts: bytes) -> bytes:
    """Strings in SSH's wire encoding."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def public_blob(public: bytes, application: str = "") -> bytes:
    """The public key as SSH writes it. application: of a security key, such as ``ssh:``; "" for a plain key."""
    return packed(SECURITY_KEY, public, application.encode()) if application else packed(PLAIN, public)


def check(proof: SshProof, public: bytes, message: bytes, application: str = "") -> Evidence:
    """Check an SSHSIG. application: of the enrolled security key, "" for a plain key.

    Raises NotApproved (``bad-proof``, ``other-key``, ``wrong-algorithm``, ``wrong-application``, ``wrong-namespace``,
    ``wrong-hash``, ``no-touch``, ``bad-flags``, ``bad-signature``).
    """
    blob = Reader(from_base64url(proof.signature, "the SSHSIG", most=MAX_SSHSIG), "the SSHSIG")
    if blob.take(len(_MAGIC)) != _MAGIC or blob.number() != 1:
        raise NotApproved("bad-proof", "no SSHSIG of version 1")
    key, namespace, reserved, hash_name, signature = (blob.string() for _ in range(5))
    blob.end()
    _check_key(key, public, application)
    if namespace != NAMESPACE.encode():
        raise NotApproved("wrong-namespace", f"the SSHSIG is in the namespace {namespace[:40]!r}: expected {NAMESPACE}")
    if hash_name not in _HASHES or reserved:
        raise NotApproved("wrong-hash", f"the SSHSIG uses {hash_name[:20]!r}: expected sha256 or sha512")
    hashed = hashlib.new(hash_name.decode(), message).digest()
    signed = _MAGIC + packed(namespace, reserved, hash_name, hashed)
    return _security_key(signature, public, signed, application) if application else _plain(signature, public, signed)


def _check_key(blob: bytes, public: bytes, application: str) -> None:
    """The blob is compared as a whole; it is taken apart only to say what differs."""
    if blob == public_blob(public, application):
        return
    found = Reader(blob, "the public key in the SSHSIG")
    due = SECURITY_KEY if application else PLAIN
    algorithm = found.string()
    if algorithm != due:
        raise NotApproved("wrong-algorithm", f"made with a key of {algorithm[:40]!r}: expected {due.decode()}")
    if found.string() == public and application:
        raise NotApproved("wrong-application", f"made for the application {found.string()[:40]!r}, not {application!r}")
    raise NotApproved("other-key", "the SSHSIG was made with another key than the one that is enrolled")


def _plain(signature: bytes, public: bytes, signed: bytes) -> Evidence:
    inner = Reader(signature, "the signature in the SSHSIG")
    algorithm, raw = inner.string(), inner.string()
    inner.end()
    if algorithm != PLAIN:
        raise NotApproved("wrong-algorithm", f"a signature of {algorithm[:40]!r}: expected {PLAIN.decode()}")
    check_ed25519(public, signed, raw)
    return Evidence()


def _security_key(signature: bytes, public: bytes, signed: bytes, application: str) -> Evidence:
    inner = Reader(signature, "the signature in the SSHSIG")
    algorithm, raw = inner.string(), inner.string()
    flags, counter = inner.take(1)[0], inner.number()
    inner.end()
    if algorithm != SECURITY_KEY:
        raise NotApproved("wrong-algorithm", f"a signature of {algorithm[:40]!r}: expected {SECURITY_KEY.decode()}")
    if flags & ~(_UP | _UV | _BE | _BS) or (flags & _BS and not flags & _BE):
        raise NotApproved(
            "bad-flags", f"the security key signed under the flags {flags:#04x}, which say what cannot be"
        )
    told = hashlib.sha256(application.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big")
    check_ed25519(public, told + hashlib.sha256(signed).digest(), raw)
    if not flags & _UP:
        raise NotApproved("no-touch", "the security key was not touched")
    return Evidence(True, bool(flags & _UV), counter, bool(flags & _BS))
