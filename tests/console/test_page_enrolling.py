"""A new passkey becomes an entry only if everything about it holds; no bytes make a traceback."""

from __future__ import annotations

import contextlib
import json
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from hypothesis import given, settings
from hypothesis import strategies as st
from page_site import registry
from soft_passkey import SoftPasskey

from agent_saga.approvals.registry import Registry, parse_registry
from agent_saga.approvals.spelling import from_base64url
from agent_saga.console.cbor import read_map
from agent_saga.console.enrolling import Made, entry_of
from agent_saga.console.errors import Refused
from agent_saga.trace.base64url import unpadded

ORIGIN, CHALLENGE = "http://localhost:8440", sha256(b"challenge").digest()
NEW = SoftPasskey("new")
PUBLIC = from_base64url(NEW.entry("p-ana")["public"], "the key")
ED25519 = {1: 1, 3: -8, -1: 6, -2: PUBLIC}
POINT = ec.derive_private_key(7, ec.SECP256R1()).public_key().public_numbers()
P256 = {1: 2, 3: -7, -1: 1, -2: POINT.x.to_bytes(32, "big"), -3: POINT.y.to_bytes(32, "big")}
FROM, UNTIL = "2026-11-30T00:00:00.000000Z", "2027-11-30T00:00:00.000000Z"


def told(
    rp: str = "localhost", flags: int = 0x45, cose: Any = ED25519, rest: bytes = b"", size: int = 32, id: bytes = NEW.id
) -> bytes:
    """authenticatorData of a new passkey."""
    head = sha256(rp.encode()).digest() + bytes([flags]) + (9).to_bytes(4, "big") + bytes(16)
    return head + size.to_bytes(2, "big") + id + cbor.encode(cose) + rest


def client(**changed: Any) -> str:
    members = {"type": "webauthn.create", "challenge": unpadded(CHALLENGE), "origin": ORIGIN, "crossOrigin": False}
    return unpadded(json.dumps(members | changed).encode())


def made(auth: bytes | None = None, whole: bytes | None = None, person: str = "p-ana", **changed: Any) -> Made:
    found = cbor.encode({"fmt": "none", "attStmt": {}, "authData": told() if auth is None else auth})
    return Made(person, client(**changed), unpadded(found if whole is None else whole))


def allowed(*algorithms: int, keys: tuple[dict[str, Any], ...] = ()) -> Registry:
    return parse_registry(registry(ORIGIN, *keys, algorithms=list(algorithms or (-8,))))


def entry(one: Made, among: Registry) -> dict[str, Any]:
    return entry_of(one, CHALLENGE, among, FROM, UNTIL)


def test_a_good_one_becomes_an_entry_that_the_registry_takes_as_it_is() -> None:
    found = entry(made(), allowed())
    assert (found["person"], found["public"], found["counter"]) == ("p-ana", unpadded(PUBLIC), 9)
    assert found["credential"] == unpadded(NEW.id)
    assert found["verify"] is True
    assert "attested" not in found
    assert parse_registry(registry(ORIGIN, found)).key[found["id"]].raw == PUBLIC


def test_extensions_may_follow_and_a_person_may_be_new() -> None:
    extended = made(told(flags=0xC5, rest=cbor.encode({"credProtect": 2})), person="p-new")
    assert entry(extended, allowed())["person"] == "p-new"


def test_a_key_on_p256_is_taken_only_where_the_registry_allows_it() -> None:
    assert entry(made(told(cose=P256)), allowed(-8, -7))["algorithm"] == -7
    with pytest.raises(Refused, match="allows -8") as refused:
        entry(made(told(cose=P256)), allowed())
    assert refused.value.reason == "bad-entry"


BAD = {
    "other challenge": (made(challenge="A" * 43), "wrong-challenge"),
    "other origin": (made(origin="http://localhost:8441"), "wrong-origin"),
    "in a frame": (made(crossOrigin=True), "cross-origin"),
    "under another page": (made(topOrigin="https://x.example"), "cross-origin"),
    "an assertion": (made(type="webauthn.get"), "bad-answer"),
    "other rp": (made(told(rp="example.org")), "wrong-rp"),
    "no touch": (made(told(flags=0x44)), "no-touch"),
    "no PIN": (made(told(flags=0x41)), "no-verification"),
    "no passkey in it": (made(told(flags=0x05)), "bad-flags"),
    "backed up without a way": (made(told(flags=0x55)), "bad-flags"),
    "another curve": (made(told(cose=ED25519 | {-1: 5})), "wrong-algorithm"),
    "another algorithm": (made(told(cose=ED25519 | {3: -257})), "wrong-algorithm"),
    "a short key": (made(told(cose=ED25519 | {-2: bytes(31)})), "wrong-algorithm"),
    "a weak key": (made(told(cose=ED25519 | {-2: bytes([1]) + bytes(31)})), "bad-entry"),
    "no point": (made(told(cose=P256 | {-3: bytes(32)})), "bad-entry"),
    "bytes after": (made(told(rest=b"\0")), "bad-attestation"),
    "extensions that are not told": (made(told(rest=cbor.encode({"a": 1}))), "bad-attestation"),
    "no credential id": (made(told(size=0)), "bad-attestation"),
    "a credential id too long": (made(told(size=2_000)), "bad-attestation"),
    "cut off": (made(told()[:60]), "bad-attestation"),
    "bytes after the object": (made(whole=cbor.encode({"fmt": "none"}) + b"\0"), "bad-attestation"),
    "another member": (
        made(whole=cbor.encode({"fmt": "x", "attStmt": {}, "authData": told(), "z": 1})),
        "bad-attestation",
    ),
    "a list": (made(whole=cbor.encode([1])), "bad-attestation"),
    "nothing": (made(whole=b""), "bad-attestation"),
    "an id that is none": (made(person="ana <b>"), "bad-entry"),
    "no person": (made(person=""), "bad-entry"),
}


@pytest.mark.parametrize("one, reason", BAD.values(), ids=BAD)
def test_one_thing_wrong_makes_no_entry(one: Made, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        entry(one, allowed(-8, -7))
    assert refused.value.reason == reason


def test_a_passkey_that_somebody_has_already_is_refused() -> None:
    with pytest.raises(Refused, match=r"one raw key|stands twice") as refused:
        entry(made(), allowed(keys=(NEW.entry("p-ben"),)))
    assert refused.value.reason == "bad-entry"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_map_or_refused(data: bytes) -> None:
    with contextlib.suppress(Refused):
        assert read_map(data)[1] <= len(data)


@settings(max_examples=200)
@given(st.data())
def test_a_changed_byte_makes_another_entry_or_none(data: st.DataObject) -> None:
    whole = bytearray(cbor.encode({"fmt": "none", "attStmt": {}, "authData": told()}))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    good = entry(made(), allowed(-8, -7))
    with contextlib.suppress(Refused):
        assert entry(made(whole=bytes(whole)), allowed(-8, -7)) != good
