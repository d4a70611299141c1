"""The bytes of a bundle and the bundle as it was read: unverified. One bundle has one spelling.

Source: docs/spec/bundle-v1.md, "Form".
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec

from agent_saga.proofs.bundles.model import Claim
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import HASH
from agent_saga.proofs.limits import MAX_SIZE
from agent_saga.proofs.names import from_base64
from agent_saga.trace.limits import MAX_SAGA_ID

VERSION: Final = "agent-saga-bundle-v1"
MAX_BUNDLE: Final = 64 * 1024 * 1024
"""Bytes of a bundle: some 100,000 lines of a single saga. Bounds the memory of whoever is handed one."""

_Number = Annotated[int, msgspec.Meta(ge=0, le=MAX_SIZE)]
_SagaId = Annotated[str, msgspec.Meta(pattern=rf"^[A-Za-z0-9._:-]{{1,{MAX_SAGA_ID}}}\Z")]


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bundle as it was read: unverified. The members stand in the order of the document."""

    bundle: Literal["agent-saga-bundle-v1"]
    claim: Claim
    saga: _SagaId
    checkpoint: str
    lines: tuple[tuple[_Number, str], ...]
    anchors: tuple[tuple[_Number, _Number], ...]
    log: tuple[tuple[_Number, str], ...]
    proof: tuple[str, ...]
    entries: tuple[tuple[_Number, str, tuple[str, ...]], ...]
    disclosures: tuple[str, ...]


_decoder = msgspec.json.Decoder(Bundle)
_encoder = msgspec.json.Encoder()


def format_bundle(bundle: Bundle) -> bytes:
    """The one spelling of a bundle: compact JSON, members in order, LF at the end."""
    return _encoder.encode(bundle) + b"\n"


def parse_bundle(data: bytes) -> Bundle:
    """Read a bundle. Raises Refuted (``too-large``, ``bad-bundle``, ``bad-spelling``)."""
    if len(data) > MAX_BUNDLE:
        raise Refuted("too-large", f"a bundle of {len(data)} bytes: expected at most {MAX_BUNDLE}")
    try:
        bundle = _decoder.decode(data)
        spelled = format_bundle(bundle)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise Refuted("bad-bundle", f"no bundle of version {VERSION}: {str(fault)[:200]}") from fault
    if spelled != data:
        at = bisect_left(
            range(min(len(data), len(spelled))), True, key=lambda end: spelled[: end + 1] != data[: end + 1]
        )
        raise Refuted(
            "bad-spelling",
            f"not the one spelling of a bundle: it differs at byte {at} "
            "(compact JSON, members in order, one LF at the end)",
        )
    return bundle


def hashes(texts: Sequence[str], what: str, most: int) -> list[bytes]:
    """At most so many hashes out of base64. Raises Refuted (``bad-path``, ``bad-base64``) at the first bad one."""
    if len(texts) > most:
        raise Refuted("bad-path", f"{len(texts)} hashes: expected at most {most}")
    return [_hash(text, what) for text in texts]


def _hash(text: str, what: str) -> bytes:
    found = from_base64(text, what)
    if len(found) != HASH:
        raise Refuted("bad-path", f"{what} of {len(found)} bytes: expected {HASH}")
    return found
