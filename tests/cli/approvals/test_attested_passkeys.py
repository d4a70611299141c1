"""What the approval page keeps of a new passkey is verified under a maker's root, as a plugged-in key's is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires

sys.path.append(str(Path(__file__).resolve().parents[2] / "approvals"))

from ctap_device import SoftwareKey
from fido2.client import UserInteraction
from makers import Attested, certificate, pem

from agent_saga.approvals.registry import Party, read_registry
from agent_saga.approvals.signing.fido_key import FidoSigner
from agent_saga.console.enrolling import Made, entry_of

Run = Callable[..., Any]
CHALLENGE = b"page" * 8
PARTY = Party("approve.example", ("https://approve.example",))
BEGIN, END = "2026-01-01T00:00:00.000000Z", "2036-01-01T00:00:00.000000Z"
ENROL = ("enroll", "p-ana", "--id", "ana-phone", "--passkey", "passkey.json", "--registry", "registry-1.json")
ROOT, ROOT_KEY = certificate("Root", authority=True)
LEAF, LEAF_KEY = certificate("Device", ("Root", ROOT_KEY))
OTHER, _ = certificate("Other", authority=True)


def enrolled_in_the_page(folder: Path, device: Any) -> dict[str, Any]:
    """The entry that the page shows for a key of this device, in passkey.json."""
    known, _ = read_registry(wires.registry(folder).read_bytes())
    kept = FidoSigner(device, PARTY, UserInteraction()).enroll("p-ana", CHALLENGE)["attestation"]
    entry = entry_of(Made("p-ana", kept["client"], kept["object"]), CHALLENGE, known, BEGIN, END)
    (folder / "passkey.json").write_text(json.dumps(entry))
    return entry


@pytest.fixture
def roots(tmp_path: Path) -> None:
    """root.pem holds the maker's, other.pem somebody else's, none.pem nobody's."""
    (tmp_path / "root.pem").write_bytes(pem(OTHER, ROOT))
    (tmp_path / "other.pem").write_bytes(pem(OTHER))
    (tmp_path / "none.pem").write_text("no certificate")


@pytest.fixture
def attested(run: Run, roots: None, tmp_path: Path) -> Path:
    """A registry with Ana's passkey, attested by its maker."""
    enrolled_in_the_page(tmp_path, Attested([LEAF], LEAF_KEY))
    done = run(*ENROL, "--trust-root", "root.pem", "-o", "registry-2.json")
    assert (done.returncode, "attested by" in done.stderr, "CN=Device" in done.stderr) == (0, True, True), done.output
    return tmp_path / "registry-2.json"


def test_a_passkey_is_attested_under_its_maker_s_root_alone(run: Run, attested: Path, tmp_path: Path) -> None:
    (key,) = json.loads(attested.read_text())["keys"]
    assert key["attested"] is True
    done = run(*ENROL, "--trust-root", "other.pem", "-o", "registry-3.json")
    assert (done.returncode, "no trust root" in done.stderr) == (1, True), done.output
    assert not (tmp_path / "registry-3.json").exists()
    without = json.loads(run(*ENROL).stdout)["keys"][0]
    assert "attested" not in without, "what nobody verified proves nothing"


def test_a_passkey_that_attests_itself_is_not_attested(run: Run, roots: None, tmp_path: Path) -> None:
    entry = enrolled_in_the_page(tmp_path, SoftwareKey(b"seed"))
    done = run(*ENROL, "--trust-root", "root.pem")
    assert (done.returncode, "attests itself" in done.stderr) == (1, True), done.output
    for changed in (entry | {"attestation": {}}, {n: v for n, v in entry.items() if n != "attestation"}):
        (tmp_path / "passkey.json").write_text(json.dumps(changed))
        assert run(*ENROL, "--trust-root", "root.pem").returncode == 1


def test_another_key_s_attestation_is_none(run: Run, roots: None, tmp_path: Path) -> None:
    entry = enrolled_in_the_page(tmp_path, Attested([LEAF], LEAF_KEY))
    (tmp_path / "passkey.json").write_text(json.dumps(entry | {"public": wires.PUBLIC}))
    done = run(*ENROL, "--trust-root", "root.pem")
    assert (done.returncode, "another key" in done.stderr) == (1, True), done.output


def test_check_finds_a_key_that_says_attested_and_is_not(run: Run, attested: Path, tmp_path: Path) -> None:
    assert run("registry", "check", "registry-2.json", "--trust-root", "root.pem").returncode == 0
    other = run("registry", "check", "registry-2.json", "--trust-root", "other.pem", "--format", "json")
    assert other.returncode == 1, other.output
    assert "ana-phone is said to be attested, and is not by these roots" in json.loads(other.stdout)["errors"][0]
    value = json.loads(attested.read_text())
    value["keys"][0]["attestation"] = {"note": "trust me"}
    (tmp_path / "claimed.json").write_text(json.dumps(value))
    assert run("registry", "check", "claimed.json").returncode == 0, "nobody asked"
    assert run("registry", "check", "claimed.json", "--trust-root", "root.pem").returncode == 1


def test_check_says_what_could_be_said(run: Run, attested: Path, tmp_path: Path) -> None:
    value = json.loads(attested.read_text())
    del value["keys"][0]["attested"]
    (tmp_path / "modest.json").write_text(json.dumps(value))
    done = run("registry", "check", "modest.json", "--trust-root", "root.pem")
    assert (done.returncode, "its entry does not say so" in done.stdout) == (0, True), done.output


def test_roots_that_are_none_are_told(run: Run, attested: Path) -> None:
    for words in (("registry", "check", "registry-2.json"), ("registry", "check", "registry-1.json")):
        done = run(*words, "--trust-root", "none.pem")
        assert (done.returncode, "certificates in PEM" in done.stderr) == (2, True), done.output
    assert run(*ENROL, "--trust-root", "none.pem").returncode == 1
    assert (
        run("enroll", "p-ana", "--id", "k", "--vkey", str(wires.SOFT.vkey), "--trust-root", "root.pem").returncode == 2
    )
