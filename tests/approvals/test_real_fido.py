"""A FIDO2 key over CTAP2, through fido2's own client: enrolled, signed, verified, and refused."""

from __future__ import annotations

from typing import Any

import people
import pytest
from ctap_device import SoftwareKey
from fido2.client import UserInteraction

from agent_saga.approvals.counters import Counters
from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.registry import Party, Registry, parse_registry
from agent_saga.approvals.signing import sign
from agent_saga.approvals.signing.fido_key import FidoSigner

PARTY = Party("approve.example", ("https://approve.example",))


def enrolled(device: SoftwareKey, **more: Any) -> tuple[Registry, FidoSigner]:
    signer = FidoSigner(device, PARTY, UserInteraction())
    made = signer.enroll("p-ana", b"c" * 32)
    key = {**people.key("ana-fido", "p-ana", "webauthn"), **made, **more}
    return parse_registry(people.registry(keys=[*people.registry()["keys"], key])), signer


def test_a_security_key_is_enrolled_signs_and_verifies() -> None:
    registry, signer = enrolled(SoftwareKey(b"seed"))
    signed = verify_approval(sign(people.request("ana-fido"), registry, signer), registry)
    assert (signed.evidence.present, signed.evidence.verified, signed.evidence.counter) == (True, True, 2)
    assert signed.strength == "C", "kept attestation that nobody verified proves nothing"
    assert verify_approval(sign(people.request("ana-fido"), registry, signer), registry).evidence.counter == 3


def test_one_whose_attestation_was_verified_has_strength_a() -> None:
    registry, signer = enrolled(SoftwareKey(b"seed"), attested=True)
    assert verify_approval(sign(people.request("ana-fido"), registry, signer), registry).strength == "A"


@pytest.mark.parametrize(
    ("flags", "reason"), [(0x04, "no-touch"), (0x00, "no-touch"), (0x01, "no-verification"), (0x15, "bad-flags")]
)
def test_a_key_that_was_not_touched_or_saw_no_pin_is_refused(flags: int, reason: str) -> None:
    device = SoftwareKey(b"seed")
    registry, signer = enrolled(device, verify=True)
    device.flags = flags
    with pytest.raises(NotApproved) as refused:
        sign(people.request("ana-fido"), registry, signer)
    assert refused.value.reason == reason


def test_a_key_made_for_another_relying_party_or_origin_is_refused() -> None:
    registry, signer = enrolled(SoftwareKey(b"seed"))
    proof = sign(people.request("ana-fido"), registry, signer)
    for party, reason in (
        ({"id": "example", "origins": ["https://approve.example"]}, "wrong-rp"),
        ({"id": "approve.example", "origins": ["https://other.approve.example"]}, "wrong-origin"),
    ):
        other = parse_registry(people.registry(rp=party) | {"keys": [_written(registry)]} | {"changes": None} | _NONE)
        with pytest.raises(NotApproved) as refused:
            verify_approval(proof, other)
        assert refused.value.reason == reason


_NONE: dict[str, Any] = {"agents": []}


def _written(registry: Registry) -> dict[str, Any]:
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(registry.key["ana-fido"])
    return found


def test_a_copied_key_shows_by_its_counter() -> None:
    device = SoftwareKey(b"seed")
    registry, signer = enrolled(device)
    counters = Counters()
    counters.check(verify_approval(sign(people.request("ana-fido"), registry, signer), registry))
    device.counter = 0
    again = people.request("ana-fido", nonce=people.nonce("again"))
    with pytest.raises(NotApproved) as refused:
        counters.check(verify_approval(sign(again, registry, signer), registry))
    assert refused.value.reason == "counter-back"


def test_a_key_that_does_not_answer_or_is_another_says_so() -> None:
    device = SoftwareKey(b"seed")
    registry, _ = enrolled(device)
    stranger = FidoSigner(SoftwareKey(b"other"), PARTY, UserInteraction())
    with pytest.raises(SigningFault, match="did not answer"):
        sign(people.request("ana-fido"), registry, stranger)
    device.absent = True
    with pytest.raises(SigningFault, match="did not answer"):
        sign(people.request("ana-fido"), registry, FidoSigner(device, PARTY, UserInteraction()))
    with pytest.raises(SigningFault, match="enrolled as ed25519"):
        sign(people.request("ana-software"), registry, stranger)
