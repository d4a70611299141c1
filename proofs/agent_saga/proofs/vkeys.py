"""Verifier keys: a name and an Ed25519 public key in one word, as C2SP notes name them.

    log.example/acme+b59a3d0c+AQlmKkhQ5...      NAME+KEYID+base64(TYPE || KEY)

The key id commits to name, type and key. TYPE is 0x01 for a log (and whoever else signs a text), 0x04 for a witness,
whose signatures carry a time. One raw key serves one name and one purpose.

Source: C2SP signed-note, "Ed25519 signatures" and "Verifier keys"; C2SP tlog-cosignature; RFC 8032, 5.1.3 and 5.1.7.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.names import from_base64, sound_name, to_base64

ED25519: Final = 0x01
COSIGNATURE: Final = 0x04
_KINDS: Final = {ED25519: "Ed25519", COSIGNATURE: "witness cosignature"}
_KEY: Final = 32
_ID: Final = 4
_PRIME: Final = 2**255 - 19
_SMALL_ORDER: Final = {
    0,
    1,
    _PRIME - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
}
"""The y of the curve points of order 1, 2, 4 and 8: under such a key one signature may fit any text."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """Whose signature to accept. kind: :data:`ED25519` or :data:`COSIGNATURE`. raw: the 32 bytes of the public key."""

    name: str
    kind: int
    raw: bytes

    @property
    def id(self) -> bytes:
        """The first four bytes of SHA-256(name || LF || type || key): a hint, never a proof."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.raw).digest()[:_ID]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{to_base64(bytes([self.kind]) + self.raw)}"

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made this signature over these bytes (RFC 8032)."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


def parse_vkey(text: str) -> VerifierKey:
    """Read a verifier key in its one spelling. Raises KeyFault, which says what is wrong with it."""
    name, _, rest = text.partition("+")
    id_text, _, encoded = rest.partition("+")
    if not (sound_name(name) and id_text and encoded):
        raise KeyFault(
            f"{text[:80]!r} is no verifier key: expected NAME+KEYID+BASE64, such as `agent-saga keys show` prints"
        )
    try:
        data = from_base64(encoded, "its key")
    except Refuted as fault:
        raise KeyFault(f"the verifier key of {name}: {fault}") from fault
    if len(data) != 1 + _KEY or data[0] not in _KINDS:
        known = " or ".join(f"{kind:#04x} ({what})" for kind, what in _KINDS.items())
        raise KeyFault(f"the verifier key of {name} has {len(data)} bytes: expected type {known} and 32 bytes of key")
    key = VerifierKey(name, data[0], data[1:])
    if weak(key.raw):
        raise KeyFault(f"the verifier key of {name} is weak: anybody can sign under it, so its owner can deny anything")
    if key.id.hex() != id_text:
        raise KeyFault(f"the verifier key of {name} says id {id_text[:16]}, its key has {key.id.hex()}: it was altered")
    return key


def weak(raw: bytes) -> bool:
    """Whether verifiers may differ over it, or it proves nothing: y not below the prime, or a point of small order."""
    y = int.from_bytes(raw, "little") & (1 << 255) - 1
    return y >= _PRIME or y in _SMALL_ORDER
