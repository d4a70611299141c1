"""A key in a PKCS#11 token (SoftHSM 2): generated inside, enrolled, signed with, verified, and refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import people
import pkcs11
import pytest
from pkcs11.util.ec import encode_named_curve_parameters

from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.registry import Registry, parse_registry
from agent_saga.approvals.signing import sign
from agent_saga.approvals.signing.pkcs11_token import Pkcs11Signer
from agent_saga.trace.base64url import unpadded

MODULE = Path("/usr/lib/softhsm/libsofthsm2.so")
PIN, TOKEN = "123456", "approvals"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """SoftHSM with one token, which holds two Ed25519 keys and one on P-256."""
    if not MODULE.exists() or shutil.which("softhsm2-util") is None:
        pytest.skip("install softhsm2")
    folder = tmp_path_factory.mktemp("softhsm")
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder}/tokens\nobjectstore.backend = file\n")
    before = os.environ.get("SOFTHSM2_CONF")
    os.environ["SOFTHSM2_CONF"] = str(folder / "softhsm2.conf")  # the module reads it when it is loaded
    command = ["softhsm2-util", "--init-token", "--free", "--label", TOKEN, "--pin", PIN, "--so-pin", PIN]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    library = pkcs11.lib(str(MODULE))
    library.reinitialize()
    with library.get_token(token_label=TOKEN).open(rw=True, user_pin=PIN) as session:
        for label in ("ana", "ben"):
            curve = encode_named_curve_parameters("1.3.101.112")
            make = session.create_domain_parameters(
                pkcs11.KeyType.EC_EDWARDS, {pkcs11.Attribute.EC_PARAMS: curve}, local=True
            )
            make.generate_keypair(mechanism=pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN, label=label, store=True)
    yield MODULE
    if before is None:
        del os.environ["SOFTHSM2_CONF"]
    else:
        os.environ["SOFTHSM2_CONF"] = before


def enrolled(module: Path, label: str = "ana") -> tuple[Registry, Pkcs11Signer]:
    signer = Pkcs11Signer(module, TOKEN, label, PIN)
    key = people.key("ana-token", "p-ana", "pkcs11", public=unpadded(signer.public()))
    return parse_registry(people.registry(keys=[*people.registry()["keys"], key])), signer


def test_a_token_is_enrolled_signs_and_verifies(module: Path) -> None:
    registry, signer = enrolled(module)
    signed = verify_approval(sign(people.request("ana-token"), registry, signer), registry)
    assert signed.strength == "C"
    assert (signed.evidence.present, signed.evidence.verified, signed.evidence.counter) == (False, False, None)


def test_another_key_of_the_token_is_refused(module: Path) -> None:
    registry, _ = enrolled(module)
    with pytest.raises(NotApproved) as refused:
        sign(people.request("ana-token"), registry, Pkcs11Signer(module, TOKEN, "ben", PIN))
    assert refused.value.reason == "bad-signature"


def test_a_signature_over_one_request_serves_no_other(module: Path) -> None:
    registry, signer = enrolled(module)
    proof = sign(people.request("ana-token"), registry, signer)
    proof["request"] = people.request("ana-token", nonce=people.nonce("other"))
    with pytest.raises(NotApproved) as refused:
        verify_approval(proof, registry)
    assert refused.value.reason == "bad-signature"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"_pin": "654321"}, "token 'approvals', key 'ana'"),
        ({"_token": "nowhere"}, "token 'nowhere'"),
        ({"_label": "nobody"}, "key 'nobody'"),
        ({"_module": Path("/nowhere/module.so")}, "token 'approvals'"),
    ],
)
def test_what_does_not_sign_names_token_and_key(module: Path, changed: dict[str, Any], words: str) -> None:
    registry, signer = enrolled(module)
    for name, value in changed.items():
        setattr(signer, name, value)
    with pytest.raises(SigningFault, match=words):
        sign(people.request("ana-token"), registry, signer)


def test_a_module_is_named_by_its_absolute_path() -> None:
    with pytest.raises(SigningFault, match="absolute path"):
        Pkcs11Signer(Path("libsofthsm2.so"), TOKEN, "ana", PIN)


@pytest.mark.parametrize("name", ["pkcs11", "fido2.client"])
def test_without_the_extra_it_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_saga.approvals.signing.extra import load

    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SigningFault, match=r"agent-saga-toolkit\[hardware\]"):
        load(name)
