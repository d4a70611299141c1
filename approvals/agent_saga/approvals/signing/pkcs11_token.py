"""Keys in PKCS#11 tokens: YubiHSM, YubiKey PIV, SoftHSM. Needs the extra ``hardware``.

The module is named by a fixed absolute path: one that is looked up could be anybody's. The key is Ed25519
(``CKK_EC_EDWARDS``, OID 1.3.101.112); tokens differ in how they wrap its point, and its 32 bytes stand last.

Source: PKCS#11 3.0, 2.3.5 and 2.3.13; RFC 8410; docs/spec/approval-v1.md, "ed25519 and pkcs11".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry.model import Key
from agent_saga.approvals.signing.extra import load
from agent_saga.trace.base64url import unpadded

_RAW: Final = 32


class Pkcs11Signer:
    """Signs with one key of one token. module: absolute path of the token's library. label: of the key."""

    def __init__(self, module: Path, token: str, label: str, pin: str) -> None:
        if not module.is_absolute():
            raise SigningFault(f"{module}: name the PKCS#11 module by its absolute path")
        self._module, self._token, self._label, self._pin = module, token, label, pin

    def public(self) -> bytes:
        """The 32 bytes of the public key, for enrolment. Raises SigningFault."""
        pkcs11 = load("pkcs11")
        with self._session() as session:
            found = session.get_key(object_class=pkcs11.ObjectClass.PUBLIC_KEY, label=self._label)
            return self._raw(bytes(found[pkcs11.Attribute.EC_POINT]))

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """Sign the message line. Raises SigningFault: no token, no key, wrong PIN, another kind of key."""
        if key.scheme != "pkcs11":
            raise SigningFault(f"key {key.id} is enrolled as {key.scheme}: a PKCS#11 token does not sign for it")
        pkcs11 = load("pkcs11")
        with self._session() as session:
            found = session.get_key(object_class=pkcs11.ObjectClass.PRIVATE_KEY, label=self._label)
            return {"signature": unpadded(found.sign(line, mechanism=pkcs11.Mechanism.EDDSA))}

    @contextmanager
    def _session(self) -> Iterator[Any]:
        pkcs11 = load("pkcs11")
        try:
            token = pkcs11.lib(str(self._module)).get_token(token_label=self._token)
            with token.open(user_pin=self._pin) as session:
                yield session
        except (pkcs11.PKCS11Error, RuntimeError, OSError) as fault:
            words = str(fault) or type(fault).__name__
            raise SigningFault(f"token {self._token!r}, key {self._label!r}: {words}") from fault

    def _raw(self, point: bytes) -> bytes:
        """Bare, in an OCTET STRING (04 20), or in a BIT STRING (03 21 00)."""
        if point[:-_RAW] not in (b"", b"\x04\x20", b"\x03\x21\x00"):
            raise SigningFault(f"key {self._label!r} of token {self._token!r} is no Ed25519 key")
        return point[-_RAW:]
