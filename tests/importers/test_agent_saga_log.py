"""Logs of the package agent-saga: what certifies, what each attack gets, and which events come of which records."""

from __future__ import annotations

import importlib.util
import json
import re
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.importers.agent_saga_log import FORMAT, explain_foreign_json
from agent_saga.certify.importers.agent_saga_log.mapping import HANDLERS
from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.certify.source import Fault, ImportChoices, Observed
from agent_saga.trace.reader import open_input

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "sources" / "agent-saga-log"
EXITS = {"certified": 0, "undetectable": 0, "refused": 1, "inconclusive": 3, "nothing": 4}


@cache
def generator() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_agent_saga_logs", Path(__file__).with_name("make_agent_saga_logs.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def manifest() -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = json.loads((FOLDER / "MANIFEST.json").read_text())["files"]
    return files


def read(path: Path, root: str = "") -> list[Observed | Fault]:
    return list(FORMAT.read(open_input(str(path)), ImportChoices(expected_root=root)))


def read_records(tmp_path: Path, records: list[dict[str, Any]]) -> list[Observed | Fault]:
    path = tmp_path / "log.wal"
    path.write_bytes(generator().lines(generator().chain(records)))
    return read(path)


def events(items: list[Observed | Fault]) -> list[Any]:
    assert [item for item in items if isinstance(item, Fault)] == []
    return [item.event for item in items if isinstance(item, Observed)]


def faults(items: list[Observed | Fault]) -> list[Fault]:
    return [item for item in items if isinstance(item, Fault)]


@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["file"])
def test_each_fixture_gets_its_verdict_and_one_of_its_codes(entry: dict[str, Any]) -> None:
    report = certify([str(FOLDER / entry["file"])])
    found = {finding.code for finding in report.findings}
    assert report.exit_code == EXITS[entry["want"]], report.findings
    assert not entry["want_codes"] or found & set(entry["want_codes"]), report.findings


def test_the_fixtures_are_what_the_generator_writes() -> None:
    written = {name: content for name, content, _, _ in generator().fixtures()}
    assert {path.name: path.read_bytes() for path in FOLDER.glob("*.wal")} == written


@pytest.mark.parametrize("name", ["good_several.wal", "bad_edit_amount_restamped.wal", "bad_comp_wrong_resource.wal"])
def test_only_the_log_over_which_a_root_was_published_has_that_root(name: str) -> None:
    root = json.loads((FOLDER / "MANIFEST.json").read_text())["root_of_several"]
    report = certify([str(FOLDER / name)], Options(Choices(expected_root=root)))
    assert report.exit_code == (0 if name == "good_several.wal" else 1)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 32])
def test_the_streamed_root_is_the_root_built_level_by_level(tmp_path: Path, size: int) -> None:
    log = generator().base()[:size]
    path = tmp_path / "log.wal"
    path.write_bytes(generator().lines(log))
    assert [fault.code for fault in faults(read(path, generator().root(log)))] == []
    assert [fault.code for fault in faults(read(path, "0" * 64))] == ["AS104"]


def test_a_happy_saga_becomes_its_events(tmp_path: Path) -> None:
    made = events(read_records(tmp_path, generator().happy()))
    assert [event.type for event in made] == [
        "saga.started",
        "effect.intended",
        "effect.succeeded",
        "effect.intended",
        "effect.succeeded",
        "saga.ended",
    ]
    assert [event.seq for event in made] == list(range(6))
    assert made[3].tool == "payments.charge"
    assert made[3].args == {"amount": 4200, "customer": "cus_1"}
    assert made[4].undo.tool == "payments.refund"
    assert made[4].undo.args == {"charge": "ch_1"}
    assert made[5].status == "succeeded_unverified"


def test_an_undo_takes_tool_and_arguments_from_the_recorded_descriptor(tmp_path: Path) -> None:
    made = events(read_records(tmp_path, generator().compensated(1)))
    undos = [event for event in made if event.type == "undo.intended"]
    assert [undo.tool for undo in undos] == ["email.retract", "payments.refund", "inventory.release"]
    assert [event.type for event in made].count("undo.succeeded") == 3
    assert made[-1].status == "compensated_verified"
    assert next(event for event in made if event.type == "rollback.started").cause == {
        "type": "ValueError",
        "message": "card declined",
    }


def test_floats_and_large_integers_become_text_and_time_is_exact(tmp_path: Path) -> None:
    saga = generator().Saga("numbers", 1)
    saga.step("a", {"f": 0.5, "deep": [{"i": 2**60, "ok": 7}], "t": True}, semantics="PREVIEW")
    saga.records[0]["ts"] = 1796022935.4985416
    made = events(read_records(tmp_path, saga.records))
    assert made[0].at == "2026-11-30T07:15:35.498542Z"
    assert made[1].args == {"f": "0.5", "deep": [{"i": str(2**60), "ok": 7}], "t": True}


