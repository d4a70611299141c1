"""Digests, lines, windows, counters and signing: what the vectors do not reach."""

from __future__ import annotations

import copy
import os
from hashlib import sha256
from typing import Any

import msgspec
import people
import pytest
import rfc8785
from hypothesis import given
from test_display import VALUES

from agent_saga.approvals.burning import Burned, Use
from agent_saga.approvals.digests import (
    ACTION,
    APPROVAL,
    DECISION,
    REGISTRY,
    canonical,
    digest,
    fingerprint,
    message,
)
from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.proofs import verify_approval, verify_decided, verify_recorded
from agent_saga.approvals.requests import Content
from agent_saga.approvals.signing import answer, sign
from agent_saga.approvals.signing.software import SoftwareSigner
from agent_saga.approvals.windows import Moment, placed, refuted, shifted, surely_before
from agent_saga.proofs.keys import key_from_seed
from agent_saga.trace.events import ApprovalRecorded, PersonDecided

HEAD = {"v": 1, "seq": 9, "prev": "0" * 64, "at": people.NOW, "by": "runtime"}
SAGA = people.content()["saga"]


@given(VALUES)
def test_the_quick_encoder_writes_what_rfc_8785_says(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_digests_are_of_their_domain_and_messages_name_it() -> None:
    found = {domain: digest(domain, {"a": 1}) for domain in (ACTION, APPROVAL, DECISION, REGISTRY)}
    assert len(set(found.values())) == 4
    assert found[APPROVAL] == sha256(b'agent-saga/approval/v1\0{"a":1}').digest()
    lines = {message(domain, b"\1" * 32) for domain in (APPROVAL, DECISION, REGISTRY)}
    assert b"agent-saga-approval-v1 sha256:" + b"01" * 32 in lines
    assert b"agent-saga-decision-v1 sha256:" + b"01" * 32 in lines
    assert b"agent-saga-registry-v1 sha256:" + b"01" * 32 in lines


def test_a_fingerprint_is_eight_groups_of_the_first_160_bits() -> None:
    assert fingerprint(b"\0" * 32) == " ".join(["AAAA"] * 8)
    assert fingerprint(b"\xff" * 20 + b"\0" * 12) == " ".join(["7777"] * 8)


def recorded(**changed: Any) -> ApprovalRecorded:
    proof = people.proof(people.request("ben-sk"))
    about = {"saga": SAGA, "step": "s1", "action": proof["request"]["action"], "decision": "approve"}
    line = HEAD | about | {"type": "approval.recorded", "person": "p-ben", "proof": proof} | changed
    return msgspec.convert(line, ApprovalRecorded)


def test_a_line_that_says_what_is_signed_is_verified() -> None:
    assert verify_recorded(recorded(), people.parsed()).key.id == "ben-sk"


@pytest.mark.parametrize(
    "changed",
    [{"saga": "other"}, {"step": "s2"}, {"action": "0" * 64}, {"decision": "deny"}, {"person": "p-ana"}],
)
def test_a_line_that_says_anything_else_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(NotApproved) as refused:
        verify_recorded(recorded(**changed), people.parsed())
    assert refused.value.reason == "wrong-line"


@pytest.mark.parametrize(
    "changed",
    [{}, {"saga": "other"}, {"target": "e2"}, {"verdict": "kept"}, {"person": "p-ana"}, {"reason": "other"}],
)
def test_a_decision_is_what_its_line_says(changed: dict[str, Any]) -> None:
    proof = people.proof(people.decision("ben-sk"), "decision")
    about = {name: proof["request"][name] for name in ("saga", "target", "verdict", "reason", "person")}
    line = msgspec.convert(HEAD | about | {"type": "person.decided", "proof": proof} | changed, PersonDecided)
    if not changed:
        assert verify_decided(line, people.parsed()).about.verdict == "landed"
        return
    with pytest.raises(NotApproved) as refused:
        verify_decided(line, people.parsed())
    assert refused.value.reason == "wrong-line"


@pytest.mark.parametrize("proof", [{}, {"request": 1}, {"request": []}, {"request": None}, {"request": {"content": 1}}])
def test_what_is_no_proof_is_refused_without_a_fault_of_ours(proof: dict[str, Any]) -> None:
    with pytest.raises(NotApproved) as refused:
        verify_approval(proof, people.parsed())
    assert refused.value.reason == "bad-request"


STRANGE: list[Any] = [None, 0, True, "", "\0", [], {}, {"...": "x"}, 1.5, -(2**70), "x" * 9, [[[]]], "\ud800"]


def test_every_member_of_a_proof_replaced_by_anything_is_refused() -> None:
    """Each member at every depth, by each of many strange values: refused with a reason, never another exception."""
    registry = people.parsed()
    for key_id in ("ana-passkey", "ben-sk", "ana-software"):
        proof = people.proof(people.request(key_id))
        for path in paths(proof):
            for strange in STRANGE:
                changed = put(proof, path, strange)
                if changed != proof:
                    with pytest.raises(NotApproved):
                        verify_approval(changed, registry)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else ()
    return [(*path, name) for name, _ in inner] + [one for name, item in inner for one in paths(item, (*path, name))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    found = copy.deepcopy(value)
    at = found
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = new
    return found


def test_every_bit_of_a_signature_counts() -> None:
    registry = people.parsed()
    for key_id in ("ana-software", "cyd-ssh", "ben-sk"):
        proof = people.proof(people.request(key_id))
        text = proof["signature"]
        for at in range(len(text)):
            other = "A" if text[at] != "A" else "B"
            with pytest.raises(NotApproved):
                verify_approval(proof | {"signature": text[:at] + other + text[at + 1 :]}, registry)


def test_windows_by_the_operator_s_clock() -> None:
    begin, end = "2026-11-30T07:00:00.000000Z", "2026-11-30T07:15:00.000000Z"
    assert placed(Moment("2026-11-30T06:58:00.000000Z"), begin, end) == "inside"
    assert placed(Moment("2026-11-30T06:57:59.999999Z"), begin, end) == "outside"
    assert placed(Moment("2026-11-30T07:17:00.000001Z"), begin, end) == "outside"


@pytest.mark.parametrize(
    ("at", "earliest", "latest", "place"),
    [
        ("07:05", "07:01", "07:10", "inside"),
        ("07:05", "06:00", "08:00", "undecided"),
        ("07:05", "07:18", "07:30", "outside"),
        ("07:05", "06:00", "06:57", "outside"),
        ("07:05", "07:08", "07:10", "outside"),
        ("06:00", "06:00", "08:00", "outside"),
    ],
)
def test_windows_by_outside_time(at: str, earliest: str, latest: str, place: str) -> None:
    moment = Moment(*(f"2026-11-30T{time}:00.000000Z" for time in (at, earliest, latest)))
    assert placed(moment, "2026-11-30T07:00:00.000000Z", "2026-11-30T07:15:00.000000Z") == place


def test_a_clock_that_outside_time_refutes_proves_nothing() -> None:
    lied = Moment("2026-11-30T05:00:00.000000Z", "2026-11-30T06:00:00.000000Z")
    assert refuted(lied)
    assert not surely_before(lied, "2026-11-30T07:00:00.000000Z")
    assert surely_before(Moment("2026-11-30T05:00:00.000000Z"), "2026-11-30T07:00:00.000000Z")


def test_times_at_the_ends_of_the_calendar() -> None:
    assert shifted("1000-01-01T00:00:00.000000Z", -120) == "0999-12-31T23:58:00.000000Z"
    assert shifted("9999-12-31T23:59:59.999999Z", 120) == "9999-12-31T23:59:59.999999Z"


def test_a_refused_use_burns_nothing() -> None:
    burned, first = Burned(), Use("s", "e1", "k")
    burned.use(first, [("a", b"1")])
    with pytest.raises(NotApproved):
        burned.use(Use("s", "e2", "k"), [("b", b"2"), ("a", b"1")])
    burned.use(Use("s", "e3", "k"), [("b", b"2")])
    with pytest.raises(NotApproved, match="e1"):
        burned.use(Use("s", "e4", "k"), [("other line", b"1")])


def test_an_answer_is_made_signed_and_verified() -> None:
    registry, content = people.parsed(), msgspec.convert(people.content(), Content)
    key = registry.key["ana-software"]
    request = answer(
        content,
        key,
        "approve",
        proposer="checkout-agent",
        prev=people.LEAF,
        now=people.NOW,
        not_after=people.LATER,
        random=lambda size: b"\1" * size,
    )
    assert request.not_after == "2026-11-30T07:15:00.000000Z", "fifteen minutes, for it is irreversible"
    from agent_saga.approvals.requests import as_written

    seed = sha256(b"approvals ana-software").digest()
    signer = SoftwareSigner(key_from_seed("ana", "approval", seed))
    signed = verify_approval(sign(as_written(request), registry, signer), registry)
    assert signed.about == request
    with pytest.raises(SigningFault, match="not the one"):
        sign(as_written(request), registry, SoftwareSigner(key_from_seed("ana", "approval", os.urandom(32))))
    with pytest.raises(SigningFault, match="not for approval"):
        SoftwareSigner(key_from_seed("ana", "log", seed))
