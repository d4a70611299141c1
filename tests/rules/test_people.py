"""Signatures of people: whose registry counts, what the order of the log does, and that no division of work shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from agent_saga.approvals.errors import RegistryFault
from agent_saga.certify.certificate.making import statement
from agent_saga.certify.certificate.opening import Certificate
from agent_saga.certify.certificate.predicate import predicate
from agent_saga.certify.certificate.rederiving import Given, rederive
from agent_saga.certify.judging import dividing
from agent_saga.certify.judging.gathering import Gatherer
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.certify.standing.trust import CLOCK, UNPINNED
from agent_saga.proofs.pins import parse_pins

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.checkpoints import pin
from rulelib.lines import chain, written
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_DIGEST, REGISTRY_FILE

WIRE = """
    propose s1 bank.wire
    request s1 quorum=2
    sign s1 ana-1
    sign s1 ben-sk
    use e1 bank.wire
    success e1
"""
LOG = f"opened\nbegin\n{WIRE}"
PAUSED = """
    begin
    propose s1 payments.charge
    go e1 payments.charge
    ok e1
    rollback
    pause e1
"""


def judged(script: str, folder: Path, jobs: int = 1, **choices: object) -> Report:
    """The report on a script's trace."""
    path, registry = folder / "trace.jsonl", folder / "registry.json"
    path.write_bytes(written(chain(SignedScript("people").run(script))))
    registry.write_bytes(REGISTRY_FILE)
    made = {name: str(registry) if value == "FILE" else value for name, value in choices.items()}
    return certify([str(path)], Options(choices=Choices(**made), jobs=jobs))  # type: ignore[arg-type]


def codes(report: Report) -> list[str]:
    return sorted(finding.code for finding in report.findings)


@pytest.mark.parametrize(
    "choices",
    [{"registry": "FILE"}, {"registry_digest": REGISTRY_DIGEST}, {"trust_on_first_use": True}],
    ids=["file", "digest", "first use"],
)
def test_a_signed_wire_is_certified_under_a_registry(choices: dict[str, object], tmp_path: Path) -> None:
    report = judged(LOG, tmp_path, **choices)
    assert (int(report.exit_code), report.findings) == (0, ())
    said = report.inputs[0].assumptions
    assert CLOCK in said
    assert any("--trust-on-first-use" in one for one in said) is ("trust_on_first_use" in choices)
    pinned = None if "trust_on_first_use" in choices else REGISTRY_DIGEST
    assert predicate(report, "2026-01-05T10:00:00.000000Z")["registry"] == pinned


def test_without_a_registry_a_signature_leaves_the_verdict_open(tmp_path: Path) -> None:
    report = judged(LOG, tmp_path)
    assert int(report.exit_code) == 3
    assert set(codes(report)) == {"AS312"}
    assert UNPINNED in report.inputs[0].assumptions


def test_a_saga_without_log_opened_is_judged_under_the_file_that_it_names(tmp_path: Path) -> None:
    assert codes(judged(f"begin\n{WIRE}", tmp_path, registry="FILE")) == []
    assert int(judged(f"begin\n{WIRE}", tmp_path, registry_digest=REGISTRY_DIGEST).exit_code) == 3
    assert int(judged(f"begin\n{WIRE}", tmp_path, trust_on_first_use=True).exit_code) == 3


def test_another_registry_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    assert set(codes(judged(LOG, tmp_path, registry_digest="0" * 64))) == {"AS306"}
    assert set(codes(judged(f"begin keys={'a' * 64}\n{WIRE}", tmp_path, registry="FILE"))) == {"AS303"}


def test_a_file_that_is_no_registry_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"v":1}')
    with pytest.raises(RegistryFault, match=r"bad\.json"):
        certify([str(bad)], Options(choices=Choices(registry=str(bad))))
    bad.write_bytes(REGISTRY_FILE)
    with pytest.raises(RegistryFault, match="names"):
        certify([str(bad)], Options(choices=Choices(registry=str(bad), registry_digest="0" * 64)))


