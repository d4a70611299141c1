"""The published vectors of approvals hold, every reason has one, and other verifiers agree on those that are good."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import expected
import make_approval_vectors as maker
import people
import pytest
import sshsigs
import webauthn
from approval_answers import answer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from webauthn.helpers.exceptions import WebAuthnException

from agent_saga.approvals.digests import APPROVAL, DECISION, digest, message
from agent_saga.approvals.requests import Content
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted(maker.FOLDER.glob("*.json"))
SPEC = (ROOT / "docs" / "spec" / "approval-v1.md").read_text("utf-8")
LAX_SSH = {"no-touch", "no-touch-with-pin", "no-pin", "flags", "backup-flags"}
"""Bad vectors of security keys over ssh that `ssh-keygen -Y verify` calls Good."""
LAX_WEBAUTHN = {
    "byte-order-mark",
    "cross-origin",
    "cross-origin-word",
    "duplicate-origin-before",
    "extension-deep",
    "extension-no-map",
    "padded",
    "too-long",
    "top-origin",
}
"""Bad vectors of passkeys that py_webauthn accepts."""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def named(prefix: str) -> list[Any]:
    return [pytest.param(path, id=path.stem) for path in PATHS if path.stem.startswith(prefix)]


def signed_with(scheme: str, prefix: str) -> list[Any]:
    """Good vectors of one signature by a scheme, and bad ones whose name begins so."""
    return [
        pytest.param(path, id=path.stem)
        for path in PATHS
        if (path.stem.startswith(prefix) and path.stem != "bad-webauthn-other-scheme")
        or (path.stem.startswith("good-") and [one["scheme"] for one in read(path).get("proofs", [])] == [scheme])
    ]


def test_the_files_are_what_their_maker_writes() -> None:
    assert maker.main(["--check"]) == 0, "run tests/approvals/make_approval_vectors.py"


@pytest.mark.parametrize("path", named(""))
def test_a_vector_comes_to_what_it_expects(path: Path) -> None:
    vector = read(path)
    assert answer(vector) == vector["expect"], vector["description"]


@pytest.mark.parametrize("path", named(""))
def test_a_vector_expects_what_stands_in_the_list_beside_it(path: Path) -> None:
    expect = read(path)["expect"]
    assert expect.get("reason") == expected.reason_of(path.stem)
    assert expect.get("without_effect", []) == expected.WITHOUT_EFFECT.get(path.stem, [])


def test_every_reason_has_a_vector_and_a_row_in_the_specification() -> None:
    ours = given_reasons() | {f"wrong-{name}" for name in Content.__struct_fields__}
    rows = set(re.findall(r"^\| `([\w-]+)` \|", SPEC.partition("## Reasons")[2].partition("\n## ")[0], re.M))
    assert rows == ours
    tried = set(expected.REASONS) | {str(why) for lines in expected.WITHOUT_EFFECT.values() for _, why in lines}
    assert tried == ours - {"withheld", "wrong-line"}, "these two are tried in test_display.py and test_core.py"


def given_reasons() -> set[str]:
    """Every reason that the code names: where an error is raised, or a function is told which one to raise."""
    places = {"NotApproved": 0, "Ineffective": 1, "check_window": 3}
    folder = ROOT / "approvals" / "agent_saga" / "approvals"
    calls = (node for path in folder.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    words = (
        node.args[places[node.func.id]]
        for node in calls
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places
    )
    return {word.value for word in words if isinstance(word, ast.Constant)}


def line_of(vector: dict[str, Any]) -> bytes:
    domain = DECISION if vector["kind"] == "decision" else APPROVAL
    return message(domain, digest(domain, vector["proofs"][0]["request"]))


@pytest.mark.parametrize("path", signed_with("sshsig", "bad-ssh-plain") + signed_with("sshsig-sk", "bad-ssh-"))
def test_ssh_keygen_agrees_but_for_what_the_specification_tells(path: Path, tmp_path: Path) -> None:
    sshsigs.need()
    vector = read(path)
    proof = vector["proofs"][0]
    application = next(one for one in people.registry()["keys"] if one["id"] == proof["key_id"]).get("application", "")
    public = sshsigs.public_line(people.private(proof["key_id"]), application)
    blob = from_base64url(proof["signature"], "the blob")
    good = sshsigs.said_good(tmp_path, public, blob, line_of(vector))
    assert good == (path.stem.startswith("good-") or path.stem.removeprefix("bad-ssh-") in LAX_SSH)


@pytest.mark.parametrize("path", signed_with("webauthn", "bad-webauthn-"))
def test_py_webauthn_agrees_but_for_what_the_specification_tells(path: Path) -> None:
    vector = read(path)
    good = path.stem.startswith("good-")
    assert py_webauthn_accepts(vector) == (good or path.stem.removeprefix("bad-webauthn-") in LAX_WEBAUTHN)


def py_webauthn_accepts(vector: dict[str, Any]) -> bool:
    (proof,) = vector["proofs"]
    domain = DECISION if vector["kind"] == "decision" else APPROVAL
    key = next(one for one in people.registry()["keys"] if one["id"] == proof["key_id"])
    raw = from_base64url(key["public"], "the key")
    cose = b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20" + raw
    if key.get("algorithm") == -7:
        cose = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + raw[1:33] + b"\x22\x58\x20" + raw[33:]
    try:
        given = {
            "id": key["credential"],
            "rawId": proof["credential"],
            "type": "public-key",
            "response": {
                "authenticatorData": proof["authenticator_data"],
                "clientDataJSON": proof["client_data"],
                "signature": proof["signature"],
            },
        }
        webauthn.verify_authentication_response(
            credential=given,
            expected_challenge=digest(domain, proof["request"]),
            expected_rp_id=people.RP["id"],
            expected_origin=people.RP["origins"],
            credential_public_key=cose,
            credential_current_sign_count=0,
        )
    except (WebAuthnException, KeyError, ValueError):
        return False
    return proof.keys() == {
        "scheme",
        "key_id",
        "request",
        "credential",
        "authenticator_data",
        "client_data",
        "signature",
    }


def test_the_example_of_the_specification_is_the_vector() -> None:
    shown = json.loads(SPEC.split("<!-- vector: good-ana-software -->")[1].split("```json\n")[1].split("\n```")[0])
    vector = read(maker.FOLDER / "good-ana-software.json")
    assert shown == vector["proofs"][0]
    found = digest(APPROVAL, shown["request"])
    assert vector["expect"]["signatures"][0]["fingerprint"] in SPEC
    assert f"agent-saga-approval-v1 sha256:{found.hex()}" in SPEC
    raw = people.private("ana-software").public_key().public_bytes_raw()
    assert unpadded(raw) in SPEC
    signature = from_base64url(shown["signature"], "the signature")
    Ed25519PublicKey.from_public_bytes(raw).verify(signature, message(APPROVAL, found))
