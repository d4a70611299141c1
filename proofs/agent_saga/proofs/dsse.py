"""DSSE envelopes: a payload, its type, and one signature over both. Ours hold in-toto statements and nothing else.

    {"payload":"eyJfdHlwZSI6...","payloadType":"application/vnd.in-toto+json","signatures":[{"keyid":"...","sig":"..."}]}

    signed = "DSSEv1" SP LEN(type) SP type SP LEN(payload) SP payload      (PAE; lengths in decimal, of bytes)

An envelope has one spelling. What is signed begins with the type, so no payload can be passed off as one of another
type. The keyid is a hint for people: whose signature it is, only the pinned keys tell.

Source: DSSE v1.0.2, protocol.md and envelope.md; docs/spec/certificate-v1.md, "Envelope".
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.names import from_base64, to_base64
from agent_saga.proofs.notes import Signer
from agent_saga.proofs.vkeys import ED25519, VerifierKey

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
MAX_ENVELOPE: Final = 16 << 20
"""Bytes of an envelope: a statement that lists tens of thousands of waivers. Bounds a verifier's memory."""
_MAX_KEYID: Final = 1_024


class _Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    keyid: str
    sig: str


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An envelope as it was read: unverified. The members stand in the order of the document."""

    payload: str
    payloadType: str
    signatures: tuple[_Signature, ...]


_decoder = msgspec.json.Decoder(_Envelope)


def pae(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed (DSSE's pre-authentication encoding)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def keyid(key: VerifierKey) -> str:
    """What an envelope of ours calls a key: ``NAME+ID``, the beginning of its verifier key."""
    return f"{key.name}+{key.id.hex()}"


def seal(payload: bytes, key: VerifierKey, signer: Signer) -> bytes:
    """The envelope of a payload. Same input, same bytes. Raises KeyFault for a witness's key."""
    if key.kind != ED25519:
        raise KeyFault(f"the key of {key.name} makes witness cosignatures: it cannot sign a certificate")
    sig = to_base64(signer.sign(pae(PAYLOAD_TYPE, payload)))
    return _spelled(_Envelope(to_base64(payload), PAYLOAD_TYPE, (_Signature(keyid(key), sig),)))


def open_envelope(data: bytes, keys: Sequence[VerifierKey]) -> tuple[bytes, VerifierKey]:
    """The payload that one of these keys signed, and which of them.

    keys: those pinned for certificates. Raises Refuted (``too-large``, ``bad-envelope``, ``bad-spelling``,
    ``wrong-payload-type``, ``not-one-signature``, ``bad-base64``, ``bad-signature``).
    """
    envelope = _parsed(data)
    if envelope.payloadType != PAYLOAD_TYPE:
        raise Refuted("wrong-payload-type", f"a payload of type {envelope.payloadType!r:.80}: expected {PAYLOAD_TYPE}")
    if len(envelope.signatures) != 1:
        raise Refuted("not-one-signature", f"{len(envelope.signatures)} signatures: expected exactly one")
    payload = from_base64(envelope.payload, "the payload")
    signature = from_base64(envelope.signatures[0].sig, "the signature")
    message = pae(PAYLOAD_TYPE, payload)
    for key in keys:
        if key.kind == ED25519 and key.signed(message, signature):
            return payload, key
    known = ", ".join(keyid(key) for key in keys) or "none"
    said = envelope.signatures[0].keyid
    raise Refuted("bad-signature", f"not signed by a pinned certificate key ({known}); it names {said!r:.120}")


def _parsed(data: bytes) -> _Envelope:
    if len(data) > MAX_ENVELOPE:
        raise Refuted("too-large", f"an envelope of {len(data)} bytes: expected at most {MAX_ENVELOPE}")
    try:
        envelope = _decoder.decode(data)
        spelled = _spelled(envelope)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise Refuted("bad-envelope", f"no DSSE envelope: {str(fault)[:200]}") from fault
    if any(len(one.keyid) > _MAX_KEYID for one in envelope.signatures):
        raise Refuted("bad-envelope", f"a keyid of more than {_MAX_KEYID} characters")
    if spelled != data:
        raise Refuted(
            "bad-spelling",
            "not the one spelling of an envelope: compact JSON, payload, payloadType and signatures in this order, "
            "each once, one LF at the end",
        )
    return envelope


def _spelled(envelope: _Envelope) -> bytes:
    return msgspec.json.encode(envelope) + b"\n"
