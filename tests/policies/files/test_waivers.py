"""A waiver lifts only while it is whole, signed by who approved it, and about this policy; what stops it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import signers
import yaml

from agent_saga.approvals.registry import Registry
from agent_saga.policies.digest import waivers_digest
from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.model import Policy, Waivers
from agent_saga.policies.signing.inserting import with_proof
from agent_saga.policies.signing.waivers import sign_waiver
from agent_saga.policies.waiving import read_waivers, unsigned, waivers_path

WAIVER = {
    "id": "W-3",
    "rule": "daily-spend",
    "scope": 'args.customer == "c_9"',
    "reason": "migration",
    "owner": "p-dan",
    "approved_by": "p-cyd",
    "created": "2026-11-01",
    "expires": "2026-12-15",
}


@pytest.fixture
def policy(example: str, repo_root: Path) -> Policy:
    path = str(repo_root / "fixtures" / "policies" / "payments.yaml")
    return load_policy(path, text=example.encode())


def signed(
    waiver: dict[str, Any], key: str = "cyd-1", name: str = "payments", registry: Registry | None = None
) -> dict[str, Any]:
    return waiver | {"proof": sign_waiver(waiver, name, key, registry or signers.parsed(), signers.Seed(key))}


def read(
    folder: Path, policy: Policy, *waivers: dict[str, Any], registry: Registry | None = None, today: str = "2026-12-01"
) -> Waivers:
    path = folder / "payments.waivers.yaml"
    path.write_text(yaml.safe_dump({"policy": "payments", "waivers": list(waivers)}, sort_keys=False))
    return read_waivers(str(path), policy, registry or signers.parsed(), today)


def test_a_signed_waiver_is_read_with_its_scope(policy: Policy, tmp_path: Path) -> None:
    found = read(tmp_path, policy, signed(WAIVER))
    assert found.problems == ()
    [waiver] = found.waivers
    assert (waiver.id, waiver.rule, waiver.expires) == ("W-3", "daily-spend", "2026-12-15")
    assert waiver.scope is not None
    assert waiver.scope.text == 'args.customer == "c_9"'
    assert found.digest == waivers_digest({"policy": "payments", "waivers": [signed(WAIVER)]})


@pytest.mark.parametrize(("today", "told"), [("2026-12-15", 0), ("2026-12-16", 1), ("", 0)])
def test_the_last_day_still_lifts_and_the_next_is_told(policy: Policy, tmp_path: Path, today: str, told: int) -> None:
    found = read(tmp_path, policy, signed(WAIVER), today=today)
    assert len(found.waivers) == 1  # each call is judged by its own day
    assert len(found.problems) == told
    assert all(one.endswith(":3:3: it ended on 2026-12-15 (the waiver 'W-3' lifts nothing)") for one in found.problems)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"proof": None}, "waivers[0].proof: found nothing; expected an object"),
        ({"reason": None}, "found nothing; expected text"),
        ({"rule": "daily-spent"}, "no rule or limit 'daily-spent'; did you mean 'daily-spend'?"),
        ({"rule": "wire-needs-two", "scope": "true"}, "'wire-needs-two' is hard: no waiver lifts it"),
        ({"expires": "2026-02-30"}, "found '2026-02-30'; expected a day that exists"),
        ({"expires": "soon"}, "found 'soon'; expected a day such as 2026-12-15"),
        ({"expires": "2026-10-31"}, "it ends on 2026-10-31, before it begins on 2026-11-01"),
        ({"owner": "p-cyd"}, "who asks for a waiver cannot approve it: name another person"),
        ({"scope": "args.customer"}, "a scope is of type string; expected bool"),
        ({"scope": "args.custmer == 1"}, "the field `custmer` of `args` does not exist; did you mean `customer`?"),
        ({"until": "2026-12-16"}, "unknown member 'until'"),
    ],
)
def test_a_malformed_waiver_lifts_nothing_and_says_so(
    policy: Policy, tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    found = read(tmp_path, policy, signed(WAIVER) | changed, signed(WAIVER | {"id": "W-4"}))
    assert [one.id for one in found.waivers] == ["W-4"]
    assert any(words in one and one.startswith(found.source) for one in found.problems), found.problems
    assert all("lifts nothing" in one for one in found.problems)


def test_a_waiver_without_a_member_lifts_nothing(policy: Policy, tmp_path: Path) -> None:
    whole = signed(WAIVER)
    for name in whole:
        if name not in ("scope", "proof"):
            found = read(tmp_path, policy, {key: value for key, value in whole.items() if key != name})
            assert found.waivers == ()
            assert f"lacks '{name}'" in found.problems[0]


@pytest.mark.parametrize("member", ["reason", "expires", "created", "scope", "id", "owner"])
def test_a_waiver_that_was_changed_after_it_was_signed_lifts_nothing(
    policy: Policy, tmp_path: Path, member: str
) -> None:
    other = {"expires": "2026-12-16", "created": "2026-10-31", "scope": "true", "owner": "p-ana"}
    found = read(tmp_path, policy, signed(WAIVER) | {member: other.get(member, "another")})
    assert found.waivers == ()
    assert "(bad-signature)" in found.problems[0]


def test_an_unsigned_waiver_and_one_signed_by_another_lift_nothing(policy: Policy, tmp_path: Path) -> None:
    by_dan = signed(WAIVER | {"approved_by": "p-dan", "owner": "p-ana"}, "dan-1")
    forged = WAIVER | {"proof": by_dan["proof"] | {"key_id": "cyd-1"}}
    elsewhere = signed(WAIVER | {"id": "W-5"}, name="wires")
    other = WAIVER | {"id": "W-6", "proof": dict(by_dan["proof"])}
    with_request = signed(WAIVER | {"id": "W-7"})
    with_request["proof"] = with_request["proof"] | {"request": {}}
    found = read(
        tmp_path, policy, WAIVER | {"id": "W-1"}, by_dan | {"id": "W-2"}, forged, elsewhere, other, with_request
    )
    assert found.waivers == ()
    reasons = [one[one.index("(") + 1 : one.index(")")] for one in found.problems]
    assert reasons == ["unsigned", "bad-signature", "bad-signature", "bad-signature", "wrong-person", "bad-proof"]


def test_who_may_not_approve_waivers_does_not(policy: Policy, example: str, tmp_path: Path, repo_root: Path) -> None:
    by_dan = signed(WAIVER | {"approved_by": "p-dan", "owner": "p-ana"}, "dan-1")
    assert "(wrong-role)" in read(tmp_path, policy, by_dan).problems[0]
    stronger = example.replace("rules:\n  - id", "waive: {roles: [approver], strength: C}\nrules:\n  - id", 1)
    path = str(repo_root / "fixtures" / "policies" / "payments.yaml")
    strict = load_policy(path, text=stronger.encode())
    assert "(weak-key)" in read(tmp_path, strict, signed(WAIVER)).problems[0]
    old = signed(WAIVER, "cyd-old")
    assert "(outside-window)" in read(tmp_path, policy, old).problems[0]


def test_without_a_registry_nothing_is_lifted(policy: Policy, tmp_path: Path) -> None:
    read(tmp_path, policy, signed(WAIVER))
    found = read_waivers(str(tmp_path / "payments.waivers.yaml"), policy, None)
    assert found.waivers == ()
    assert "no key registry is given" in found.problems[0]


def test_two_waivers_of_one_id_lift_once(policy: Policy, tmp_path: Path) -> None:
    found = read(tmp_path, policy, signed(WAIVER), signed(WAIVER | {"expires": "2027-12-15"}))
    assert [one.expires for one in found.waivers] == ["2026-12-15"]
    assert "the waiver 'W-3' stands twice" in found.problems[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("policy: wires\nwaivers: []\n", "1:9: waivers of 'wires'; the policy beside is 'payments'"),
        ("waivers: []\n", "1:1: the file lacks 'policy'"),
        ("policy: payments\nwaiver: []\n", "unknown member 'waiver'; did you mean 'waivers'?"),
        ("policy: payments\nwaivers: &a [*a]\n", "the alias *a"),
        ("", "the file is empty; expected a file of waivers"),
        ("policy: [", "not YAML"),
    ],
)
def test_a_file_that_is_none_of_waivers_is_an_error(policy: Policy, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "payments.waivers.yaml"
    path.write_text(text)
    with pytest.raises(PolicyError) as caught:
        read_waivers(str(path), policy, signers.parsed())
    assert words in str(caught.value)


BLOCK = """# kept
policy: payments
waivers:
  # this too
  - id: W-3
    rule: daily-spend
    reason: migration
    owner: p-dan
    approved_by: p-cyd
    created: 2026-11-01
    expires: 2026-12-15
