"""A certificate carries the answers for controls where they were asked for, reached again like the verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from certified_logs import CERTIFIER, NOW, PIN, held, settled

from agent_saga.certify.certificate.making import make_certificate, statement
from agent_saga.certify.certificate.opening import open_certificate, words
from agent_saga.certify.certificate.rederiving import Given, rederive
from agent_saga.certify.controls.results import Answer
from agent_saga.proofs.dsse import seal
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.pins import parse_pins
from agent_saga.proofs.statement import format_statement

PINS = parse_pins(PIN)
ASKED = ("nist-800-53-r5", "aisvs-1.0")


def _forged(folder: Path, change: Any) -> bytes:
    """A certificate by the pinned key whose predicate was changed before it was signed."""
    made = statement(held(settled(folder), controls=ASKED), NOW)
    predicate = dict(made.predicate)
    change(predicate)
    return seal(format_statement(replace(made, predicate=predicate)), CERTIFIER.vkey, CERTIFIER)


def test_the_answers_stand_in_it_and_come_to_the_same_again(tmp_path: Path) -> None:
    report = held(settled(tmp_path), controls=ASKED)
    certificate = open_certificate(make_certificate(report, NOW, CERTIFIER.vkey, CERTIFIER), PINS)
    said = certificate.statement.predicate["controls"]
    assert {name: len(answers) for name, answers in said.items()} == {
        name: sum(one.framework == name for one in report.controls) for name in ASKED
    }
    assert said["nist-800-53-r5"]["AU-9"] == "PASS"
    assert certificate.statement.predicate["profile"] == "default"
    again = rederive(certificate, Given(str(tmp_path / "orders.jsonl")), PINS)
    assert {one.framework for one in again.controls} == set(ASKED)
    counts = [list(said["nist-800-53-r5"].values()).count(answer) for answer in Answer]
    told = ", ".join(f"{count} {answer}" for count, answer in zip(counts, Answer, strict=True))
    assert f"controls:    nist-800-53-r5: {told}" in words(certificate, rederived=True)


def test_nothing_of_controls_stands_in_it_where_nobody_asked(tmp_path: Path) -> None:
    assert "controls" not in statement(held(settled(tmp_path)), NOW).predicate


def test_an_answer_that_the_log_does_not_come_to_is_told(tmp_path: Path) -> None:
    data = _forged(tmp_path, lambda predicate: predicate["controls"]["nist-800-53-r5"].update({"AC-5": "PASS"}))
    certificate = open_certificate(data, PINS)
    with pytest.raises(Refuted, match="controls/nist-800-53-r5/AC-5: certified is 'PASS'") as found:
        rederive(certificate, Given(str(tmp_path / "orders.jsonl")), PINS)
    assert found.value.reason == "other-field"


@pytest.mark.parametrize(
    "change",
    [
        lambda predicate: predicate.update(controls={}),
        lambda predicate: predicate.update(controls={"aisvs-1.0": {}}),
        lambda predicate: predicate["controls"]["aisvs-1.0"].update({"C9.2.1": "COMPLIANT"}),
        lambda predicate: predicate["controls"].update({"aisvs-1.0": ["PASS"]}),
    ],
)
def test_what_is_no_answer_is_refused(tmp_path: Path, change: Any) -> None:
    with pytest.raises(Refuted) as found:
        open_certificate(_forged(tmp_path, change), PINS)
    assert found.value.reason == "bad-predicate"


def test_a_control_never_passes_on_a_log_that_is_not_sound(tmp_path: Path) -> None:
    def broken(predicate: dict[str, Any]) -> None:
        one = {"error": 1, "warning": 0, "note": 0, "inconclusive": 0}
        predicate.update(verdict="not certified", headline="not certified", counts=one, findings={"AS104": one})

    with pytest.raises(Refuted, match="a control passed, and the log that it rests on is not sound") as found:
        open_certificate(_forged(tmp_path, broken), PINS)
    assert found.value.reason == "contradicts-itself"
