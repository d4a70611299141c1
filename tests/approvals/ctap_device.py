"""A FIDO2 security key in software: CTAP2 as far as making an Ed25519 key and signing with it (CTAP 2.1, 6.1 and 6.2).

It verifies its user by itself, as one with a fingerprint reader does. What it gets wrong can be set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fido2 import cbor
from fido2.ctap import CtapDevice
from fido2.hid import CAPABILITY

MAKE, GET, INFO = 0x01, 0x02, 0x04
NOT_ALLOWED, NO_CREDENTIALS, UNSUPPORTED = b"\x30", b"\x2e", b"\x26"


class SoftwareKey(CtapDevice):
    """seed: of its Ed25519 keys. flags: what its assertions say, UP and UV unless set otherwise."""

    def __init__(self, seed: bytes, flags: int = 0x05) -> None:
        self._seed, self.flags, self.counter, self.absent = seed, flags, 0, False
        self._keys: dict[bytes, Ed25519PrivateKey] = {}

    @property
    def capabilities(self) -> int:
        return int(CAPABILITY.CBOR)

    @classmethod
    def list_devices(cls) -> Iterator[CtapDevice]:
        return iter(())

    def call(
        self,
        cmd: int,
        data: bytes = b"",
        event: Event | None = None,
        on_keepalive: Callable[[Any], None] | None = None,
    ) -> bytes:
        """One CTAPHID_CBOR exchange: a command byte and a map; a status byte and a map."""
        command, given = data[0], cbor.decode(data[1:]) if data[1:] else {}
        if command == INFO:
            return b"\0" + cbor.encode(
                {1: ["FIDO_2_0"], 3: b"\0" * 16, 4: {"rk": False, "up": True, "uv": True}, 6: [2]}
            )
        if self.absent:
            return NOT_ALLOWED
        return self._make(given) if command == MAKE else self._get(given) if command == GET else NOT_ALLOWED

    def _told(self, rp: str, flags: int) -> bytes:
        self.counter += 1
        return hashlib.sha256(rp.encode()).digest() + bytes([flags]) + self.counter.to_bytes(4, "big")

    def _make(self, given: dict[int, Any]) -> bytes:
        if {"type": "public-key", "alg": -8} not in given[4]:
            return UNSUPPORTED
        id = hashlib.sha256(self._seed + given[2]["id"].encode()).digest()
        key = self._keys[id] = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"key " + id).digest())
        cose = cbor.encode({1: 1, 3: -8, -1: 6, -2: key.public_key().public_bytes_raw()})
        told = self._told(given[2]["id"], self.flags | 0x40) + b"\0" * 16 + len(id).to_bytes(2, "big") + id + cose
        statement = {"alg": -8, "sig": key.sign(told + given[1])}
        return b"\0" + cbor.encode({1: "packed", 2: told, 3: statement})

    def _get(self, given: dict[int, Any]) -> bytes:
        known = [one["id"] for one in given.get(3, []) if one["id"] in self._keys]
        if not known:
            return NO_CREDENTIALS
        if given.get(5, {}).get("up") is False:  # the client only asks which of its keys this device knows
            told = hashlib.sha256(given[1].encode()).digest() + b"\0" + self.counter.to_bytes(4, "big")
        else:
            told = self._told(given[1], self.flags)
        credential = {"id": known[0], "type": "public-key"}
        return b"\0" + cbor.encode({1: credential, 2: told, 3: self._keys[known[0]].sign(told + given[2])})
