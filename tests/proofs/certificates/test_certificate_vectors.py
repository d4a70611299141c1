"""The published certificates get the answers that they expect; every reason has one, and a row in the specification."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import make_certificate_vectors as maker
import pytest
from certificate_samples import PIN, enveloped, signature, statement

from agent_saga.certify.certificate.opening import open_certificate
from agent_saga.proofs import dsse
from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.pins import parse_pins

ROOT = Path(__file__).resolve().parents[3]
PATHS = sorted(maker.FOLDER.glob("*.json"))
PROOFS = ROOT / "proofs" / "agent_saga" / "proofs"
SOURCES = [PROOFS / "dsse.py", PROOFS / "statement.py", *(ROOT / "certify/agent_saga/certify/certificate").glob("*.py")]
PAGE = (ROOT / "docs" / "spec" / "certificate-v1.md").read_text("utf-8")
ELSEWHERE = {"too-large", "other-verdict", "other-field"}
"""Reasons that need more than a file: the tests below, and tests/proofs/certificates/test_rederiving.py."""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def answer(vector: dict[str, Any]) -> dict[str, Any]:
    data = b64decode(vector["base64"]) if "base64" in vector else vector["certificate"].encode()
    try:
        found = open_certificate(data, parse_pins(vector["pin"]), vector.get("accept", ()))
    except Refuted as fault:
        return {"reason": fault.reason}
    except KeyFault:
        return {"reason": "bad-key"}
    return {"ok": True, "verdict": str(found.verdict), "profile": found.statement.predicate["profile"]}


def test_the_files_are_what_their_maker_writes() -> None:
    assert maker.main(["--check"]) == 0, "run tests/proofs/certificates/make_certificate_vectors.py"


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_certificate_gets_the_answer_that_it_expects(path: Path) -> None:
    vector = read(path)
    assert answer(vector) == vector["expect"], vector["description"]


def test_the_name_of_a_vector_says_what_to_expect() -> None:
    assert PATHS
    assert all(("reason" in read(path)["expect"]) == path.stem.startswith("bad-") for path in PATHS)


def test_every_reason_has_a_vector_and_a_row_in_the_specification() -> None:
    given = {word for path in SOURCES for word in re.findall(r'Refuted\(\s*"([\w-]+)"', path.read_text("utf-8"))}
    tried = {read(path)["expect"].get("reason") for path in PATHS} - {None}
    assert given - tried == ELSEWHERE
    rows = re.findall(r"^\| `([\w-]+)` \|", PAGE.partition("## Reasons")[2], re.M)
    assert len(rows) == len(set(rows))
    assert given | tried == set(rows)


def test_changing_or_dropping_any_byte_of_a_certificate_refutes_it() -> None:
    data, pins, tried = maker.GOOD.encode(), parse_pins(PIN), 0
    hint = range(data.index(b'"keyid":"') + 9, data.index(b'","sig":'))
    for at in range(len(data)):
        for changed in (data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], data[:at] + data[at + 1 :]):
            if at in hint and b"\\" not in changed and b'"' not in changed[hint.start : hint.stop - 1]:
                continue  # the keyid is a hint, and not signed
            with pytest.raises(Refuted):
                open_certificate(changed, pins)
            tried += 1
    assert tried > 4_000


ODD: list[Any] = [None, True, -1, 10**30, 1.5, "", "\u202e", "\ud800", [], {}, [[]], {"": {}}, [None] * 3]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, its inner ones too."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*at, name))


def replaced(value: Any, at: tuple[Any, ...], by: Any) -> Any:
    if not at:
        return by
    copied = value.copy()
    copied[at[0]] = replaced(value[at[0]], at[1:], by)
    return copied


def test_no_value_at_any_place_of_a_rightly_signed_statement_crashes_the_verifier() -> None:
    tried = accepted = 0
    for at in places(statement()):
        for odd in ODD:
            said = json.dumps(replaced(statement(), at, odd), separators=(",", ":"), sort_keys=True).encode()
            tried += 1
            try:
                open_certificate(enveloped(said, signature(said)).encode(), parse_pins(PIN))
                accepted += 1
            except Refuted:
                continue
    assert tried > 800
    assert accepted < tried // 10, "assumptions, versions and the like are free texts"


def test_an_envelope_over_the_cap_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = maker.GOOD.encode()
    monkeypatch.setattr(dsse, "MAX_ENVELOPE", len(data))
    assert open_certificate(data, parse_pins(PIN)).verdict == "certified"
    monkeypatch.setattr(dsse, "MAX_ENVELOPE", len(data) - 1)
    with pytest.raises(Refuted) as found:
        open_certificate(data, parse_pins(PIN))
    assert found.value.reason == "too-large"


def test_the_specification_shows_a_certificate_that_verifies() -> None:
    shown = re.findall(r"<!-- vector: ([\w-]+) -->\n\n```json\n(.*?)```", PAGE, re.S)
    pin = re.findall(r"<!-- pin -->\n\n```text\n(.*?)```", PAGE, re.S)
    assert [name for name, _ in shown] == ["good-log"]
    vector = read(maker.FOLDER / "good-log.json")
    assert (shown[0][1], pin[0]) == (vector["certificate"], vector["pin"])
    assert b"\n" not in b64decode(json.loads(shown[0][1])["payload"])
