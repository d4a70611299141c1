"""Attestation of a security key over ssh: a maker's certificate over this key, this application and this challenge."""

from __future__ import annotations

import hashlib
from typing import Any

import people
import pytest
import sshsigs
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from fido2 import cbor
from makers import certificate, pem

from agent_saga.approvals.digests import APPROVAL, digest, message
from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.registry import parse_registry
from agent_saga.approvals.signing.attesting import verify_attestation
from agent_saga.approvals.signing.openssh import read_public
from agent_saga.trace.base64url import unpadded

CHALLENGE, APPLICATION = b"as ssh-keygen -O challenge takes it", "ssh:pay"
KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
ROOT, ROOT_KEY = certificate("Root", authority=True)
LEAF, LEAF_KEY = certificate("Device", ("Root", ROOT_KEY))
MIDDLE, MIDDLE_KEY = certificate("Middle", ("Root", ROOT_KEY), authority=True)
DEEP, DEEP_KEY = certificate("Device", ("Middle", MIDDLE_KEY))
OTHER, OTHER_KEY = certificate("Other", authority=True)


def told_of(key: Ed25519PrivateKey, application: str = APPLICATION) -> bytes:
    """Authenticator data with an attested credential (W3C Web Authentication Level 3, 6.1): UP, UV and AT."""
    cose = cbor.encode({1: 1, 3: -8, -1: 6, -2: key.public_key().public_bytes_raw()})
    return hashlib.sha256(application.encode()).digest() + b"\x45" + bytes(4 + 16) + b"\0\2id" + cose


def file(data: bytes, leaf: Any = LEAF, by: Any = LEAF_KEY, **changed: bytes) -> bytes:
    """What ssh-keygen -O write-attestation writes (OpenSSH PROTOCOL.u2f)."""
    signature = by.sign(data + hashlib.sha256(CHALLENGE).digest(), ec.ECDSA(hashes.SHA256()))
    parts = {
        "form": b"ssh-sk-attest-v01",
        "certificate": leaf.public_bytes(Encoding.DER),
        "signature": signature,
        "told": cbor.encode(data),
    } | {name: value for name, value in changed.items() if name != "tail"}
    return sshsigs.packed(*parts.values()) + bytes(4) + sshsigs.packed(b"") + changed.get("tail", b"")


def kept(blob: bytes = b"", challenge: bytes = CHALLENGE) -> dict[str, str]:
    return {"ssh": unpadded(blob or file(told_of(KEY))), "challenge": unpadded(challenge)}


def verify(found: dict[str, str], roots: bytes = pem(ROOT), key: Ed25519PrivateKey = KEY) -> str:
    public = unpadded(key.public_key().public_bytes_raw())
    return verify_attestation(found, None, public, roots, APPLICATION)


def refused(found: dict[str, str], roots: bytes = pem(ROOT), key: Ed25519PrivateKey = KEY) -> str:
    with pytest.raises(SigningFault) as fault:
        verify(found, roots, key)
    return str(fault.value)


def test_a_key_that_its_maker_attests_is_trusted_under_the_maker_s_root() -> None:
    assert "CN=Device" in verify(kept(), pem(OTHER, ROOT))


def test_an_intermediate_certificate_stands_among_the_roots_since_the_file_holds_only_the_device_s() -> None:
    found = kept(file(told_of(KEY), DEEP, DEEP_KEY))
    assert "CN=Device" in verify(found, pem(MIDDLE))
    assert "no trust root" in refused(found)


@pytest.mark.parametrize(
    "found, words",
    [
        pytest.param(kept(challenge=b"another"), "does not hold", id="another-challenge"),
        pytest.param(kept(file(told_of(KEY), LEAF, OTHER_KEY)), "does not hold", id="signed-by-another"),
        pytest.param(kept(file(told_of(KEY, "ssh:"))), "another application than 'ssh:pay'", id="another-application"),
        pytest.param(kept(file(told_of(KEY), certificate=b"")), "no maker's certificate", id="no-certificate"),
        pytest.param(
            kept(file(told_of(KEY), form=b"ssh-sk-attest-v00")), "expected ssh-sk-attest-v01", id="older-form"
        ),
        pytest.param(kept(file(told_of(KEY), tail=b"x")), "1 bytes too many", id="trailing"),
        pytest.param(kept(file(told_of(KEY), told=told_of(KEY))), "cannot be read", id="no-cbor"),
        pytest.param(kept(file(told_of(KEY), told=cbor.encode([1]))), "not one byte string", id="other-cbor"),
        pytest.param(kept(file(told_of(KEY), told=cbor.encode(told_of(KEY)) + b"x")), "Extraneous", id="more-cbor"),
        pytest.param(kept(file(told_of(KEY), told=b"\x58\xff" + told_of(KEY))), "not one byte string", id="cut-cbor"),
        pytest.param(kept(file(told_of(KEY)[:37])), "cannot be read", id="no-credential"),
        pytest.param({"ssh": kept()["ssh"]}, "the challenge was not kept", id="no-challenge"),
        pytest.param({"challenge": "AA"}, "cannot be read", id="no-file"),
        pytest.param({"object": "AA", "client": "AA"}, "the challenge was not kept", id="a-browser-s"),
    ],
)
def test_what_shows_nothing_is_refused_with_its_reason(found: dict[str, str], words: str) -> None:
    assert words in refused(found)


def test_it_is_about_this_key_and_under_this_root() -> None:
    assert "another key" in refused(kept(), key=Ed25519PrivateKey.from_private_bytes(b"o" * 32))
    assert "no trust root" in refused(kept(), pem(OTHER))
    namesake, _ = certificate("Root", authority=True)
    assert "not by its issuer" in refused(kept(), pem(namesake))


def test_no_changed_byte_of_the_file_is_trusted() -> None:
    whole = file(told_of(KEY))
    unsaid = {whole.index(LEAF.signature) - 1, *range(len(whole) - 8, len(whole) - 4)}
    for at in range(len(whole)):
        if at not in unsaid:  # how many bits of the certificate's signature are padding, and flags that are reserved
            refused(kept(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]))
        refused(kept(whole[:at] or b"\0"))


def test_what_a_device_says_in_the_browser_is_nothing_for_a_key_over_ssh_and_the_reverse() -> None:
    public = unpadded(KEY.public_key().public_bytes_raw())
    with pytest.raises(SigningFault, match="cannot be read"):
        verify_attestation(kept(), None, public, pem(ROOT))


def test_an_attested_key_signs_with_strength_b_and_without_its_attestation_with_c() -> None:
    line = sshsigs.public_line(KEY, APPLICATION)
    request = people.request("ben-attested")
    blob = sshsigs.made(KEY, message(APPROVAL, digest(APPROVAL, request)), application=APPLICATION)
    proof = {"scheme": "sshsig-sk", "key_id": "ben-attested", "request": request, "signature": unpadded(blob)}
    for more, strength in (({"attested": True, "attestation": kept()}, "B"), ({"attestation": kept()}, "C")):
        key = people.key("ben-attested", "p-ben", "sshsig") | read_public(line) | more
        registry = parse_registry(people.registry(keys=[*people.registry()["keys"], key]))
        assert verify_approval(proof, registry).strength == strength
