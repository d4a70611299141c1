"""Altered evidence, random signatures, lines and messages: the page and Python give one answer, for one reason."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256, sha512
from random import Random
from typing import Any

import pytest
from bundle_samples import FULL_PIN, NONE, SIGNED, WIRE, pins, sealed
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from mutants import bytes_changed, lengths_changed, structure_changed
from opening import ROOT, answers
from playwright.sync_api import Page

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.errors import Refuted
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError

pytestmark = pytest.mark.xdist_group("chromium")
ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of the base point of Ed25519 (RFC 8032, section 5.1)."""
EVERY = 61
"""Every 61st byte of a bundle is changed and left out; the structure is changed in every way."""
PIECES = ["", '"', "\\", ",", "0", "-", "1.0", "1e3", "null", "[]", "{}", " ", "\0", "\u2028", "\U0001f600", "\\u0041"]
"""What is put into a line."""
SAMPLE = 400
"""So many of these are tried; all of them with ``--long``."""


def samples() -> dict[str, bytes]:
    log = sealed()
    log.cosigned()
    reveal = {"reveal": ["5:/args"], "disclosures": log.disclosures}
    return {
        "whole": make_bundle(log, WIRE, **reveal),
        "part": make_bundle(log, WIRE, lines=["4..6", "13"]),
        "absent": make_bundle(log, NONE, absent=True),
        "signed": make_bundle(log, SIGNED),
    }


def said(data: bytes) -> dict[str, Any]:
    """Python's answer in the form of a vector's."""
    try:
        proven = verify_bundle(data, pins(FULL_PIN))
    except Refuted as fault:
        return {"reason": fault.reason}
    counts = {"lines": len(proven.lines), "withheld": len(proven.withheld), "opened": len(proven.opened)}
    return {"ok": True, "claim": proven.claim, **counts, "audited": bool(proven.signed.monitors)}


def test_altered_bundles_are_refused_for_the_same_reason(
    page: Page, long_run: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    mutants = [
        (f"{sample}: {name}", mutant)
        for sample, data in samples().items()
        for maker in (structure_changed(data), bytes_changed(data, EVERY), lengths_changed(data, EVERY))
        for name, mutant in maker
    ]
    assert len(mutants) > 3000
    if not long_run:
        mutants = Random(20261130).sample(mutants, SAMPLE)
    vectors = [{"kind": "bundle", "pin": FULL_PIN, "base64": b64encode(data).decode()} for _, data in mutants]
    due = [said(data) for _, data in mutants]
    found = answers(page, vectors)
    wrong = {name: (one, want) for (name, _), one, want in zip(mutants, found, due, strict=True) if one != want}
    assert not wrong, f"{len(wrong)} of {len(mutants)}: {dict(list(wrong.items())[:8])}"
    reasons = {answer.get("reason") for answer in found}
    with capsys.disabled():
        print(f" [{len(mutants)} altered bundles, {len(reasons)} reasons]", end="")
    assert len(reasons) > 15


def altered_line(line: str, random: Random) -> str:
    at = random.randrange(len(line))
    end = min(len(line), at + random.choice([0, 1, 1, 2, 8]))
    pieces = [
        "",
        '"',
        "\\",
        ",",
        "0",
        "-",
        "1.0",
        "1e3",
        "null",
        "[]",
        "{}",
        " ",
        "\u0000",
        "\u2028",
        "\U0001f600",
        "\\u0041",
    ]
    return line[:at] + random.choice([*pieces, line[at:end] * 2, chr(random.randrange(0xD7FF))]) + line[end:]


def accepted(line: str) -> bool:
    try:
        decode(line.encode())
    except LineError:
        return False
    return True


def test_altered_lines_are_taken_or_refused_alike(page: Page) -> None:
    random = Random(20261130)
    good = [one["line"] for one in json.loads((ROOT / "fixtures/vectors/trace/good.json").read_text("utf-8"))]
    lines = good + [altered_line(random.choice(good), random) for _ in range(1000)]
    vectors = [{"kind": "line", "line": line, "leaf": sha256(b"\0" + line.encode()).hexdigest()} for line in lines]
    due = [{"ok": True} if accepted(line) else {"reason": "bad-line"} for line in lines]
    wrong = [
        (line, say, want) for line, say, want in zip(lines, answers(page, vectors), due, strict=True) if say != want
    ]
    assert not wrong, f"{len(wrong)}: {wrong[:3]}"
    assert 100 < due.count({"ok": True}) < 500


def signatures(random: Random) -> list[dict[str, Any]]:
    """Right ones, altered ones, and those that a careless verifier takes."""
    made = []
    for _ in range(12):
        private = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        key, message = private.public_key().public_bytes_raw(), random.randbytes(random.randrange(300))
        signature = private.sign(message)
        s = int.from_bytes(signature[32:], "little")
        bit = 1 << random.randrange(512)
        flipped = (int.from_bytes(signature, "little") ^ bit).to_bytes(64, "little")
        lifted = signature[:32] + (s + ORDER).to_bytes(32, "little")
        off_curve = (int.from_bytes(key, "little") ^ 1 << random.randrange(250)).to_bytes(32, "little")
        made += [
            (key, signature, message),
            (key, flipped, message),
            (key, lifted, message),
            (key, signature[:63], message),
            (key, signature + b"\0", message),
            (key, signature, message + b"\0"),
            (key, bytes(32) + signature[32:], message),
            (off_curve, signature, message),
        ]
    return [
        {"kind": "signature", "key": key.hex(), "signature": signature.hex(), "message": message.hex()}
        for key, signature, message in made
    ]


def holds(one: dict[str, Any]) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(one["key"])).verify(
            bytes.fromhex(one["signature"]), bytes.fromhex(one["message"])
        )
    except InvalidSignature:
        return False
    return True


def test_signatures_hold_where_pythons_do(page: Page) -> None:
    check_signatures(page)


def test_signatures_hold_where_pythons_do_without_webcrypto(plain_page: Page) -> None:
    check_signatures(plain_page)


def check_signatures(page: Page) -> None:
    vectors = signatures(Random(8032))
    due = [holds(one) for one in vectors]
    assert [one["valid"] for one in answers(page, vectors)] == due
    assert due.count(True) == len(vectors) // 8


def test_hashes_of_every_length_are_those_of_hashlib(page: Page) -> None:
    found = page.evaluate(
        """Array.from({length: 300}, (_, size) => {
          const message = Uint8Array.from({length: size}, (_, at) => (at * 7 + size) % 256);
          return [toHex(plainSha256(message)), toHex(plainSha512(message))];
        })"""
    )
    messages = [bytes((at * 7 + size) % 256 for at in range(size)) for size in range(300)]
    assert found == [[sha256(one).hexdigest(), sha512(one).hexdigest()] for one in messages]
