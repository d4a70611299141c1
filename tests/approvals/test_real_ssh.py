"""Keys of OpenSSH through the real ssh-keygen: plain, and security keys with and without touch and PIN (sk-dummy)."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import people
import pytest
import sshsigs

from agent_saga.approvals.counters import Counters
from agent_saga.approvals.digests import APPROVAL, digest, message
from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.registry import Registry, parse_registry
from agent_saga.approvals.signing import sign
from agent_saga.approvals.signing.openssh import SshSigner, from_armor, read_public
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

PROOF = {"scheme": "sshsig-sk", "key_id": "ben-real"}


def made(folder: Path, *options: str, kind: str = "ed25519-sk", name: str = "key", **more: str) -> Path:
    """A new key of ssh-keygen."""
    sshsigs.need(provider=kind.endswith("-sk"))
    path = folder / name
    done = sshsigs.keygen("-q", "-t", kind, "-N", "", "-C", "", "-f", str(path), *options, **more)
    assert done.returncode == 0, done.stderr
    return path


def enrolled(path: Path, **more: Any) -> Registry:
    """The registry with this key, read from its .pub file, as Ben's."""
    key = people.key("ben-real", "p-ben", "sshsig") | read_public(path.with_suffix(".pub").read_text()) | more
    return parse_registry(people.registry(keys=[*people.registry()["keys"], key]))


def signer(path: Path) -> SshSigner:
    return SshSigner(path, sshsigs.environment())


def signed_by_hand(path: Path, value: dict[str, Any], namespace: str = "approval@agent-saga") -> dict[str, Any]:
    """The proof out of the one line of the documentation, without any tool of ours."""
    line = message(APPROVAL, digest(APPROVAL, value))
    done = sshsigs.keygen("-Y", "sign", "-n", namespace, "-f", str(path), stdin=line)
    assert done.returncode == 0, done.stderr
    return PROOF | {"request": value, "signature": from_armor(done.stdout)}


def refused(proof: dict[str, Any], registry: Registry) -> str:
    with pytest.raises(NotApproved) as found:
        verify_approval(proof, registry)
    return found.value.reason


REQUEST = people.request("ben-real")


def test_a_plain_key_is_enrolled_signs_and_verifies(tmp_path: Path) -> None:
    path = made(tmp_path, kind="ed25519")
    registry = enrolled(path)
    signed = verify_approval(sign(REQUEST, registry, signer(path)), registry)
    assert (signed.strength, signed.evidence.present, signed.evidence.counter) == ("D", False, None)


def test_a_security_key_with_touch_and_pin(tmp_path: Path) -> None:
    path = made(tmp_path, "-O", "verify-required", "-O", "application=ssh:pay")
    registry = enrolled(path, verify=True, attested=True, attestation={"kept": "x"})
    assert registry.key["ben-real"].application == "ssh:pay"
    signed = verify_approval(signed_with_pin(path), registry)
    assert (signed.evidence.present, signed.evidence.verified) == (True, True)
    assert (signed.evidence.counter, signed.strength) == (0x12345678, "B")


def signed_with_pin(path: Path) -> dict[str, Any]:
    """As by hand, with a program that types the PIN."""
    types = path.with_name("askpass")
    types.write_text("#!/bin/sh\necho 0000\n")
    types.chmod(0o700)
    line = message(APPROVAL, digest(APPROVAL, REQUEST))
    asked = {"SSH_ASKPASS": str(types), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}
    done = sshsigs.keygen("-Y", "sign", "-n", "approval@agent-saga", "-f", str(path), stdin=line, **asked)
    assert done.returncode == 0, done.stderr
    return PROOF | {"request": REQUEST, "signature": from_armor(done.stdout)}


def test_a_touch_alone_is_strength_c_and_no_pin(tmp_path: Path) -> None:
    path = made(tmp_path)
    signed = verify_approval(sign(REQUEST, enrolled(path), signer(path)), enrolled(path))
    assert (signed.evidence.present, signed.evidence.verified, signed.strength) == (True, False, "C")
    strict = enrolled(path, verify=True)
    assert refused(signed_by_hand(path, REQUEST), strict) == "no-verification"