@pytest.mark.parametrize("verdict", ["kept", "undone"])
def test_a_signed_exception_is_counted(verdict: str, tmp_path: Path) -> None:
    end = "end closed_with_exceptions e1" if verdict == "kept" else "end compensated_verified"
    report = judged(f"{PAUSED}settle e1 {verdict} ana-1\n{end}", tmp_path, registry="FILE")
    assert (codes(report), report.exceptions) == ([], 1)
    assert report.headline == "certified with 1 signed exception"


def test_broken_glass_that_was_reviewed_is_a_warning(tmp_path: Path) -> None:
    script = """
        begin
        propose s1 bank.wire
        request s1
        sign s1 eve-1 break_glass req.reason=fire
        use e1 bank.wire
        pause e1
        settle e1 kept ana-1
        success e1
    """
    report = judged(script, tmp_path, registry="FILE")
    assert [(one.code, str(one.severity)) for one in report.findings] == [("AS309", "warning")]
    assert int(report.exit_code) == 0


def test_a_second_decision_about_one_thing_does_not_count(tmp_path: Path) -> None:
    twice = f"{PAUSED}settle e1 kept ana-1\nsettle e1 kept ana-1\nend closed_with_exceptions e1"
    assert codes(judged(twice, tmp_path, registry="FILE")) == ["AS507"]


def test_one_of_two_answers_is_still_waiting(tmp_path: Path) -> None:
    assert codes(judged("begin\npropose s1 bank.wire\nrequest s1 quorum=2\nsign s1 ana-1", tmp_path)) == ["AS504"]


def test_lines_of_the_log_never_wait_and_every_part_gets_them() -> None:
    lines = chain(SignedScript("people").run(f"opened\nbegin\npropose s1 bank.wire\nrevoke ana-1 ana-1 ben-1\n{WIRE}"))
    for part in (0, 1):
        runs = list(Gatherer(part, 2).runs([lines]))
        assert [run.numbers for run in runs[:2]] == [[1], [4]]


def test_the_answer_does_not_depend_on_how_the_work_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty sagas side by side, a key revoked and one lost in between, one approval used in two sagas."""
    monkeypatch.setattr(dividing, "SPLIT", 1)
    script = ["opened"]
    for number in range(20):
        words = [f"begin saga=o{number}", *(f"{line} saga=o{number}" for line in WIRE.strip().splitlines())]
        script += [line.replace("ben-sk", f"ben-sk counter={9 - number % 3}") for line in words]
        script += ["revoke ana-1 ana-1 ben-1"] if number == 12 else []
    script += ["revoke ben-sk ben-1 ana-ssh compromised_since=2026-01-05T08:00:00.000000Z"]
    text = "\n".join(script)
    one, two, three = (judged(text, tmp_path, jobs=jobs, registry="FILE") for jobs in (1, 2, 3))
    assert {"AS306", "AS311"} <= set(codes(one))
    assert one.findings == two.findings == three.findings
    assert json.dumps(one.exceptions) == json.dumps(two.exceptions)


@pytest.mark.parametrize("opened", [True, False], ids=["registry in the log", "registry in a file"])
def test_a_certificate_over_signatures_can_be_reached_again(opened: bool, tmp_path: Path) -> None:
    script = LOG if opened else f"begin\n{WIRE}"
    made = statement(judged(script, tmp_path, registry="FILE"), "2026-01-05T10:00:00.000000Z")
    pins = parse_pins(pin().decode())
    certificate = Certificate(made, pins.log.vkey)
    file = "" if opened else str(tmp_path / "registry.json")
    again = rederive(certificate, Given(str(tmp_path / "trace.jsonl"), registry=file), pins)
    assert int(again.exit_code) == 0


def test_a_certificate_says_that_the_registry_was_taken_on_first_use(tmp_path: Path) -> None:
    made = statement(judged(LOG, tmp_path, trust_on_first_use=True), "2026-01-05T10:00:00.000000Z")
    pins = parse_pins(pin().decode())
    assert any("--trust-on-first-use" in one for one in made.predicate["assumptions"])
    again = rederive(Certificate(made, pins.log.vkey), Given(str(tmp_path / "trace.jsonl")), pins)
    assert int(again.exit_code) == 0