def test_ids_that_do_not_fit_are_made_to_fit_and_stay_apart(tmp_path: Path) -> None:
    saga = generator().Saga("x", 1)
    for raw in ("a b", "a_b", "u1", "a/b", "x" * 80):
        saga.add("STEP_INTENT", step_id=raw, tool="t\n", semantics="PREVIEW", kwargs={})
    made = [event for event in events(read_records(tmp_path, saga.records)) if event.type == "effect.intended"]
    assert len({event.effect for event in made}) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", event.effect) for event in made)
    assert "\n" not in made[0].tool


def test_an_approval_goes_to_the_next_call_of_its_tool_with_its_arguments(tmp_path: Path) -> None:
    made = events(read_records(tmp_path, generator().wire(decision="GRANTED")))
    assert [event.type for event in made][:4] == [
        "saga.started",
        "approval.requested",
        "approval.recorded",
        "effect.intended",
    ]
    assert made[1].step == made[2].step == made[3].step
    assert made[2].action == made[3].action
    assert (made[2].decision, made[2].person, made[2].proof) == ("approve", "alice", {})


def test_a_refusal_does_not_stick_to_a_saga_that_began_later(tmp_path: Path) -> None:
    refused = [record for record in generator().wire(1, "DENIED") if not record["event"].startswith("STEP")]
    later = generator().wire(2)
    made = events(read_records(tmp_path, [*refused, *later]))
    assert not any(event.type == "approval.recorded" for event in made)


def test_a_saga_id_used_again_with_other_steps_is_a_saga_of_its_own(tmp_path: Path) -> None:
    first, second = generator().happy(1), generator().happy(2)
    again = [record | {"saga_id": first[0]["saga_id"]} for record in second]
    items = read_records(tmp_path, [*first, *again])
    assert [(fault.code, fault.severity) for fault in faults(items)] == [("AS113", "note")]
    assert len({item.event.saga for item in items if isinstance(item, Observed)}) == 2


def test_a_continued_saga_is_judged_as_one(tmp_path: Path) -> None:
    made = events(read_records(tmp_path, generator().continued()))
    assert len({event.saga for event in made}) == 1
    assert [event.type for event in made].count("saga.ended") == 1


def test_dates_hashed_as_text_and_written_as_tags_still_verify(tmp_path: Path) -> None:
    gen = generator()
    saga = gen.Saga("typed", 1)
    plain = saga.add("AGENT_DECISION", args={"due": "2026-11-30 07:00:00", "id": "6f1c"})
    log = gen.chain([*gen.Saga("typed", 1).records, plain])
    tagged = {
        "due": {"__type__": "datetime", "value": "2026-11-30T07:00:00"},
        "id": {"__type__": "uuid", "value": "6f1c"},
    }
    path = tmp_path / "log.wal"
    path.write_bytes(gen.lines([log[0], log[1] | {"args": tagged}]))
    assert faults(read(path)) == []
    path.write_bytes(gen.lines([log[0], log[1] | {"args": tagged | {"id": {"__type__": "uuid", "value": "6f1d"}}}]))
    assert [fault.code for fault in faults(read(path))] == ["AS104"]


def test_a_break_of_the_chain_is_told_once() -> None:
    found = faults(read(FOLDER / "bad_edit_amount.wal"))
    assert [(fault.line, fault.code) for fault in found] == [(2, "AS104")]


def test_proofs_and_certificates_are_no_logs() -> None:
    proof = b'{"version": 1, "algorithm": "sha256-merkle-v1", "merkle_root": "00", "entries": [{"event": 1, "seq": 1}]}'
    certificate = b'{\n  "version": 1,\n  "safe": true,\n  "sagas_audited": 1}'
    assert "a proof, not a trace" in (explain_foreign_json(proof) or "")
    assert "a certificate, not a trace" in (explain_foreign_json(certificate) or "")
    assert not FORMAT.recognises(proof)
    assert not FORMAT.recognises(certificate)
    assert explain_foreign_json((FOLDER / "good_happy.wal").read_bytes()) is None


def test_the_page_names_every_record_and_every_rule_that_cannot_be_assessed() -> None:
    page = (ROOT / "docs" / "sources" / "agent-saga-log.md").read_text()
    assert [name for name in HANDLERS if f"`{name}`" not in page] == []
    assert [code for code in FORMAT.not_assessable if f"| {code} |" not in page] == []


def test_a_streamed_log_of_any_size_certifies(tmp_path: Path) -> None:
    path = tmp_path / "log.wal"
    generator().write_log(path, 1003, seed=5)
    assert path.read_bytes().count(b"\n") == 1003
    assert certify([str(path)]).exit_code == 0


def attacks() -> Iterator[str]:
    yield from generator().ATTACKS


def test_every_attack_stands_in_the_manifest() -> None:
    assert {f"bad_{name}.wal" for name in attacks()} <= {entry["file"] for entry in manifest()}
