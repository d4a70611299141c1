"""Whatever stands in the place of a signature is refused with a reason; no other error ever comes out."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import authenticator
import people
import pytest
import sshsigs
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.quorum import settled
from agent_saga.approvals.schemes.cbor import check_map
from agent_saga.approvals.signing.openssh import from_armor, read_public
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

REGISTRY = people.parsed()
BLOB = sshsigs.made(people.private("ben-sk"), b"line", application="ssh:")


@st.composite
def edited(draw: st.DrawFn, data: bytes) -> bytes:
    """The data with a stretch of it replaced."""
    begin = draw(st.integers(0, len(data)))
    end = draw(st.integers(begin, len(data)))
    return data[:begin] + draw(st.binary(max_size=12)) + data[end:]


def refused(proof: dict[str, Any]) -> None:
    with pytest.raises(NotApproved):
        verify_approval(proof, REGISTRY)


@given(st.binary(max_size=400) | edited(BLOB))
def test_any_sshsig(data: bytes) -> None:
    proof = people.proof(people.request("ben-sk"))
    refused(proof | {"signature": unpadded(data)})


@given(st.sampled_from(["authenticator_data", "client_data", "signature"]), st.binary(max_size=200))
def test_any_part_of_an_assertion(name: str, data: bytes) -> None:
    refused(people.proof(people.request("ana-passkey")) | {name: unpadded(data)})


@given(edited(authenticator.authenticator_data(flags=0x85, rest=b"\xa1\x61a\x01")))
def test_any_signed_authenticator_data_holds_or_is_refused(data: bytes) -> None:
    """Signed by the right key, so that nothing but the checks of the data itself stands in the way."""
    from hashlib import sha256

    proof = people.proof(people.request("ana-passkey"))
    client = from_base64url(proof["client_data"], "the client data")
    signature = people.private("ana-passkey").sign(data + sha256(client).digest())
    changed = proof | {"authenticator_data": unpadded(data), "signature": unpadded(signature)}
    try:
        signed = verify_approval(changed, REGISTRY)
    except NotApproved:
        return
    assert data[:32] == sha256(b"approve.example").digest()
    assert signed.evidence.present == bool(data[32] & 1) is True
    assert signed.evidence.verified == bool(data[32] & 4)
    assert bool(data[32] & 0x80) == (len(data) > 37)


@settings(max_examples=300)
@given(st.binary(max_size=60))
def test_any_cbor(data: bytes) -> None:
    from fido2 import cbor

    try:
        check_map(data)
    except NotApproved:
        return
    try:
        value, rest = cbor.decode_from(data)
    except (ValueError, UnicodeDecodeError, TypeError):
        return  # a map whose names fido2 takes exception to
    assert (isinstance(value, dict), rest) == (True, b"")


@given(st.binary(max_size=300) | edited(sshsigs.armored(BLOB)), st.text(max_size=80))
def test_any_file_and_public_key(data: bytes, line: str) -> None:
    for read, given_ in ((from_armor, data), (read_public, line), (read_public, f"ssh-ed25519 {line}")):
        try:
            read(given_)  # type: ignore[operator]
        except SigningFault:
            continue


def test_verifying_needs_no_extra() -> None:
    """With every package of the extras out of reach, an approval of each scheme verifies."""
    folder = str(people.__file__).rpartition("/")[0]
    code = (
        "import sys\n"
        f"sys.path.insert(0, {folder!r})\n"
        "for name in ('fido2', 'pkcs11', 'webauthn', 'starlette', 'uvicorn'): sys.modules[name] = None\n"
        "import people\n"
        "from agent_saga.approvals.proofs import verify_approval\n"
        "for key in ('ana-passkey', 'ana-es256', 'ben-sk', 'ben-hsm', 'cyd-ssh', 'ana-software'):\n"
        "    verify_approval(people.proof(people.request(key)), people.parsed())\n"
        "print('verified')\n"
    )
    code = code.replace("import people\n", "import pytest, people\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "verified\n", done.stderr


def test_a_verdict_is_settled_by_as_many_persons_as_agree() -> None:
    from agent_saga.approvals.proofs import verify_decision

    def by(key_id: str, verdict: str) -> Any:
        signed = people.proof(people.decision(key_id, verdict=verdict), "decision")
        return verify_decision(signed, REGISTRY)

    ana, again, ben, cyd = (
        by("ana-passkey", "landed"),
        by("ana-software", "absent"),
        by("ben-sk", "absent"),
        by("cyd-ssh", "absent"),
    )
    assert settled([ana], 1) == "landed"
    assert settled([ana, again], 2) == ""
    assert settled([ana, again, ben], 2) == ""
    assert settled([ana, again, ben, cyd], 2) == "absent"
    assert settled([], 1) == ""
