"""Certificates made by hand, with keys whose seeds stand here: what vectors are cut from. Shares no code with ours."""

from __future__ import annotations

import copy
import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN, CERTIFIER = "log.example/shop", "acme.example/certify"
SEEDS = {"log": 1, "certificate": 5, "other": 6}
"""Seeds of test-only keys: 32 times this byte."""
LOG, KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in SEEDS.values())
TYPE = "application/vnd.in-toto+json"
ROOT = sha256(b"a root").digest()
FILE = sha256(b"a file").hexdigest()
KINDS = ("error", "warning", "note", "inconclusive")
NONE = dict.fromkeys(KINDS, 0)


def raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def vkey(name: str, key: Ed25519PrivateKey) -> str:
    return f"{name}+{identity(name, key).hex()}+{b64encode(bytes([1]) + raw(key)).decode()}"


def identity(name: str, key: Ed25519PrivateKey) -> bytes:
    return sha256(name.encode() + b"\n" + b"\1" + raw(key)).digest()[:4]


BARE_PIN = f"agent-saga-pin-v1\norigin {ORIGIN}\nlog {vkey(ORIGIN, LOG)}\n"
PIN = f"{BARE_PIN}certificate {vkey(CERTIFIER, KEY)}\n"


def note(size: int = 34, root: bytes = ROOT, key: Ed25519PrivateKey = LOG, origin: str = ORIGIN) -> str:
    text = f"{origin}\n{size}\n{b64encode(root).decode()}\n"
    blob = b64encode(identity(origin, key) + key.sign(text.encode())).decode()
    return f"{text}\n— {origin} {blob}\n"


def predicate(**changed: Any) -> dict[str, Any]:
    """That of a clean log of 34 lines under a checkpoint; changed: members that are another."""
    found: dict[str, Any] = {
        "verdict": "certified",
        "headline": "certified",
        "profile": "default",
        "now": "2026-11-30T12:00:00.000000Z",
        "choices": {
            "fail_on": "error",
            "inconclusive": "strict",
            "open": "error",
            "require_chain": False,
            "selected": [],
            "ignored": [],
            "baseline_sha256": "",
            "mapping_sha256": "",
            "expected_root": "",
            "expected_size": 0,
        },
        "input": {"format": "agent-saga trace 1.0", "lines": 34, "bytes": 12_000, "sha256": FILE},
        "checkpoint": {
            "origin": ORIGIN,
            "size": 34,
            "root": ROOT.hex(),
            "note": note(),
            "agrees": True,
            "earlier": [],
        },
        "sagas": {"judged": 3, "excluded": 0},
        "counts": dict(NONE),
        "findings": {},
        "exceptions": {"signed": 0, "suppressed": 0},
        "waivers": [],
        "rules": {
            "digest": sha256(b"the rules").hexdigest(),
            "run": ["AS101", "AS201"],
            "not_run": [],
            "not_exercised": ["AS201"],
            "not_assessable": {},
        },
        "policy": None,
        "registry": None,
        "tool": {"name": "agent-saga", "version": "0.1.0"},
        "assumptions": ["tool classes are the operator's own statement: no policy is pinned"],
    }
    for place, value in changed.items():
        *into, last = place.split("__")
        target = found
        for name in into:
            target = target[name]
        target[last] = copy.deepcopy(value)
    return found


LOG_SUBJECT = {"name": ORIGIN, "digest": {"rfc9162-sha256": ROOT.hex()}, "annotations": {"size": 34}}
FILE_SUBJECT = {"name": "orders.jsonl", "digest": {"sha256": FILE}}


def statement(said: dict[str, Any] | None = None, subject: Any = LOG_SUBJECT, **changed: Any) -> dict[str, Any]:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "urn:agent-saga:certificate:v1",
        "subject": [subject],
        "predicate": said if said is not None else predicate(),
    } | changed


def canonical(value: Any) -> bytes:
    """RFC 8785 for what stands here: no float, no name beyond ASCII."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


def pae(payload: bytes, kind: str = TYPE) -> bytes:
    return f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload


def signature(payload: bytes, key: Ed25519PrivateKey = KEY, kind: str = TYPE, name: str = CERTIFIER) -> dict[str, str]:
    return {"keyid": f"{name}+{identity(name, key).hex()}", "sig": b64encode(key.sign(pae(payload, kind))).decode()}


def enveloped(payload: bytes, *signatures: dict[str, str], kind: str = TYPE) -> str:
    whole = {"payload": b64encode(payload).decode(), "payloadType": kind, "signatures": list(signatures)}
    return canonical(whole).decode() + "\n"


def sealed(said: dict[str, Any], key: Ed25519PrivateKey = KEY) -> str:
    """The envelope of a statement, rightly made."""
    payload = canonical(said)
    return enveloped(payload, signature(payload, key))
