"""From a log to a signed certificate and back: the same trace comes to the same, every other one is told apart."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import jsonschema
import logs
import pytest
from certified_logs import CERTIFIER, NOW, PIN, held, settled
from samples import Writer, whole

from agent_saga.certify.certificate import schema
from agent_saga.certify.certificate.making import Uncertifiable, make_certificate, statement
from agent_saga.certify.certificate.opening import Certificate, open_certificate, words
from agent_saga.certify.certificate.rederiving import Given, NotComparable, rederive
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.proofs.dsse import seal
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.pins import parse_pins
from agent_saga.proofs.statement import FileSubject, LogSubject, Statement, format_statement

PINS = parse_pins(PIN)


def signed(report: Report) -> bytes:
    return make_certificate(report, NOW, CERTIFIER.vkey, CERTIFIER)


def opened(data: bytes) -> Certificate:
    return open_certificate(data, PINS, ("custom",))


def reason(certificate: Certificate, trace: Path) -> str:
    with pytest.raises(Refuted) as found:
        rederive(certificate, Given(str(trace)), PINS)
    return found.value.reason


def test_the_same_log_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.append(signed(held(settled(tmp_path / name))))
    assert made[0] == made[1]
    assert str(tmp_path).encode() not in b64decode(json.loads(made[0])["payload"])


def test_a_log_is_certified_under_its_checkpoint_and_comes_to_the_same_again(tmp_path: Path) -> None:
    store = settled(tmp_path)
    certificate = opened(signed(held(store)))
    assert isinstance(certificate.statement.subject, LogSubject)
    assert certificate.statement.predicate["profile"] == "default"
    assert rederive(certificate, Given(str(store)), PINS).headline == "certified"
    told = "\n".join(words(certificate, rederived=True))
    assert "CERTIFIED, profile default" in told
    assert logs.ORIGIN in told


def test_a_store_and_its_export_are_one_subject(tmp_path: Path) -> None:
    store = settled(tmp_path, "orders.db")
    certificate = opened(signed(held(store)))
    assert certificate.verdict == "certified"
    export = tmp_path / "export.jsonl"
    from agent_saga.trace.reader import open_input

    export.write_bytes(b"".join(open_input(str(store)).chunks()))
    assert rederive(certificate, Given(str(export)), PINS).verdict == "certified"


def test_a_predicate_is_of_the_published_schema(tmp_path: Path) -> None:
    said = opened(signed(held(settled(tmp_path)))).statement.predicate
    jsonschema.Draft202012Validator(json.loads(schema())).validate(dict(said))
    assert (said["policy"], said["registry"]) == (None, None)
    assert said["checkpoint"]["size"] == said["input"]["lines"]


def test_a_trace_without_checkpoint_is_certified_as_a_file(tmp_path: Path) -> None:
    store = settled(tmp_path)
    certificate = opened(signed(certify([str(store)])))
    assert isinstance(certificate.statement.subject, FileSubject)
    assert certificate.statement.predicate["checkpoint"] == "none"
    rederive(certificate, Given(str(store)), PINS)
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(store.read_bytes())
    rederive(certificate, Given(str(moved)), PINS)


def test_another_trace_is_another_subject(tmp_path: Path) -> None:
    store = settled(tmp_path)
    certificates = [opened(signed(held(store))), opened(signed(certify([str(store)])))]
    lines = store.read_bytes().splitlines(keepends=True)
    for at in range(len(lines)):
        other = tmp_path / "other.jsonl"
        other.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
        assert [reason(one, other) for one in certificates] == ["wrong-subject", "wrong-subject"]


def test_a_verdict_that_the_trace_does_not_bear_out_is_refuted_by_its_field(tmp_path: Path) -> None:
    store = settled(tmp_path)
    logs.append(store, Writer("open").some(3))
    logs.mark(store, logs.NOON + 60)
    honest = statement(held(store), NOW)
    assert honest.predicate["verdict"] == "not certified"
    none = dict.fromkeys(honest.predicate["counts"], 0)
    kinder = {"verdict": "certified", "headline": "certified", "counts": none, "findings": {}}
    lies: list[tuple[dict[str, Any], str, str]] = [
        (kinder, "other-verdict", "verdict"),
        ({"assumptions": ["all is well"]}, "other-field", "assumptions/0"),
        ({"sagas": {"judged": 99, "excluded": 0}}, "other-field", "sagas/judged"),
    ]
    for change, word, field in lies:
        said = Statement(honest.subject, dict(honest.predicate) | change)
        certificate = opened(seal(format_statement(said), CERTIFIER.vkey, CERTIFIER))
        with pytest.raises(Refuted, match=field) as found:
            rederive(certificate, Given(str(store)), PINS)
        assert found.value.reason == word
    rederive(opened(signed(held(store))), Given(str(store)), PINS)


def test_a_log_that_grew_since_is_not_what_was_certified(tmp_path: Path) -> None:
    store = settled(tmp_path)
    certificate = opened(signed(held(store)))
    logs.append(store, whole("later"))
    assert reason(certificate, store) in ("other-verdict", "other-field")


def test_choices_make_a_custom_profile_and_are_used_again(tmp_path: Path) -> None:
    store = settled(tmp_path)
    for choices in ({"fail_on": "note"}, {"ignored": ("AS604",)}, {"require_chain": True}, {"open": "inconclusive"}):
        data = signed(held(store, **choices))
        with pytest.raises(Refuted) as found:
            open_certificate(data, PINS)
        assert found.value.reason == "custom-profile"
        rederive(opened(data), Given(str(store)), PINS)


def test_ignoring_the_rules_of_checkpoints_does_not_certify_the_log(tmp_path: Path) -> None:
    store = settled(tmp_path)
    copy = tmp_path / "cut.jsonl"
    copy.write_bytes(b"".join(store.read_bytes().splitlines(keepends=True)[:-1]))
    report = held(copy, Path(f"{store}.log/checkpoint"), ignored=("AS115",))
    assert report.headline == "certified with exceptions"
    certificate = opened(signed(report))
    assert isinstance(certificate.statement.subject, FileSubject)
    assert certificate.statement.predicate["checkpoint"]["agrees"] is False


def test_a_certificate_of_another_rule_set_cannot_be_compared(tmp_path: Path) -> None:
    store = settled(tmp_path)
    said = statement(held(store), NOW)
    rules = dict(said.predicate["rules"]) | {"digest": "0" * 64}
    other = Statement(said.subject, dict(said.predicate) | {"rules": rules})
    certificate = opened(seal(format_statement(other), CERTIFIER.vkey, CERTIFIER))
    with pytest.raises(NotComparable, match="rule set"):
        rederive(certificate, Given(str(store)), PINS)


def test_nothing_and_several_are_not_certified(tmp_path: Path) -> None:
    store = settled(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    for paths in ([str(store), str(tmp_path / "empty.jsonl")], [str(tmp_path / "empty.jsonl")], []):
        with pytest.raises(Uncertifiable):
            signed(certify(paths, Options(Choices())))
