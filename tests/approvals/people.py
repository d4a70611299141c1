"""Who stands in the registry of the tests, with keys from seeds that everybody knows, and one payment to approve."""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from typing import Any

import authenticator
import sshsigs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_saga.approvals.digests import ACTION, APPROVAL, DECISION, REGISTRY, digest, message
from agent_saga.approvals.registry import parse_registry, registry_digest
from agent_saga.trace.base64url import unpadded

NOW = "2026-11-30T07:00:00.000000Z"
SOON = "2026-11-30T07:10:00.000000Z"
LATER = "2026-11-30T09:00:00.000000Z"
RP = {"id": "approve.example", "origins": ["https://approve.example"]}
LEAF = sha256(b"approval.requested").hexdigest()
PAUSED = sha256(b"saga.paused").hexdigest()
DOMAINS = {"approval": APPROVAL, "decision": DECISION, "change": REGISTRY}


def private(name: str) -> Ed25519PrivateKey:
    """The Ed25519 key of this name."""
    return Ed25519PrivateKey.from_private_bytes(sha256(b"approvals " + name.encode()).digest())


def public(name: str) -> str:
    return unpadded(private(name).public_key().public_bytes_raw())


def key(id: str, person: str, scheme: str, **more: Any) -> dict[str, Any]:
    """A key of the registry, as written."""
    window = {"not_before": "2026-11-01T00:00:00.000000Z", "not_after": "2027-11-01T00:00:00.000000Z"}
    return {"id": id, "person": person, "scheme": scheme, "public": public(id)} | window | more


def passkey(id: str, person: str, **more: Any) -> dict[str, Any]:
    return key(id, person, "webauthn", credential=unpadded(sha256(id.encode()).digest()), **more)


def registry(**changed: Any) -> dict[str, Any]:
    """The registry of the tests. Ana, Ben and Cyd approve payments; Dan owns the agent; Eve may break the glass."""
    evidence = {"attested": True, "attestation": {"kept": "statement"}}
    es256 = {"algorithm": -7, "public": unpadded(authenticator.es256_public("ana-es256"))}
    whole = {
        "v": 1,
        "version": 1,
        "people": [
            {"id": "p-ana", "roles": ["treasury", "registrar"]},
            {"id": "p-ben", "roles": ["treasury", "registrar"]},
            {"id": "p-cyd", "roles": ["treasury"]},
            {"id": "p-dan", "roles": ["treasury", "registrar"]},
            {"id": "p-eve", "roles": ["break-glass"]},
            {"id": "p-fay"},
        ],
        "agents": [{"id": "checkout-agent", "owner": "p-dan"}],
        "keys": [
            passkey("ana-passkey", "p-ana", **evidence),
            passkey("ana-es256", "p-ana") | es256,
            key("ana-software", "p-ana", "ed25519"),
            key("ben-sk", "p-ben", "sshsig-sk", application="ssh:", **evidence),
            key("ben-hsm", "p-ben", "pkcs11"),
            key("cyd-ssh", "p-cyd", "sshsig"),
            key("cyd-strict", "p-cyd", "sshsig-sk", application="ssh:pay", verify=True),
            key("dan-software", "p-dan", "ed25519"),
            key("eve-hsm", "p-eve", "pkcs11"),
            key("fay-software", "p-fay", "ed25519"),
        ],
        "rp": RP,
        "changes": {"roles": ["registrar"], "quorum": 2, "strength": "D"},
        "algorithms": [-8, -7],
    }
    return {name: value for name, value in (whole | changed).items() if value is not None}


REGISTRY_0 = registry()
POLICY = sha256(b"policy").hexdigest()


def content(**changed: Any) -> dict[str, Any]:
    """One wire of 10 euros."""
    return {
        "log": "log.example/shop",
        "start": sha256(b"saga.started").hexdigest(),
        "saga": "k3JxQ0m7y2aTt5v9WcZ1eA",
        "step": "s1",
        "tool": {"name": "bank.wire", "version": "2", "schema": sha256(b"schema").hexdigest()},
        "args": {"to": "DE02120300000000202051", "amount": {"minor": 1000, "currency": "EUR"}},
        "semantics": "irreversible",
        "policy": POLICY,
        "keys": registry_digest(REGISTRY_0),
        "key": "5d0f4e6c9a1b4f7e8c2d3a4b5c6d7e8f",
    } | changed


def request(key_id: str = "ana-passkey", about: dict[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    """What the holder of this key signs about the wire."""
    about = content() if about is None else about
    return {
        "v": 1,
        "decision": "approve",
        "action": digest(ACTION, about).hex(),
        "content": about,
        "person": person_of(key_id),
        "proposer": "checkout-agent",
        "key_id": key_id,
        "nonce": nonce(key_id),
        "issued_at": NOW,
        "not_after": "2026-11-30T07:15:00.000000Z",
        "prev": LEAF,
    } | changed


def decision(key_id: str = "ana-passkey", **changed: Any) -> dict[str, Any]:
    """What somebody signs about a call that nobody can prove."""
    about = {name: content()[name] for name in ("log", "start", "saga")}
    return (
        {"v": 1}
        | about
        | {
            "target": "e1",
            "verdict": "landed",
            "reason": "the bank's statement shows it",
            "prev": PAUSED,
            "person": person_of(key_id),
            "key_id": key_id,
            "nonce": nonce(key_id),
            "issued_at": NOW,
            "not_after": LATER,
        }
        | changed
    )


def wanted(**changed: Any) -> dict[str, Any]:
    """What the approval.requested line asks for."""
    return {
        "step": "s1",
        "action": digest(ACTION, content()).hex(),
        "prev": LEAF,
        "quorum": 2,
        "roles": ["treasury"],
        "strength": "D",
        "not_after": LATER,
        "proposer": "checkout-agent",
    } | changed


def person_of(key_id: str) -> str:
    return "p-" + key_id.partition("-")[0]


def nonce(name: str) -> str:
    return unpadded(sha256(b"nonce " + name.encode()).digest()[:16])


def proof(value: dict[str, Any], kind: str = "approval", **knobs: Any) -> dict[str, Any]:
    """Sign a value with the key that it names. knobs: of the scheme, to sign in a way that must be refused."""
    key_id = value["key_id"]
    stands = next(one for one in REGISTRY_0["keys"] if one["id"] == key_id)
    found = digest(DOMAINS[kind], value)
    own = members(stands, found, message(DOMAINS[kind], found), **knobs)
    return {"scheme": stands["scheme"], "key_id": key_id, "request": copy.deepcopy(value)} | own


def members(stands: dict[str, Any], found: bytes, line: bytes, **knobs: Any) -> dict[str, Any]:
    """The scheme's own members of a proof by this key of the registry."""
    name = knobs.pop("by", stands["id"])
    if stands["scheme"] == "webauthn":
        es256 = stands.get("algorithm") == -7 and not knobs.pop("eddsa", False)
        signer = authenticator.es256_signer(name) if es256 else private(name).sign
        return authenticator.assertion(signer, stands["credential"], found, **({"flags": 0x05} | knobs))
    if stands["scheme"] in ("sshsig", "sshsig-sk"):
        blob = sshsigs.made(private(name), line, **({"application": stands.get("application", "")} | knobs))
        return {"signature": unpadded(blob)}
    return {"signature": unpadded(private(name).sign(line))}


def parsed(**changed: Any) -> Any:
    """The registry of the tests, read."""
    return parse_registry(json.loads(json.dumps(registry(**changed))))