def test_no_touch_is_refused_although_ssh_keygen_says_good(tmp_path: Path) -> None:
    path = made(tmp_path, "-O", "no-touch-required")
    proof = signed_by_hand(path, REQUEST)
    assert refused(proof, enrolled(path)) == "no-touch"
    blob, line = from_base64url(proof["signature"], "the blob"), message(APPROVAL, digest(APPROVAL, REQUEST))
    public = path.with_suffix(".pub").read_text().strip()
    (tmp_path / "verify").mkdir()
    assert sshsigs.said_good(tmp_path / "verify", public, blob, line)


def test_each_wrong_signature_has_its_own_reason(tmp_path: Path) -> None:
    path, other = made(tmp_path), made(tmp_path, "-O", "application=ssh:other", name="other")
    plain = made(tmp_path, kind="ed25519", name="plain")
    registry = enrolled(path)
    good = signed_by_hand(path, REQUEST)
    assert verify_approval(good, registry).digest == digest(APPROVAL, REQUEST)
    assert refused(signed_by_hand(path, REQUEST, "file"), registry) == "wrong-namespace"
    assert refused(signed_by_hand(other, REQUEST), registry) == "other-key"
    assert refused(signed_by_hand(path, REQUEST), enrolled(path, application="ssh:pay")) == "wrong-application"
    assert refused(signed_by_hand(plain, REQUEST), registry) == "wrong-algorithm"
    assert refused(good | {"request": people.request("ben-real", nonce=people.nonce("x"))}, registry) == "bad-signature"
    assert refused(good | {"signature": good["signature"] + "AAAA"}, registry) == "bad-proof"
    assert refused(good | {"scheme": "sshsig"}, registry) == "wrong-scheme"


def test_a_counter_that_stands_still_is_an_alarm(tmp_path: Path) -> None:
    path, counters = made(tmp_path), Counters()
    registry = enrolled(path)
    counters.check(verify_approval(signed_by_hand(path, REQUEST), registry))
    counters.check(verify_approval(signed_by_hand(path, REQUEST), registry))  # the same request: no new use
    again = verify_approval(signed_by_hand(path, people.request("ben-real", nonce=people.nonce("again"))), registry)
    with pytest.raises(NotApproved, match="copied") as found:
        counters.check(again)
    assert found.value.reason == "counter-back"


def test_what_does_not_sign_says_why(tmp_path: Path) -> None:
    path = made(tmp_path, kind="ed25519")
    registry = enrolled(path)
    with pytest.raises(SigningFault, match="did not sign"):
        sign(REQUEST, registry, signer(tmp_path / "nowhere"))
    with pytest.raises(SigningFault, match="not installed"):
        sign(REQUEST, registry, SshSigner(path, program="ssh-keygen-nowhere"))
    with pytest.raises(SigningFault, match="enrolled as ed25519"):
        sign(people.request("ana-software"), registry, signer(path))
    with pytest.raises(SigningFault, match="no key gus"):
        sign(people.request("gus"), registry, signer(path))


MISNAMED = sshsigs.public_line(people.private("x")).replace("ssh-ed25519", "sk-ssh-ed25519@openssh.com")
MIXED = "ssh-ed25519 " + b64encode(sshsigs.packed(b"ssh-rsa", b"\1" * 32)).decode()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ssh-rsa AAAA",
        "ssh-ed25519",
        "ssh-ed25519 AAAA",
        "ssh-ed25519 !",
        MISNAMED,
        MIXED,
        "ecdsa-sha2-nistp256 AAAA",
    ],
)
def test_other_public_keys_are_refused(line: str) -> None:
    with pytest.raises(SigningFault):
        read_public(line)


@pytest.mark.parametrize(
    "data", [b"", b"U1NIU0lH", b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n", b"x" * 9000]
)
def test_other_files_than_signatures_are_refused(data: bytes) -> None:
    with pytest.raises(SigningFault):
        from_armor(data)


def test_an_armored_file_is_taken_in_as_it_is() -> None:
    blob = sshsigs.made(people.private("cyd-ssh"), b"line")
    assert from_armor(sshsigs.armored(blob)) == unpadded(blob)
    assert from_armor(sshsigs.armored(blob).replace(b"\n", b"\r\n")) == unpadded(blob)
