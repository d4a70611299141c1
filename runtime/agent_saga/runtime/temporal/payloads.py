"""How payloads travel: as JSON, guarded by their size, and sealed with AES-256-GCM where there are keys.

Without keys the server sees goals, proofs and what activities failed with; with keys it sees references of ours in
clear nowhere but in ids, names and search attributes. The texts of failures and their stack traces are payloads too.

A sealed payload: metadata ``encoding`` is ``binary/agent-saga-sealed``, ``key`` is the id of its key; data are 12
random bytes, then the AES-GCM ciphertext of the inner payload (as protobuf) with the key's id as associated data.

Source: NIST SP 800-38D (GCM; 96-bit random nonces, so one key for at most 2^32 payloads).
"""

import base64
import binascii
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec

from agent_saga.runtime.temporal.errors import BadKeys, TooLarge

SEALED: Final = b"binary/agent-saga-sealed"
LARGEST: Final = 512 * 1024
"""Bytes of one payload: where a server begins to warn by default; it refuses 2 MiB. A line has at most 256 KiB."""
_NONCE: Final = 12
_KEY: Final = 32


@dataclass(frozen=True, repr=False)
class PayloadKeys:
    """The keys that payloads are sealed with. current: id of the one for new payloads. The others only open."""

    current: str
    keys: Mapping[str, bytes]

    def __post_init__(self) -> None:
        if self.current not in self.keys:
            raise BadKeys(f"the current payload key {self.current!r} is not among {', '.join(sorted(self.keys))}")
        for name, key in self.keys.items():
            if len(key) != _KEY or not 0 < len(name) <= 64:
                raise BadKeys(f"payload key {name[:64]!r} has {len(key)} bytes; expected {_KEY}, under an id of 1-64")

    def __repr__(self) -> str:
        return f"PayloadKeys({self.current!r}, {len(self.keys)} keys)"


def read_keys(path: str | Path) -> PayloadKeys:
    """The keys in a file: ``{"current": "2026-11", "keys": {"2026-11": "BASE64"}}``. Raises BadKeys."""
    expected = 'expected {"current": ID, "keys": {ID: 32 bytes as base64}}'
    try:
        found: Any = json.loads(Path(path).read_bytes())
        keys = {name: base64.b64decode(text, validate=True) for name, text in found["keys"].items()}
        return PayloadKeys(found["current"], keys)
    except OSError as fault:
        raise BadKeys(f"{path}: the payload keys cannot be read: {fault.strerror or fault}") from fault
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, binascii.Error):
        raise BadKeys(f"{path}: no file of payload keys; {expected}") from None


class Guard(PayloadCodec):
    """Lets payloads through that are not too large."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """The payloads as they are. Raises TooLarge."""
        for one in payloads:
            if one.ByteSize() > LARGEST:
                raise TooLarge(
                    f"a payload of {one.ByteSize()} bytes does not pass through Temporal; at most {LARGEST}: hand over "
                    "a reference to what is stored elsewhere"
                )
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """The payloads as they are. Raises BadKeys for sealed ones."""
        for one in payloads:
            if one.metadata.get("encoding") == SEALED:
                raise BadKeys(f"a payload is sealed with key {_key_id(one)!r}; start with the file of payload keys")
        return list(payloads)


class Sealing(Guard):
    """Seals payloads with the current key and opens those of any key that it has."""

    def __init__(self, keys: PayloadKeys, random: Callable[[int], bytes] = os.urandom) -> None:
        self._keys, self._random = keys, random
        self._ciphers = {name: AESGCM(key) for name, key in keys.keys.items()}

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """The payloads, sealed. Raises TooLarge."""
        return [self._sealed(one) for one in await super().encode(payloads)]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """The payloads, opened; what was never sealed stays as it is. Raises BadKeys."""
        return [self._opened(one) if one.metadata.get("encoding") == SEALED else one for one in payloads]

    def _sealed(self, payload: Payload) -> Payload:
        name, nonce = self._keys.current, self._random(_NONCE)
        text = self._ciphers[name].encrypt(nonce, payload.SerializeToString(), name.encode())
        return Payload(metadata={"encoding": SEALED, "key": name.encode()}, data=nonce + text)

    def _opened(self, payload: Payload) -> Payload:
        name = _key_id(payload)
        cipher = self._ciphers.get(name)
        if cipher is None:
            raise BadKeys(f"a payload is sealed with key {name!r}; the file of payload keys has none of this id")
        try:
            text = cipher.decrypt(payload.data[:_NONCE], payload.data[_NONCE:], name.encode())
        except (InvalidTag, ValueError) as fault:
            raise BadKeys(
                f"a payload does not open with key {name!r}: it was changed, or the key is another"
            ) from fault
        return Payload.FromString(text)


def _key_id(payload: Payload) -> str:
    return payload.metadata.get("key", b"").decode("utf-8", "replace")[:64]


def converter(keys: PayloadKeys | None = None) -> DataConverter:
    """How client and worker convert what they send. keys: None leaves payloads in clear."""
    return DataConverter(
        payload_codec=Guard() if keys is None else Sealing(keys),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )
