"""RFC 3161 time stamps over checkpoints, by an authority that the system's openssl plays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from logs import ORIGIN

from agent_saga.proofs import timestamps
from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.errors import KeyFault, LogFault, Refuted
from agent_saga.proofs.timestamps import NeedsExtra, attach_response, check_response, make_request, read_roots

CHECKPOINT = Checkpoint(ORIGIN, 7, bytes(32))
CONFIG = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
[stamping]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[req]
distinguished_name = name
[name]
"""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("rfc3161_client", reason="install the extra tsa: pip install 'agent-saga-toolkit[tsa]'")
    if shutil.which("openssl") is None:
        pytest.skip("install openssl")
    folder = tmp_path_factory.mktemp("authority")
    (folder / "conf").write_text(CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    for name in ("a", "b"):
        own = ["-newkey", "rsa:2048", "-nodes", "-config", str(folder / "conf")]
        root = ["-x509", "-days", "3650", "-subj", f"/CN=root {name}", "-extensions", "root"]
        openssl("req", *own, *root, "-keyout", f"{folder}/{name}.root.key", "-out", f"{folder}/{name}.root.pem")
        openssl(
            "req", *own, "-subj", f"/CN=tsa {name}", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr"
        )
        signed = ["-CA", f"{folder}/{name}.root.pem", "-CAkey", f"{folder}/{name}.root.key", "-CAcreateserial"]
        more = ["-days", "3650", "-extfile", f"{folder}/conf", "-extensions", "stamping"]
        openssl("x509", "-req", "-in", f"{folder}/{name}.csr", *signed, *more, "-out", f"{folder}/{name}.pem")
    return folder


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def stamped(authority: Path, checkpoint: Checkpoint = CHECKPOINT, name: str = "a") -> bytes:
    (authority / "query").write_bytes(make_request(checkpoint))
    by = ["-inkey", f"{authority}/{name}.key", "-signer", f"{authority}/{name}.pem", "-config", f"{authority}/conf"]
    openssl("ts", "-reply", "-queryfile", f"{authority}/query", *by, "-out", f"{authority}/reply")
    return (authority / "reply").read_bytes()


def roots(authority: Path, name: str = "a") -> list[timestamps.Certificate]:
    return read_roots((authority / f"{name}.root.pem").read_bytes())


def test_a_request_is_the_same_each_time(authority: Path) -> None:
    assert make_request(CHECKPOINT) == make_request(CHECKPOINT)


def test_a_time_stamp_verifies_under_the_root_that_was_given(authority: Path) -> None:
    found = check_response(stamped(authority), CHECKPOINT, roots(authority))
    assert found.policy == "1.2.3.4.1"
    assert found.serial > 0
    assert found.at.tzinfo is not None


def test_a_time_stamp_over_another_checkpoint_is_told_apart(authority: Path) -> None:
    other = Checkpoint(ORIGIN, 8, bytes(32))
    with pytest.raises(Refuted) as found:
        check_response(stamped(authority, other), CHECKPOINT, roots(authority))
    assert found.value.reason == "other-timestamp"


def test_another_authority_is_not_believed(authority: Path) -> None:
    with pytest.raises(Refuted) as found:
        check_response(stamped(authority, name="b"), CHECKPOINT, roots(authority))
    assert found.value.reason == "bad-timestamp"
    with pytest.raises(KeyFault, match="no root"):
        check_response(stamped(authority), CHECKPOINT, [])


def test_a_changed_cut_or_foreign_response_is_refused(authority: Path) -> None:
    response = stamped(authority)
    refused = [b"", b"nothing", response[:-1], response + b"\0", response[:40], bytes(timestamps.MAX_RESPONSE + 1)]
    refused += [
        response[:at] + bytes([response[at] ^ 1]) + response[at + 1 :]
        for at in range(len(response) - 64, len(response))
    ]
    for changed in refused:
        with pytest.raises(Refuted) as found:
            check_response(changed, CHECKPOINT, roots(authority))
        assert found.value.reason in ("bad-timestamp", "other-timestamp")


def test_a_response_is_kept_beside_its_checkpoint_and_never_written_over(authority: Path, tmp_path: Path) -> None:
    response, beside = stamped(authority), tmp_path / "7"
    place, found = attach_response(response, CHECKPOINT, beside, roots(authority))
    assert (place.name, place.read_bytes()) == ("7.tsr", response)
    assert attach_response(response, CHECKPOINT, beside, roots(authority)) == (place, found)
    with pytest.raises(LogFault, match="nothing is written over"):
        attach_response(stamped(authority), CHECKPOINT, beside, roots(authority))


def test_without_the_extra_it_says_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    with pytest.raises(NeedsExtra, match=r"agent-saga-toolkit\[tsa\]"):
        make_request(CHECKPOINT)
    with pytest.raises(KeyFault):
        read_roots(b"no certificate")
