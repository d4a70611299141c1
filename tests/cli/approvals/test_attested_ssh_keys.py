"""A security key over ssh is enrolled with what ssh-keygen -O write-attestation kept, verified under a maker's root."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires

sys.path.append(str(Path(__file__).resolve().parents[2] / "approvals"))

import sshsigs
from makers import pem
from test_attested_ssh import APPLICATION, CHALLENGE, KEY, OTHER, ROOT, file, told_of

Run = Callable[..., Any]
ENROL = ("enroll", "p-ana", "--id", "ana-sk", "--ssh-public", "key.pub", "--registry", "registry-1.json")
KEPT = ("--attestation", "key.attestation", "--challenge", "challenge")
TRUSTING = (*KEPT, "--trust-root", "root.pem")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The registry, an attested key's files, and roots: root.pem holds the maker's, other.pem somebody else's."""
    wires.registry(tmp_path)
    (tmp_path / "key.pub").write_text(sshsigs.public_line(KEY, APPLICATION) + "\n")
    (tmp_path / "key.attestation").write_bytes(file(told_of(KEY)))
    (tmp_path / "challenge").write_bytes(CHALLENGE)
    (tmp_path / "root.pem").write_bytes(pem(ROOT))
    (tmp_path / "other.pem").write_bytes(pem(OTHER))
    return tmp_path


def test_it_is_attested_under_its_maker_s_root_alone_and_stays_so_in_the_registry(run: Run, folder: Path) -> None:
    done = run(*ENROL, *TRUSTING, "-o", "registry-2.json")
    assert (done.returncode, "attested by" in done.stderr, "CN=Device" in done.stderr) == (0, True, True), done.output
    (key,) = json.loads((folder / "registry-2.json").read_text())["keys"]
    assert (key["scheme"], key["application"], key["attested"]) == ("sshsig-sk", APPLICATION, True)
    assert run("registry", "check", "registry-2.json", "--trust-root", "root.pem").returncode == 0
    done = run("registry", "check", "registry-2.json", "--trust-root", "other.pem")
    assert (done.returncode, "no trust root" in done.stdout) == (1, True), done.output
    done = run(*ENROL, *KEPT, "--trust-root", "other.pem", "-o", "registry-3.json")
    assert (done.returncode, "no trust root" in done.stderr) == (1, True), done.output
    assert not (folder / "registry-3.json").exists()


def test_what_nobody_verified_is_kept_and_proves_nothing(run: Run, folder: Path) -> None:
    done = run(*ENROL, *KEPT, "-o", "registry-2.json")
    assert (done.returncode, "was not verified" in done.stderr) == (0, True), done.output
    (key,) = json.loads((folder / "registry-2.json").read_text())["keys"]
    assert "attested" not in key
    done = run("registry", "check", "registry-2.json", "--trust-root", "root.pem")
    assert (done.returncode, "its entry does not say so" in done.stdout) == (0, True), done.output


def test_without_the_challenge_nothing_can_be_verified(run: Run, folder: Path) -> None:
    done = run(*ENROL, "--attestation", "key.attestation", "--trust-root", "root.pem")
    assert (done.returncode, "ssh-keygen -O challenge" in done.stderr) == (1, True), done.output
    (folder / "challenge").write_bytes(CHALLENGE + b"\n")
    done = run(*ENROL, *TRUSTING)
    assert (done.returncode, "does not hold" in done.stderr) == (1, True), done.output


@pytest.mark.parametrize(
    "options, words",
    [
        (("--challenge", "challenge"), "--challenge: goes with --attestation"),
        (("--trust-root", "root.pem"), "--trust-root: goes with"),
    ],
    ids=["challenge-alone", "root-alone"],
)
def test_options_that_go_together_are_told(run: Run, folder: Path, options: tuple[str, ...], words: str) -> None:
    done = run(*ENROL, *options)
    assert (done.returncode, words in done.stderr) == (2, True), done.output


def test_a_device_that_gives_no_certificate_attests_nothing(run: Run, folder: Path) -> None:
    sshsigs.need(provider=True)
    (folder / "key.pub").unlink()
    (folder / "key.attestation").unlink()
    asked = ("-O", f"challenge={folder / 'challenge'}", "-O", f"write-attestation={folder / 'key.attestation'}")
    made = sshsigs.keygen("-q", "-t", "ed25519-sk", "-N", "", "-C", "", "-f", str(folder / "key"), *asked)
    assert made.returncode == 0, made.stderr
    done = run(*ENROL, *TRUSTING)
    assert (done.returncode, "no maker's certificate" in done.stderr) == (1, True), done.output
    assert run(*ENROL, *KEPT).returncode == 0
