"""A policy is signed by people of a registry, and a changed meaning, an older version or another person is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import signers
import yaml

from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.registry import Registry
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy
from agent_saga.policies.signing import read_signatures, statement_for, verify_policy
from agent_saga.policies.signing.files import Signatures, written
from agent_saga.policies.signing.making import sign_statement

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "policies"


def policy(text: str) -> Policy:
    return load_policy(str(FOLDER / "changed.yaml"), text=text.encode())


def signed(
    policy: Policy,
    *keys: str,
    registry: Registry | None = None,
    before: Signatures | None = None,
    now: str = signers.NOW,
) -> Signatures:
    """The file of signatures when the holders of these keys have signed one after the other."""
    known, proofs = registry or signers.parsed(), []
    found = before
    for id in keys:
        statement = statement_for(policy, known.key[id], "0" * 64, now, found)
        proofs.append(sign_statement(statement, known, signers.Seed(id)))
        found = read_signatures(written(tuple(proofs)))
    assert found is not None
    return found


def refused(found: Signatures, policy: Policy, registry: Registry | None = None, at: str = signers.NOW) -> str:
    with pytest.raises(NotApproved) as caught:
        verify_policy(policy, found, registry or signers.parsed(), at)
    return caught.value.reason


def test_a_policy_is_signed_and_verified(example: str) -> None:
    found = verify_policy(policy(example), signed(policy(example), "ana-1"), signers.parsed(), signers.NOW)
    assert (found.policy, found.version, found.previous, found.persons) == ("payments", 7, None, ("p-ana",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# advisory | soft | hard | evaluate", "# a comment"),
        ("strength: A, within: PT15M", "within: PT15M, strength: A"),
        ("name: big wire needs two", "name: another name of a test"),
        ("policy: payments\nversion: 7\n", "version: 7\npolicy: payments\n"),
    ],
)
def test_comments_order_and_tests_may_change_after_it_was_signed(example: str, old: str, new: str) -> None:
    assert old in example
    found = signed(policy(example), "ana-1")
    assert verify_policy(policy(example.replace(old, new, 1)), found, signers.parsed(), signers.NOW)


def test_json_and_yaml_that_say_the_same_have_one_digest(example: str) -> None:
    plain = yaml.safe_load(example)
    turned = {name: plain[name] for name in reversed(plain)}
    for text in (json.dumps(plain), json.dumps(turned, indent="\t")):
        assert load_policy(str(FOLDER / "changed.json"), text=text.encode()).digest == policy(example).digest
    for text in (yaml.safe_dump(plain), yaml.safe_dump(turned, default_flow_style=True), example.replace("\n", "\r\n")):
        assert policy(text).digest == policy(example).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("500000", "500001"),
        ("quorum: 2", "quorum: 1"),
        ("why: Wires", "why: wires"),
        ("enforcement: hard", "enforcement: soft"),
        ("window: PT24H", "window: PT23H"),
        ("risk@example.com", "risk@example.org"),
        ("args.amount.minor > 500000", "500000 < args.amount.minor"),
    ],
)
def test_a_changed_byte_of_its_meaning_is_refused(example: str, old: str, new: str) -> None:
    assert old in example
    assert refused(signed(policy(example), "ana-1"), policy(example.replace(old, new, 1))) == "wrong-policy"


def test_a_changed_schema_in_another_file_changes_the_digest(example: str, tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    for one in (FOLDER / "schemas").iterdir():
        (tmp_path / "schemas" / one.name).write_text(one.read_text())
    path = tmp_path / "payments.yaml"
    path.write_text(example)
    before = load_policy(str(path)).digest
    assert before == policy(example).digest
    wire = tmp_path / "schemas" / "wire.json"
    wire.write_text(wire.read_text().replace('"note": {"type": "string"}', '"note": {"type": "integer"}'))
    assert load_policy(str(path)).digest != before


def test_a_version_must_rise_and_names_the_one_before(example: str) -> None:
    first = policy(example)
    before = signed(first, "ana-1")
    changed = example.replace("500000", "400000")
    with pytest.raises(NotApproved, match="raise version above 7") as caught:
        signed(policy(changed), "ana-1", before=before)
    assert caught.value.reason == "stale-version"
    second = policy(changed.replace("version: 7", "version: 8"))
    found = verify_policy(second, signed(second, "ana-1", before=before), signers.parsed(), signers.NOW)
    assert (found.version, found.previous) == (8, first.digest)
    with pytest.raises(NotApproved, match="cannot follow payments"):
        signed(policy(example.replace("policy: payments", "policy: wires")), "ana-1", before=before)


def test_as_many_persons_sign_as_the_registry_asks_for(example: str) -> None:
    known = signers.parsed(changes={"roles": ["registrar"], "quorum": 2, "strength": "D"})
    made = policy(example)
    assert refused(signed(made, "ana-1", registry=known), made, known) == "too-few"
    both = signed(made, "ana-1", "ben-1", registry=known)
    assert verify_policy(made, both, known, signers.NOW).persons == ("p-ana", "p-ben")
    with pytest.raises(SigningFault, match="p-ana signed version 7 before"):
        signed(made, "ana-1", "ana-1", registry=known)
    twice = read_signatures(written((both.proofs[0], both.proofs[0])))
    assert refused(twice, made, known) == "too-few"


def test_who_may_not_sign_is_refused(example: str) -> None:
    made = policy(example)
    assert refused(signed(made, "cyd-1"), made) == "wrong-role"
    stronger = signers.parsed(changes={"roles": ["registrar"], "quorum": 1, "strength": "C"})
    assert refused(signed(made, "ana-1"), made, stronger) == "weak-key"
    nobody = signers.registry()
    del nobody["changes"]
    assert refused(signed(made, "ana-1"), made, signers.parse_registry(nobody)) == "no-rule"
    assert refused(signed(made, "ana-1", now=signers.AFTER[:-4] + "001Z"), made, at="2028-01-01T00:00:00.000000Z") == (
        "outside-window"
    )
    assert refused(signed(made, "ana-1"), made, at="2026-11-29T00:00:00.000000Z") == "late"
    stranger = signers.parsed(keys=[signers.key("ben-1", "p-ben")])
    assert refused(signed(made, "ana-1"), made, stranger) == "unknown-key"


def _proof(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = value["signatures"][0]
    return found


Spoil = Callable[[dict[str, Any]], object]
SPOILT: dict[str, tuple[Spoil, str]] = {
    "another version": (lambda v: _proof(v)["request"].update(version=8), "wrong-policy"),
    "another digest": (lambda v: _proof(v)["request"].update(digest="0" * 64), "wrong-policy"),
    "another policy": (lambda v: _proof(v)["request"].update(policy="wires"), "wrong-policy"),
    "another previous": (lambda v: _proof(v)["request"].update(previous="0" * 64), "bad-signature"),
    "another time": (lambda v: _proof(v)["request"].update(signed_at=signers.BEFORE), "bad-signature"),
    "another person": (lambda v: _proof(v)["request"].update(person="p-ben"), "wrong-person"),
    "another key": (lambda v: _proof(v).update(key_id="ben-1"), "wrong-person"),
    "another scheme": (lambda v: _proof(v).update(scheme="sshsig"), "wrong-scheme"),
    "another signature": (lambda v: _proof(v).update(signature="A" * 86), "bad-signature"),
    "no signature": (lambda v: _proof(v).pop("signature"), "bad-proof"),
    "more than a signature": (lambda v: _proof(v).update(extra=1), "bad-proof"),
    "an unknown member": (lambda v: _proof(v)["request"].update(extra=1), "bad-request"),
    "no request": (lambda v: _proof(v).pop("request"), "bad-request"),
    "no proofs": (lambda v: v.update(signatures=[]), "bad-proof"),
    "text for a proof": (lambda v: v.update(signatures=["x"]), "bad-proof"),
    "another version of the file": (lambda v: v.update(v=2), "bad-proof"),
    "true for a version": (lambda v: v.update(v=True), "bad-proof"),
    "too many proofs": (lambda v: v.update(signatures=v["signatures"] * 1_000), "bad-proof"),
}


@pytest.mark.parametrize(("spoil", "reason"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_file_of_signatures_is_refused_in_words(example: str, spoil: Spoil, reason: str) -> None:
    made = policy(example)
    value = copy.deepcopy(json.loads(written(signed(made, "ana-1").proofs)))
    spoil(value)
    with pytest.raises(NotApproved) as caught:
        verify_policy(made, read_signatures(json.dumps(value).encode()), signers.parsed(), signers.NOW)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"\xff", b'{"v":1,"v":1}', b"[" * 100_000, b'{"v":1.0,"signatures":[]}']
)
def test_what_is_no_file_of_signatures_is_refused(data: bytes) -> None:
    with pytest.raises(NotApproved) as caught:
        read_signatures(data)
    assert caught.value.reason == "bad-proof"
