"""Each kind of key, enrolled and signed with through the command: ssh keys by the real ssh-keygen, SoftHSM, FIDO2."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
import wires
from hands import at_a_terminal, enroll, exported, first_group, keygen

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[3]
SOFTHSM = Path("/usr/lib/softhsm/libsofthsm2.so")


def signs(run: Run, folder: Path, key: str, *means: str, **more: Any) -> Any:
    """Export this key's request, sign it, and import the proof; what the first no said, or the import."""
    mark = exported(run, key, registry=2)
    given = ("--registry", "registry-2.json", "--fingerprint", mark, "-o", "proof.json")
    done = run("sign", "request.json", *given, *means, **more)
    if done.returncode:
        return done
    return run("import", "pay.db", "proof.json", "--registry", "registry-2.json")


def waits(folder: Path) -> Path:
    """A wire that waits under registry 2."""
    assert wires.run(folder / "pay.db", folder / "registry-2.json") == "waiting_approval"
    return folder / "pay.db"


def key_of(folder: Path) -> dict[str, Any]:
    (key,) = json.loads((folder / "registry-2.json").read_text())["keys"]
    return dict(key)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A registry without a key."""
    return wires.registry(tmp_path)


def test_a_security_key_over_ssh_is_enrolled_touched_and_recorded(run: Run, first: Path, tmp_path: Path) -> None:
    keygen(tmp_path, "-q", "-t", "ed25519-sk", "-N", "", "-f", "sk")
    enroll(run, "p-ana", "ana-sk", "--ssh-public", "sk.pub", old=1)
    assert (key_of(tmp_path)["scheme"], key_of(tmp_path)["application"]) == ("sshsig-sk", "ssh:")
    store = waits(tmp_path)
    words = ("sign", "pay.db", "--key", "ana-sk", "--ssh", "sk", "--registry", "registry-2.json")
    code, shown = at_a_terminal(tmp_path, *words, types=first_group)
    assert (code, "touch the key" in shown, "recorded: approve" in shown) == (0, True, True), shown
    assert wires.run(store, tmp_path / "registry-2.json") == "succeeded_verified"


def test_a_security_key_that_was_not_touched_is_refused(run: Run, first: Path, tmp_path: Path) -> None:
    keygen(tmp_path, "-q", "-t", "ed25519-sk", "-N", "", "-O", "no-touch-required", "-f", "sk")
    enroll(run, "p-ana", "ana-sk", "--ssh-public", "sk.pub", old=1)
    waits(tmp_path)
    done = signs(run, tmp_path, "ana-sk", "--ssh", "sk", env={"SSH_SK_PROVIDER": os.fspath(_provider())})
    assert (done.returncode, "no-touch" in done.stderr) == (1, True), done.output


def _provider() -> Path:
    from hands import PROVIDER

    return PROVIDER


def test_a_key_enrolled_with_pin_does_not_sign_by_touch_alone(run: Run, first: Path, tmp_path: Path) -> None:
    keygen(tmp_path, "-q", "-t", "ed25519-sk", "-N", "", "-f", "sk")
    enroll(run, "p-ana", "ana-sk", "--ssh-public", "sk.pub", "--require-pin", old=1)
    waits(tmp_path)
    done = signs(run, tmp_path, "ana-sk", "--ssh", "sk", env={"SSH_SK_PROVIDER": os.fspath(_provider())})
    assert (done.returncode, "no-verification" in done.stderr) == (1, True), done.output


def test_a_signature_of_ssh_keygen_in_another_namespace_is_refused(run: Run, first: Path, tmp_path: Path) -> None:
    keygen(tmp_path, "-q", "-t", "ed25519", "-N", "", "-f", "plain")
    enroll(run, "p-ana", "ana-ssh", "--ssh-public", "plain.pub", old=1)
    waits(tmp_path)
    exported(run, "ana-ssh", registry=2)
    line = tmp_path / "line"
    line.write_bytes(b"agent-saga-approval-v1 sha256:" + b"0" * 64)
    given = ("--signature", "line.sig", "--registry", "registry-2.json")
    for namespace, reason in (("file", "wrong-namespace"), ("approval@agent-saga", "bad-signature")):
        keygen(tmp_path, "-q", "-Y", "sign", "-n", namespace, "-f", "plain", "line")
        done = run("import", "pay.db", "request.json", *given)
        assert (done.returncode, reason in done.stderr) == (1, True), done.output
        (tmp_path / "line.sig").unlink()
    (tmp_path / "line.sig").write_text("no armor")
    assert run("import", "pay.db", "request.json", *given).returncode == 1


def test_a_key_in_a_token_signs_through_pkcs11(run: Run, first: Path, tmp_path: Path) -> None:
    env = _token(tmp_path)
    means = ("--pkcs11", os.fspath(SOFTHSM), "--token", "approvals", "--label", "ana")
    enroll(run, "p-ana", "ana-hsm", *means, old=1, env=env)
    assert key_of(tmp_path)["scheme"] == "pkcs11"
    store = waits(tmp_path)
    wrong = signs(run, tmp_path, "ana-hsm", *means, env=env | {"AGENT_SAGA_TOKEN_PIN": "000000"})
    assert (wrong.returncode, "nothing was signed" in wrong.stderr) == (1, True), wrong.output
    (tmp_path / "request.json").unlink()
    (tmp_path / "pin").write_text("123456\n")
    done = signs(run, tmp_path, "ana-hsm", *means, "--pin-file", "pin", env=env | {"AGENT_SAGA_TOKEN_PIN": ""})
    assert done.returncode == 0, done.output
    assert wires.run(store, tmp_path / "registry-2.json") == "succeeded_verified"


def _token(folder: Path) -> dict[str, str]:
    """A token of SoftHSM with one Ed25519 key, made in a process of its own, since the module reads its file once."""
    if not SOFTHSM.exists() or shutil.which("softhsm2-util") is None:
        pytest.skip("install softhsm2")
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder}/tokens\nobjectstore.backend = file\n")
    env = {"SOFTHSM2_CONF": f"{folder}/softhsm2.conf", "AGENT_SAGA_TOKEN_PIN": "123456"}
    command = ["softhsm2-util", "--init-token", "--free", "--label", "approvals", "--pin", "123456", "--so-pin", "1234"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | env, timeout=60)
    make = (
        "import pkcs11\n"
        "from pkcs11.util.ec import encode_named_curve_parameters as curve\n"
        f"with pkcs11.lib('{SOFTHSM}').get_token(token_label='approvals').open(rw=True, user_pin='123456') as s:\n"
        "    named = {pkcs11.Attribute.EC_PARAMS: curve('1.3.101.112')}\n"
        "    made = s.create_domain_parameters(pkcs11.KeyType.EC_EDWARDS, named, local=True)\n"
        "    made.generate_keypair(mechanism=pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN, label='ana', store=True)\n"
    )
    subprocess.run([sys.executable, "-c", make], check=True, capture_output=True, env=os.environ | env, timeout=60)
    return env


def _software_key() -> Any:
    """The CTAP2 device in software of the tests of approvals."""
    path = ROOT / "tests" / "approvals" / "ctap_device.py"
    spec = importlib.util.spec_from_file_location("cli_ctap_device", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SoftwareKey


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The FIDO2 keys that are plugged in: none, until a test puts one there."""
    from fido2.hid import CtapHidDevice

    devices: list[Any] = []
    monkeypatch.setattr(CtapHidDevice, "list_devices", classmethod(lambda cls: iter(devices)))
    return devices


