"""Registries that cannot be used, and logs in which registries, keys and policies change."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import authenticator
import people
from log_lines import Lines
from people import key, registry
from vectors_good import Named, approval

from agent_saga.approvals.registry import registry_digest
from agent_saga.trace.base64url import unpadded

POLICY_2 = sha256(b"policy 2").hexdigest()


def _with(*more: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return registry(keys=[*registry()["keys"], *more], **changed)


def _keys(id: str, **changed: Any) -> dict[str, Any]:
    return registry(keys=[one | changed if one["id"] == id else one for one in registry()["keys"]])


def registries() -> Named:
    small = unpadded((1).to_bytes(32, "little"))
    large = unpadded((2**255 - 19 + 3).to_bytes(32, "little"))
    off = unpadded(b"\x04" + b"\x01" * 64)
    cases = {
        "unknown-member": registry(note="x"),
        "version": registry(v=2),
        "version-0": registry(version=0),
        "key-twice": _with(registry()["keys"][0]),
        "raw-key-of-two": _with(key("fay-copy", "p-fay", "sshsig") | {"public": people.public("cyd-ssh")}),
        "raw-key-two-schemes": _with(key("cyd-copy", "p-cyd", "ed25519") | {"public": people.public("cyd-ssh")}),
        "credential-twice": _with(
            key("fay-passkey", "p-fay", "webauthn", credential=registry()["keys"][0]["credential"])
        ),
        "person-twice": registry(people=[*registry()["people"], {"id": "p-ana"}]),
        "key-of-nobody": _with(key("gus-ssh", "p-gus", "sshsig")),
        "agent-of-nobody": registry(agents=[{"id": "a", "owner": "p-gus"}]),
        "weak-key": _keys("ana-software", public=small),
        "unreduced-key": _keys("ana-software", public=large),
        "short-key": _keys("ana-software", public="AAAA"),
        "point-off-curve": _keys("ana-es256", public=off),
        "es256-not-allowed": registry(algorithms=None),
        "es256-for-software": _keys("ana-software", algorithm=-7, public=unpadded(authenticator.es256_public("x"))),
        "window": _keys("ana-software", not_after="2026-10-01T00:00:00.000000Z"),
        "application": _keys("ben-sk", application="sshd"),
        "application-of-plain": _keys("cyd-ssh", application="ssh:"),
        "no-application": _keys("ben-sk", application=""),
        "passkey-without-id": _keys("ana-passkey", credential=""),
        "no-relying-party": registry(rp=None),
        "no-origin": registry(rp={"id": "approve.example", "origins": []}),
        "origin-of-another": registry(rp={"id": "approve.example", "origins": ["https://notapprove.example"]}),
        "origin-without-tls": registry(rp={"id": "approve.example", "origins": ["http://approve.example"]}),
        "origin-with-path": registry(rp={"id": "approve.example", "origins": ["https://approve.example/"]}),
        "attested-nothing": _keys("ben-hsm", attested=True),
        "attested-software": _keys("ana-software", attested=True, attestation={"kept": "x"}),
        "pin-of-software": _keys("ana-software", verify=True),
        "unreachable-quorum": registry(changes={"roles": ["registrar"], "quorum": 4, "strength": "D"}),
        "empty": {},
    }
    for name, found in cases.items():
        yield f"bad-registry-{name}", approval("A registry that cannot be used.", registry=found)


def use(key_id: str, index: int, at: str = people.NOW, earliest: str = "", latest: str = "") -> dict[str, Any]:
    return {"key": key_id, "index": index, "recorded": {"at": at, "earliest": earliest, "latest": latest}}


def second(**changed: Any) -> dict[str, Any]:
    """Registry 2: Gus is new, with a key."""
    more: dict[str, Any] = {"version": 2, "people": [*registry()["people"], {"id": "p-gus", "roles": ["treasury"]}]}
    return _with(key("gus-ssh", "p-gus", "sshsig"), **(more | changed))


BOTH = ("ana-software", "ben-hsm")


def good_logs() -> Named:
    log = Lines(registry())
    log.enroll(second(), *BOTH)
    log.revoke("gus-ssh", *BOTH, since="2026-11-30T06:00:00.000000Z")
    log.adopt(POLICY_2, "ana-passkey", "ben-sk")
    yield "good-log", log.vector("A registry enrolled, a key revoked, a policy adopted, each by two persons.")
    log = Lines(registry())
    log.revoke("cyd-ssh", "cyd-strict")
    used = use("cyd-ssh", 5)
    yield "good-log-own-key", log.vector("Who loses a key revokes it alone; what was used before stands.", used)
    log = Lines(registry())
    log.revoke("cyd-ssh", *BOTH, since="2026-11-30T06:00:00.000000Z")
    known = use(
        "cyd-ssh", 5, "2026-11-30T05:00:00.000000Z", "2026-11-30T04:59:00.000000Z", "2026-11-30T05:30:00.000000Z"
    )
    yield "good-log-before-loss", log.vector("Used, and witnessed, before the key was lost.", known)
    log = Lines({})
    log.enroll(registry(), *BOTH, holds=False)
    yield "good-log-empty-registry", log.vector("A log without a registry: nobody may approve, or change that.")


def bad_uses() -> Named:
    log = Lines(registry())
    log.revoke("cyd-ssh", *BOTH, since="2026-11-30T06:00:00.000000Z")
    yield "bad-revoked", log.vector("Used after the revocation, in log order.", use("cyd-ssh", 11))
    yield "bad-compromised", log.vector("Used before the revocation, after the key was lost.", use("cyd-ssh", 5))
    told = use(
        "cyd-ssh", 5, "2026-11-30T05:00:00.000000Z", "2026-11-30T04:00:00.000000Z", "2026-11-30T06:30:00.000000Z"
    )
    yield "bad-compromised-undecided", log.vector("Witnessed only after the key was lost.", told)
    lied = use(
        "cyd-ssh", 5, "2026-11-30T05:00:00.000000Z", "2026-11-30T06:30:00.000000Z", "2026-11-30T06:40:00.000000Z"
    )
    yield "bad-compromised-backdated", log.vector("The line's clock says before, the witness says after.", lied)


def logs_without_effect() -> Named:
    """Lines that change nothing. What stood before stays in force, and the line is told."""
    since = "2026-11-30T06:00:00.000000Z"
    moved = [one | {"person": "p-fay"} if one["id"] == "cyd-ssh" else one for one in registry()["keys"]]
    renamed = [one | {"id": "cyd-new"} if one["id"] == "cyd-ssh" else one for one in registry()["keys"]]
    other = [one | {"public": people.public("x")} if one["id"] == "cyd-ssh" else one for one in registry()["keys"]]
    rotten = second() | {"keys": [*second()["keys"], second()["keys"][0]]}
    enrolments: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
        "one-of-two": (second(), ("ana-software",), {}),
        "one-person-twice": (second(), ("ana-software", "ana-passkey"), {}),
        "role": (second(), ("ana-software", "cyd-ssh"), {}),
        "new-key": (second(), ("ana-software", "gus-ssh"), {}),
        "nobody": (second(), (), {}),
        "late": (
            second(),
            BOTH,
            {"not_after": "2026-11-30T06:00:00.000000Z", "issued_at": "2026-11-30T05:00:00.000000Z"},
        ),
        "other-subject": (second(), BOTH, {"subject": "0" * 64}),
        "other-registry": (second(), BOTH, {"registry": "0" * 64}),
        "other-log": (second(), BOTH, {"log": "log.example/other"}),
        "other-change": (second(), BOTH, {"change": "adopt"}),
        "other-prev": (second(), BOTH, {"prev": "0" * 64}),
        "unknown-member": (second(), BOTH, {"note": "x"}),
        "version": (second(version=3), BOTH, {}),
        "bad-registry": (rotten, BOTH, {}),
        "key-to-another": (registry(version=2, keys=moved), BOTH, {}),
        "key-id-new": (registry(version=2, keys=renamed), BOTH, {}),
        "key-id-reused": (registry(version=2, keys=other), BOTH, {}),
    }
    for name, (new, key_ids, wrong) in enrolments.items():
        log = Lines(registry())
        log.enroll(new, *(one for one in key_ids if one != "gus-ssh"), holds=False, **wrong)
        if "gus-ssh" in key_ids:
            log = Lines(registry())
            stranger = log.signed("enroll", registry_digest(new), "ana-software", "ben-hsm")
            stranger["signatures"][1] |= {"key_id": "gus-ssh"}
            log.add("keys.enrolled", {"registry": new, "proof": stranger})
        yield f"good-log-refused-{name}", log.vector("An enrolment without effect.")
    log = Lines(registry())
    log.revoke("cyd-ssh", "cyd-strict", since=since, holds=False)
    yield "good-log-refused-own-since", log.vector("Alone, nobody takes back what was approved earlier.")
    log = Lines(registry())
    log.revoke("cyd-ssh", "fay-software", holds=False)
    yield "good-log-refused-other-key", log.vector("One person alone revokes somebody else's key.")
    log = Lines(registry())
    log.revoke("ben-hsm", *BOTH)
    log.adopt(POLICY_2, *BOTH, holds=False)
    log.enroll(registry(version=2), "ana-software", "ben-sk", holds=False)
    text = "A revoked key signs, and is enrolled again."
    yield "good-log-refused-revoked", log.vector(text)
    log = Lines(registry(changes=None))
    log.adopt(POLICY_2, *BOTH, holds=False)
    yield "good-log-refused-no-rule", log.vector("A registry that nobody may change.")
    log = Lines(registry(changes={"roles": ["registrar"], "quorum": 2, "strength": "C"}))
    log.adopt(POLICY_2, *BOTH, holds=False)
    yield "good-log-refused-weak", log.vector("A software key where C is asked for.")
    log = Lines(registry())
    log.adopt(POLICY_2, *BOTH)
    again = json.loads(log.lines[-1][1])
    log.add("policy.adopted", {"policy": people.POLICY, "proof": log.signed("adopt", people.POLICY, *BOTH)})
    log.add("policy.adopted", {"policy": POLICY_2, "proof": again["proof"]})
    yield "good-log-refused-replayed", log.vector("Signatures that served before: changes stand in one order.")
    log = Lines(_keys("ben-hsm", not_after="2026-11-30T06:00:00.000000Z"))
    log.adopt(POLICY_2, *BOTH, holds=False)
    yield "good-log-refused-key-ended", log.vector("A key that signs after its end.")
    log = Lines(registry())
    log.revoke("nobody", *BOTH, holds=False)
    yield "good-log-refused-unknown-key", log.vector("A key that was never enrolled.")
    log = Lines(registry())
    log.add(
        "policy.adopted", {"policy": POLICY_2, "proof": log.signed("adopt", POLICY_2, "ana-software")["signatures"][0]}
    )
    yield "good-log-refused-form", log.vector("A proof that is no list of signatures.")
