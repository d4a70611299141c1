"""Bundles are verified first and judged then: whole, in part, absent, refuted; and what opens their values."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import pytest
from bundle_samples import FULL_PIN, PIN, WIRE, MemoryLog, sealed, wire

from agent_saga.certify.report import Choices, Exit, Report
from agent_saga.certify.run import Options, certify
from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.reading import format_bundle, parse_bundle
from agent_saga.proofs.errors import KeyFault


@pytest.fixture
def judge(tmp_path: Path):  # type: ignore[no-untyped-def]
    (tmp_path / "pin").write_text(PIN, "utf-8")
    (tmp_path / "full").write_text(FULL_PIN, "utf-8")

    def run(data: bytes, pin: str = "pin", **choices: object) -> Report:
        path = tmp_path / "a.bundle.json"
        path.write_bytes(data)
        made = Choices(pin=str(tmp_path / pin) if pin else "", **choices)  # type: ignore[arg-type]
        return certify([str(path)], Options(made))

    return run


def codes(report: Report) -> list[str]:
    return sorted({found.code for found in report.findings})


def concealed() -> MemoryLog:
    log = sealed()
    assert log.disclosures
    return log


def test_a_bundle_without_a_pin_is_not_judged(judge) -> None:  # type: ignore[no-untyped-def]
    report = judge(make_bundle(sealed(), WIRE), pin="")
    assert report.exit_code is Exit.USAGE
    assert "--pin" in report.inputs[0].error


def test_a_whole_saga_gets_a_verdict_and_what_is_withheld_leaves_it_open(judge) -> None:  # type: ignore[no-untyped-def]
    report = judge(make_bundle(sealed(), WIRE))
    assert report.saga_count == 1
    assert codes(report) == ["AS602"]
    assert report.exit_code is Exit.INCONCLUSIVE
    assert any("audited by nobody" in text for text in report.inputs[0].assumptions)


def test_what_the_bundle_opens_is_judged(judge) -> None:  # type: ignore[no-untyped-def]
    log = concealed()
    bundle = make_bundle(log, WIRE, reveal=["all"], disclosures=log.disclosures)
    report = judge(bundle)
    assert "AS602" in codes(judge(make_bundle(log, WIRE)))
    assert "AS602" not in codes(report), "the sample's undo gives no amount back, and that can be told now"
    assert report.exit_code is Exit.NOT_CERTIFIED
    assert report.inputs[0].format.startswith("agent-saga bundle")


def test_a_monitor_is_named(judge) -> None:  # type: ignore[no-untyped-def]
    log = sealed()
    log.cosigned()
    told = " ".join(judge(make_bundle(log, WIRE), pin="full").inputs[0].assumptions)
    assert "audited by audit.example/m" in told
    assert "second copy" not in told


def test_a_part_is_never_certified(judge) -> None:  # type: ignore[no-untyped-def]
    log = concealed()
    lines = make_bundle(log, WIRE, lines=["0..5", "8..9"])
    report = judge(lines)
    assert report.exit_code is Exit.INCONCLUSIVE
    assert "AS110" in codes(report)
    assert all(found.inconclusive for found in report.findings)


def test_an_absent_saga_gives_nothing_to_check(judge) -> None:  # type: ignore[no-untyped-def]
    report = judge(make_bundle(sealed(), "nobody-knows-it", absent=True))
    assert report.exit_code is Exit.NOTHING
    assert "no saga nobody-knows-it" in report.inputs[0].error


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"checkpoint":"log.example/shop', '"checkpoint":"log.example/shut', "AS112"),
        ('"anchors":[[13,', '"anchors":[[12,', "AS110"),
        ('"proof":["', '"proof":["AAAA', "AS110"),
        ("agent-saga-index-v1 ", "agent-saga-index-v2 ", "AS111"),
    ],
)
def test_a_refuted_bundle_is_an_error_and_never_judged(judge, old: str, new: str, code: str) -> None:  # type: ignore[no-untyped-def]
    data = make_bundle(sealed(), WIRE).decode()
    assert old in data
    report = judge(data.replace(old, new, 1).encode())
    assert (codes(report), report.saga_count) == ([code], 0)
    assert report.exit_code is Exit.NOT_CERTIFIED


def test_a_disclosure_that_opens_nothing_there_is_as601(judge) -> None:  # type: ignore[no-untyped-def]
    from agent_saga.trace.conceal import conceal
    from agent_saga.trace.writer import salt_of

    _, stray = conceal("made up", salt_of(bytes(16)))
    bundle = parse_bundle(make_bundle(sealed(), WIRE))
    import msgspec

    assert codes(judge(format_bundle(msgspec.structs.replace(bundle, disclosures=(stray,))))) == ["AS601"]


def test_a_secret_on_a_line_of_a_bundle_is_as604(judge) -> None:  # type: ignore[no-untyped-def]
    log = MemoryLog()
    log.open()
    for _step in wire(log, "Secret00aTt5v9WcZ1eAk3"):
        pass
    secret = "Secret01aTt5v9WcZ1eAk3"
    log.write(secret, "saga.started", log=log.origin, name="wire", format="1.0", tools={})
    log.write(secret, "rollback.started", cause="AKIA" + "IOSFODNN7EXAMPLE and more")
    log.write(secret, "saga.ended", status="aborted_clean", held=[])
    log.seal()
    assert "AS604" in codes(judge(make_bundle(log, secret)))


def test_expectations_and_a_kept_checkpoint_hold_for_bundles_too(judge, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    log = sealed()
    data = make_bundle(log, WIRE)
    assert codes(judge(data, expected_root="0" * 64)) == ["AS111"]
    (tmp_path / "kept").write_bytes(log.checkpoint())
    assert "AS111" not in codes(judge(data, checkpoints=(str(tmp_path / "kept"),)))
    (tmp_path / "kept").write_bytes(sealed(seed="another").checkpoint())
    assert codes(judge(data, checkpoints=(str(tmp_path / "kept"),))) == ["AS111"]


VECTORS = sorted((Path(__file__).resolve().parents[3] / "fixtures" / "vectors" / "bundles").glob("*.json"))


def test_every_published_bundle_is_judged_if_it_is_good_and_refused_if_it_is_not(tmp_path: Path) -> None:
    judged = refused = 0
    for path in VECTORS:
        vector = json.loads(path.read_text("utf-8"))
        data = b64decode(vector["base64"]) if "base64" in vector else vector["bundle"].encode()
        (tmp_path / "a.bundle.json").write_bytes(data)
        (tmp_path / "pin").write_text(vector["pin"], "utf-8")
        try:
            report = certify([str(tmp_path / "a.bundle.json")], Options(Choices(pin=str(tmp_path / "pin"))))
        except KeyFault:
            assert vector["expect"] == {"reason": "bad-key"}
            continue
        if "earlier" in vector:
            continue  # whether a log continues a kept checkpoint is asked by `verify`
        if "reason" in vector["expect"]:
            assert report.exit_code in (Exit.NOT_CERTIFIED, Exit.USAGE, Exit.NOTHING), path.stem
            assert report.saga_count == 0, path.stem
            refused += 1
        else:
            assert (report.saga_count == 0) == (vector["expect"]["claim"] == "absent"), path.stem
            judged += 1
    assert judged > 10
    assert refused > 100


def test_a_salt_that_stands_on_two_lines_of_a_bundle_is_as603(judge) -> None:  # type: ignore[no-untyped-def]
    from agent_saga.trace.writer import SagaWriter

    log = MemoryLog()
    log.open()
    saga = "Salted00aTt5v9WcZ1eAk3"
    log.writers[saga] = SagaWriter(saga, bytes)
    log.write(saga, "saga.started", log=log.origin, name="wire", format="1.0", tools={})
    log.write(saga, "saga.ended", status="aborted_clean", held=[])
    log.seal()
    assert codes(judge(make_bundle(log, saga))) == ["AS603"]
