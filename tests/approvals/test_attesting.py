"""Attestation of a FIDO2 key at enrolment: a maker's certificate under a root that was given, and nothing less."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from ctap_device import SoftwareKey
from fido2 import cbor
from fido2.client import UserInteraction
from makers import Attested, certificate, pem

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry import Party
from agent_saga.approvals.signing.attesting import verify_attestation
from agent_saga.approvals.signing.fido_key import FidoSigner
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

CHALLENGE = b"c" * 32
PARTY = Party("approve.example", ("https://approve.example",))


def made(device: Any = None) -> dict[str, Any]:
    """The members of a key, as its device made them."""
    return FidoSigner(device or SoftwareKey(b"seed"), PARTY, UserInteraction()).enroll("p-ana", CHALLENGE)


ROOT, ROOT_KEY = certificate("Root", authority=True)
LEAF, LEAF_KEY = certificate("Device", ("Root", ROOT_KEY))
OTHER, OTHER_KEY = certificate("Other", authority=True)


def verify(members: dict[str, Any], roots: bytes, challenge: bytes = CHALLENGE) -> str:
    return verify_attestation(members["attestation"], challenge, members["public"], roots)


def test_a_key_that_its_maker_attests_is_trusted_under_the_maker_s_root() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    assert "CN=Device" in verify(members, pem(OTHER, ROOT))


def test_a_chain_leads_to_the_root() -> None:
    middle, middle_key = certificate("Middle", ("Root", ROOT_KEY), authority=True)
    leaf, key = certificate("Device", ("Middle", middle_key))
    assert "CN=Device" in verify(made(Attested([leaf, middle], key)), pem(ROOT))


def refused(members: dict[str, Any], roots: bytes, challenge: bytes = CHALLENGE) -> str:
    with pytest.raises(SigningFault) as fault:
        verify(members, roots, challenge)
    return str(fault.value)


def test_a_key_that_attests_itself_proves_nothing() -> None:
    assert "attests itself" in refused(made(), pem(ROOT))


def test_another_root_trusts_nothing() -> None:
    assert "no trust root" in refused(made(Attested([LEAF], LEAF_KEY)), pem(OTHER))
    namesake, _ = certificate("Root", authority=True)
    assert "not by its issuer" in refused(made(Attested([LEAF], LEAF_KEY)), pem(namesake))


def test_a_device_s_certificate_issues_no_other() -> None:
    forged, key = certificate("Forged", ("Device", LEAF_KEY))
    assert "no authority" in refused(made(Attested([forged, LEAF], key)), pem(ROOT))


def test_a_signature_by_another_key_is_refused() -> None:
    assert "does not hold" in refused(made(Attested([LEAF], OTHER_KEY)), pem(ROOT))


def test_it_answers_this_challenge_about_this_key() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    assert "another challenge" in refused(members, pem(ROOT), b"d" * 32)
    other = made(SoftwareKey(b"other"))["public"]
    assert "another key" in refused(members | {"public": other}, pem(ROOT))


@pytest.mark.parametrize("kept", [{}, {"object": "AA", "client": "AA"}, {"object": 7, "client": []}, {"object": "!"}])
def test_what_is_no_attestation_is_refused(kept: dict[str, Any]) -> None:
    assert "cannot be read" in refused({"attestation": kept, "public": "AA"}, pem(ROOT))


def test_roots_are_certificates() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    for roots in (b"", b"no certificate"):
        assert "cannot be read" in refused(members, roots)


def test_an_attestation_that_was_kept_is_about_its_key_whatever_it_was_asked_with() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    kept, public = members["attestation"], members["public"]
    assert "CN=Device" in verify_attestation(kept, None, public, pem(ROOT))
    other = made(SoftwareKey(b"other"))["public"]
    for roots, key, words in ((OTHER, public, "no trust root"), (ROOT, other, "another key")):
        with pytest.raises(SigningFault, match=words):
            verify_attestation(kept, None, key, pem(roots))


def test_a_key_on_p256_is_attested_as_the_point_that_the_registry_holds() -> None:
    numbers = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
    cose = cbor.encode({1: 2, 3: -7, -1: 1, -2: x, -3: y})
    told = hashlib.sha256(b"approve.example").digest() + b"\x45" + bytes(4 + 16) + b"\0\2id" + cose
    client = json.dumps({"type": "webauthn.create", "challenge": unpadded(CHALLENGE)}).encode()
    signature = LEAF_KEY.sign(told + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
    statement = {"alg": -7, "sig": signature, "x5c": [LEAF.public_bytes(Encoding.DER)]}
    made = cbor.encode({"fmt": "packed", "attStmt": statement, "authData": told})
    kept = {"object": unpadded(made), "client": unpadded(client)}
    assert "CN=Device" in verify({"attestation": kept, "public": unpadded(b"\x04" + x + y)}, pem(ROOT))
    assert "another key" in refused({"attestation": kept, "public": unpadded(x)}, pem(ROOT))


def test_the_client_data_is_signed() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    told = json.loads(from_base64url(members["attestation"]["client"], "the client data"))
    told["origin"] = "https://other.example"
    changed = members["attestation"] | {"client": unpadded(json.dumps(told).encode())}
    assert "does not hold" in refused(members | {"attestation": changed}, pem(ROOT))