"""
FLOW = """policy: payments
waivers:
- {id: W-3, rule: daily-spend, reason: m, owner: p-dan,
   approved_by: p-cyd, created: 2026-11-01, expires: 2026-12-15}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("payments.waivers.yaml", BLOCK),
        ("payments.waivers.yaml", FLOW.replace("\n", "\r\n")),
        ("payments.waivers.json", json.dumps({"policy": "payments", "waivers": [WAIVER]}, indent=1)),
    ],
    ids=["block", "flow", "json"],
)
def test_a_proof_is_put_into_the_file_and_nothing_else_changes(
    policy: Policy, tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    node = unsigned(str(path), policy, "W-3")
    proof = signed(node.plain)["proof"]
    made = with_proof(text.encode(), str(path), node, proof)
    path.write_bytes(made)
    found = read_waivers(str(path), policy, signers.parsed())
    assert found.problems == ()
    assert [one.id for one in found.waivers] == ["W-3"]
    assert len(made) > len(text)
    kept = iter(made.decode())
    assert all(character in kept for character in text)  # in order
    with pytest.raises(PolicyError, match="signed already"):
        unsigned(str(path), policy, "W-3")


def test_the_waivers_stand_beside_the_policy_under_its_ending() -> None:
    assert waivers_path("a/payments.yaml") == "a/payments.waivers.yaml"
    assert waivers_path("payments.json") == "payments.waivers.json"
    assert waivers_path("payments") == "payments.waivers.yaml"