def _root() -> bytes:
    """The certificate of some maker."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    builder = builder.serial_number(1).not_valid_before(begin).not_valid_after(begin + timedelta(days=36500))
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


def called(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The command in this process, where the device is."""
    from agent_saga.cli.program import run

    monkeypatch.chdir(folder)
    code = run(["approvals", *words])
    assert code != 70
    return code


def test_a_fido2_key_is_enrolled_and_signs(
    plugged: list[Any], run: Run, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrolls = ("enroll", "p-ana", "--id", "ana-fido", "--fido", "--registry", "registry-1.json", "-o")
    assert called(tmp_path, monkeypatch, *enrolls, "registry-2.json") == 1, "no key is plugged in"
    plugged.append(_software_key()(b"seed"))
    (tmp_path / "roots.pem").write_bytes(_root())
    trusting = ("--trust-root", "roots.pem")
    assert called(tmp_path, monkeypatch, *enrolls, "registry-2.json", *trusting) == 1, "it attests itself alone"
    assert not (tmp_path / "registry-2.json").exists()
    assert called(tmp_path, monkeypatch, *enrolls, "registry-2.json") == 0
    key = key_of(tmp_path)
    assert key["scheme"] == "webauthn"
    assert "attested" not in key, "kept evidence that nobody verified proves nothing"
    assert set(key["attestation"]) == {"object", "client"}
    waits(tmp_path)
    mark = exported(run, "ana-fido", registry=2)
    given = ("--registry", "registry-2.json", "--fido", "--fingerprint", mark, "-o")
    assert called(tmp_path, monkeypatch, "sign", "request.json", *given, "proof.json") == 0
    assert run("import", "pay.db", "proof.json", "--registry", "registry-2.json").returncode == 0
    plugged[0].absent = True
    assert called(tmp_path, monkeypatch, "sign", "request.json", *given, "other.json") == 1
    plugged[0].absent, plugged[0].flags = False, 0x04
    assert called(tmp_path, monkeypatch, "sign", "request.json", *given, "other.json") == 1, "no touch"
    assert not (tmp_path / "other.json").exists()


def test_a_passkey_of_the_page_becomes_an_entry_whose_evidence_is_not_believed(run: Run, tmp_path: Path) -> None:
    made = {"scheme": "webauthn", "public": wires.PUBLIC, "credential": "AAAA", "counter": 3, "attested": True}
    (tmp_path / "passkey.json").write_text(json.dumps(made | {"attestation": {"object": "AA", "client": "AA"}}))
    done = run("enroll", "p-ana", "--id", "ana-phone", "--passkey", "passkey.json", "--role", "treasury")
    assert done.returncode == 0, done.output
    entry = json.loads(done.stdout)
    assert entry["person"] == {"id": "p-ana", "roles": ["treasury"]}
    assert (entry["key"]["counter"], "attested" in entry["key"]) == (3, False)


def test_what_cannot_be_enrolled_is_refused(run: Run, first: Path, tmp_path: Path) -> None:
    (tmp_path / "rsa.pub").write_text("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC a@b\n")
    vkey = str(wires.SOFT.vkey)
    assert run("enroll", "p-ana", "--id", "k", "--ssh-public", "rsa.pub").returncode == 1
    assert run("enroll", "p-ana", "--id", "k", "--vkey", "nonsense").returncode == 2
    assert run("enroll", "p-ana", "--id", "k").returncode == 2
    assert run("enroll", "p-ana", "--id", "k", "--vkey", vkey, "--ssh-public", "x").returncode == 2
    assert run("enroll", "p-ana", "--id", "no spaces \u202e", "--vkey", vkey).returncode == 2
    assert run("enroll", "p-ana", "--id", "k", "--fido").returncode == 2
    assert run("enroll", "p-ana", "--id", "k", "--vkey", vkey, "--require-pin").returncode == 2
    assert run("enroll", "p-ana", "--id", "k", "--vkey", vkey, "--days", "9999999").returncode == 2
    assert run("enroll", "p-ana", "--id", "k", "--pkcs11", "libsofthsm2.so").returncode == 2
    enroll(run, "p-ana", "k", "--vkey", vkey, old=1)
    second = run("enroll", "p-ben", "--id", "k2", "--vkey", vkey, "--registry", "registry-2.json")
    assert (second.returncode, "one raw key" in second.stderr) == (2, True), second.output
    assert run("enroll", "p-ben", "--id", "k", "--vkey", vkey, "--registry", "registry-1.json", "-o",
               "registry-2.json").returncode == 2, "nothing is written over"  # fmt: skip


def test_an_empty_pin_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_saga.cli.approvals.signers import pin_of

    monkeypatch.setenv("AGENT_SAGA_TOKEN_PIN", "")
    with pytest.raises(typer.BadParameter, match="empty"):
        pin_of("", "PIN")
