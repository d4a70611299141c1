"""Attestation of a FIDO2 key at enrolment: a maker's certificate under a root that was given, and nothing less."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from ctap_device import SoftwareKey
from fido2 import cbor
from fido2.client import UserInteraction

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry import Party
from agent_saga.approvals.signing.attesting import verify_attestation
from agent_saga.approvals.signing.fido_key import FidoSigner
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

CHALLENGE = b"c" * 32
PARTY = Party("approve.example", ("https://approve.example",))
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def made(device: Any = None) -> dict[str, Any]:
    """The members of a key, as its device made them."""
    return FidoSigner(device or SoftwareKey(b"seed"), PARTY, UserInteraction()).enroll("p-ana", CHALLENGE)


def certificate(name: str, by: tuple[str, Any] | None = None, *, authority: bool = False) -> tuple[Any, Any]:
    """A certificate and its key. by: name and key of who issues it; itself by default."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(name)
    issuer, signer = (_name(by[0]), by[1]) if by else (subject, key)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(BEGIN).not_valid_after(BEGIN + timedelta(days=3650))
    builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    return builder.sign(signer, hashes.SHA256()), key


def _name(name: str) -> x509.Name:
    words = ((NameOID.COUNTRY_NAME, "XX"), (NameOID.ORGANIZATION_NAME, "Maker"), (NameOID.COMMON_NAME, name))
    unit = x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation")
    return x509.Name([*(x509.NameAttribute(oid, text) for oid, text in words), unit])


class Attested(SoftwareKey):
    """A device whose keys its maker attests (packed, with x5c)."""

    def __init__(self, chain: list[Any], key: Any) -> None:
        super().__init__(b"seed")
        self._chain, self._maker = chain, key

    def _make(self, given: dict[int, Any]) -> bytes:
        answer = cbor.decode(super()._make(given)[1:])
        signature = self._maker.sign(answer[2] + given[1], ec.ECDSA(hashes.SHA256()))
        chain = [one.public_bytes(Encoding.DER) for one in self._chain]
        return b"\0" + cbor.encode(answer | {3: {"alg": -7, "sig": signature, "x5c": chain}})


def pem(*certificates: Any) -> bytes:
    return b"".join(one.public_bytes(Encoding.PEM) for one in certificates)


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


def test_the_client_data_is_signed() -> None:
    members = made(Attested([LEAF], LEAF_KEY))
    told = json.loads(from_base64url(members["attestation"]["client"], "the client data"))
    told["origin"] = "https://other.example"
    changed = members["attestation"] | {"client": unpadded(json.dumps(told).encode())}
    assert "does not hold" in refused(members | {"attestation": changed}, pem(ROOT))
