"""Agentic Saga traces: what is certified, what is refused, and that no bytes make the reader raise."""

from __future__ import annotations

import gzip
import importlib.util
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_saga.certify.importers.agentic_saga import FORMAT
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.certify.source import Fault, ImportChoices, Observed
from agent_saga.trace.reader import open_input


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _load("make_agentic_saga")
Document = dict[str, Any]


def read(path: Path, **choices: Any) -> tuple[list[Observed], list[Fault]]:
    found = list(FORMAT.read(open_input(str(path)), ImportChoices(**choices)))
    return [x for x in found if isinstance(x, Observed)], [x for x in found if isinstance(x, Fault)]


def fresh(document: Document) -> Document:
    """A copy in which no two places share a value."""
    return json.loads(json.dumps(document))  # type: ignore[no-any-return]


def judge(tmp_path: Path, document: Document) -> Report:
    path = tmp_path / "trace.json"
    path.write_text(make.text(document), "utf-8")
    return certify([str(path)])


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings if str(finding.severity) == "error"}


def test_the_fixtures_are_what_their_generator_writes() -> None:
    wanted = make.files()
    found = {str(p.relative_to(make.FOLDER)): p.read_text("utf-8") for p in make.FOLDER.rglob("*.json")}
    assert found == wanted


@pytest.mark.parametrize("name", sorted(make.GOOD))
def test_a_sound_trace_is_certified(name: str) -> None:
    report = certify([str(make.FOLDER / "good" / f"{name}.json")])
    assert (report.exit_code, report.findings) == (0, ())
    assert report.inputs[0].format == "Agentic Saga trace 1.0"
    assert {"AS104", "AS114", "AS203", "AS206", "AS215", "AS301"} <= set(report.inputs[0].not_assessable)
    assert any("integrity not assessable" in words for words in report.inputs[0].assumptions)


def test_a_folder_is_judged_without_its_index_and_says_so() -> None:
    report = certify([str(make.FOLDER / "good")])
    assert report.exit_code == 0
    assert [(f.code, str(f.severity)) for f in report.findings] == [("AS601", "note")]
    assert "skipped" in report.findings[0].because


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("refund_dropped", {"AS105", "AS201", "AS210", "AS502"}),
        ("refund_short", {"AS209", "AS210"}),
        ("waiting_for_person", {"AS504"}),
    ],
)
def test_an_unsound_trace_is_refused(name: str, wanted: set[str]) -> None:
    report = certify([str(make.FOLDER / "bad" / f"{name}.json")])
    assert (report.exit_code, codes(report)) == (1, wanted)


def test_an_event_has_the_line_of_its_object_in_the_file() -> None:
    path = make.FOLDER / "good" / "undone_asked.json"
    lines = path.read_text("utf-8").splitlines()
    events, _ = read(path)
    assert [event.event.seq for event in events] == list(range(len(events)))
    for event in events:
        assert lines[event.line - 1] == "    {"
        assert event.event.at[:19] in lines[event.line + 2]


def test_the_undo_of_a_reconciliation_is_found_by_its_correlation() -> None:
    events, _ = read(make.FOLDER / "bad" / "waiting_for_person.json")
    told = [(e.event.type, getattr(e.event, "undo", "")) for e in events if e.event.type.startswith("undo.")]
    (undo,) = {name for _, name in told}
    assert [kind for kind, _ in told] == ["undo.intended", "undo.unknown", "undo.reconciled"]
    assert events[-1].event.waiting == (undo,)  # type: ignore[union-attr]


# Each changes a sound trace; the codes are the least that must be found.


def _digest(document: Document) -> None:
    make.find(document, "charge_card")["redacted_input"]["amount_minor"] = 1


def _one_amount(document: Document) -> None:
    event = make.find(document, "charge_card")
    event["redacted_input"] = make.CARD | {"amount_minor": 1}
    make.seal(event)


def _other_guest(document: Document) -> None:
    event = make.find(document, "refund_card")
    event["redacted_input"] = event["rationale"]["arguments"] = make.CARD | {"guest": "guest_8"}
    make.seal(event)


def _forged_outcome(document: Document) -> None:
    event = make.find(document, "refund_card")
    event["redacted_output"] = {"kind": "outcome_unknown"}
    make.seal(event)


def _swapped(document: Document) -> None:
    events = document["events"]
    events[-3], events[-4] = events[-4], events[-3]
    for number, event in enumerate(events, 1):
        event["saga_seq"] = number


def _cut(document: Document) -> None:
    del document["events"][-2:]


def _headless(document: Document) -> None:
    del document["events"][0]


def _other_outcome(document: Document) -> None:
    document["outcome"] = "succeeded_verified"


def _other_finish(document: Document) -> None:
    document["finished_at"] = "2026-03-01T00:00:00Z"


def _forged_proof(document: Document) -> None:
    document["proofs"][0]["result"] = "valid"


def _other_run(document: Document) -> None:
    document["run_id"] = "trace_" + "0" * 32
    for event in document["events"]:
        event["trace_id"] = document["run_id"]


def _other_step(document: Document) -> None:
    event = make.find(document, "refund_card")
    event["step_instance_id"] = event["rationale"]["step_instance_id"] = "step_99999999"


def _unknown_type(document: Document) -> None:
    document["events"][-2]["event_type"] = "secret_effect_recorded"


def _unknown_member(document: Document) -> None:
    document["events"][2]["tool_nam"] = "x"


def _version(document: Document) -> None:
    document["schema_version"] = "2.0"


def _no_digest(document: Document) -> None:
    make.find(document, "refund_card")["input_hash"] = None


def _refused_step(document: Document) -> None:
    document["events"][3]["rationale"]["accepted"] = False


def _clock(document: Document) -> None:
    document["events"][4]["recorded_at"] = "2026-01-01T00:00:00Z"


UNDONE: list[tuple[Callable[[Document], None], set[str]]] = [
    (_digest, {"AS601", "AS209"}),
    (_one_amount, {"AS601", "AS209"}),
    (_other_guest, {"AS208"}),
    (_forged_outcome, {"AS601", "AS502", "AS207"}),
    (_swapped, {"AS105", "AS210", "AS502"}),
    (_cut, {"AS503", "AS502"}),
    (_headless, {"AS106", "AS105"}),
    (_other_outcome, {"AS502"}),
    (_other_finish, {"AS502"}),
    (_forged_proof, {"AS502"}),
    (_other_run, {"AS601"}),
    (_other_step, {"AS601"}),
    (_unknown_type, {"AS103"}),
    (_unknown_member, {"AS102"}),
    (_version, {"AS103"}),
    (_no_digest, {"AS601"}),
    (_refused_step, {"AS506"}),
]


@pytest.mark.parametrize(("change", "wanted"), UNDONE, ids=[change.__name__ for change, _ in UNDONE])
def test_a_changed_trace_is_refused(tmp_path: Path, change: Callable[[Document], None], wanted: set[str]) -> None:
    document = fresh(make.undone())
    change(document)
    report = judge(tmp_path, document)
    assert report.exit_code == 1
    assert wanted <= codes(report)


def test_an_accepted_choice_without_an_outcome_may_have_been_made(tmp_path: Path) -> None:
    """Charge and refund are both deleted, and all that is computed is computed anew."""
    document = fresh(make.undone())
    gone = make.find(document, "charge_card")
    document["events"] = [e for e in document["events"] if e is not gone and e["tool_name"] != "refund_card"]
    for number, event in enumerate(document["events"], 1):
        event["saga_seq"] = number
        kind = make.KINDS.get(event["event_type"], event["event_type"])
        event["event_id"] = "evt_" + make.digest({"kind": kind, "saga_id": document["saga_id"], "seq": number})[:32]
        if event["event_type"] == "compensation_completed":
            del event["rationale"]["compensated_operation_ids"][0]
    document["proofs"] = []
    document["finished_at"] = document["events"][-1]["recorded_at"]
    assert "AS202" in codes(judge(tmp_path, document))


def test_a_success_needs_a_check_on_which_all_copies_agree(tmp_path: Path) -> None:
    document = fresh(make.booked())
    event = next(e for e in document["events"] if e["event_type"] == "invariant_evaluated")
    event["redacted_output"]["verified"] = False
    make.seal(event)
    assert "AS501" in codes(judge(tmp_path, document))


def test_a_clock_that_went_back_is_a_warning(tmp_path: Path) -> None:
    document = fresh(make.undone())
    _clock(document)
    assert [(f.code, str(f.severity)) for f in judge(tmp_path, document).findings] == [("AS108", "warning")]


def test_redacted_arguments_leave_the_comparison_open(tmp_path: Path) -> None:
    document = fresh(make.undone())
    for tool in ("hold_room", "release_room"):
        event = make.find(document, tool)
        event["redacted_input"] = event["rationale"]["arguments"] = {"guest": "[REDACTED]"}
        make.seal(event)
    report = judge(tmp_path, document)
    assert report.exit_code == 3
    assert [(f.code, f.inconclusive) for f in report.findings] == [("AS602", True)]


def test_a_persons_word_is_unsigned(tmp_path: Path) -> None:
    recorder = make.Recorder("resolved")
    (room, first), (card, second) = make._forward(recorder)
    recorder.roll_back()
    recorder.reconcile(card, "refund_card", make.CARD, "unsupported", second)
    own = recorder.call(card, "refund_card", make.CARD, "unresolved", second)
    recorder.wait()
    said = {"actor": "operator_1", "authorization_id": "authz_0123456789abcdef", "operation_id": own}
    recorder._add("human_resolved", "human", "compensating", operation_id=own, rationale=said)
    recorder.call(room, "release_room", make.ROOM, "succeeded", first)
    recorder.rolled_back(second, first)
    recorder.end("compensated_verified")
    assert codes(judge(tmp_path, recorder.document())) == {"AS507"}


def test_a_required_chain_is_an_error() -> None:
    path = make.FOLDER / "good" / "booked.json"
    report = certify([str(path)], Options(choices=Choices(require_chain=True)))
    assert (report.exit_code, codes(report)) == (1, {"AS114"})


# The index beside the traces.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(make.FOLDER / "good", tmp_path / "good"))


def test_a_trace_that_is_not_the_indexed_one_is_refused(folder: Path) -> None:
    path = folder / "booked.json"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert codes(certify([str(path)])) == {"AS601"}


def test_a_compressed_trace_is_compared_by_what_it_holds(folder: Path) -> None:
    path = folder / "booked.json"
    packed = folder / "booked.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert certify([str(packed)]).findings == ()
    packed.write_bytes(gzip.compress(b" " + make.text(make.booked()).encode()))
    assert codes(certify([str(packed)])) == {"AS601"}


def test_a_trace_that_the_index_lists_and_the_folder_lacks_is_missed(folder: Path) -> None:
    (folder / "undone.json").unlink()
    report = certify([str(folder)])
    assert report.exit_code == 1
    assert "undone.json" in report.findings[0].because + report.findings[-1].because


def test_an_index_that_does_not_list_the_trace_is_a_warning(folder: Path) -> None:
    (folder / "booked.json").rename(folder / "other.json")
    report = certify([str(folder / "other.json")])
    assert [(f.code, str(f.severity)) for f in report.findings] == [("AS601", "warning")]


@pytest.mark.parametrize("index", [b"\xff", b"{", b'{"runs": 1}', b"[" * 100_000, b'{"runs":[],"runs":[]}'])
def test_a_broken_index_never_raises(folder: Path, index: bytes) -> None:
    (folder / "index.json").write_bytes(index)
    assert certify([str(folder / "booked.json")]).exit_code == 0


# Bad bytes.

HOSTILE = {
    "empty object": b"{}",
    "binary": bytes(range(256)) * 40,
    "not UTF-8": b'{"schema_version":"1.0","saga_id":"\xff","events":[]}',
    "byte order mark": b'\xef\xbb\xbf{"schema_version":"1.0","saga_id":"saga_0123456789abcdef","events":[]}',
    "NaN": b'{"schema_version":"1.0","saga_id":NaN,"events":[{"saga_seq":NaN,"redacted_input":Infinity}]}',
    "nested": b'{"schema_version":"1.0","saga_id":' + b"[" * 100_000,
    "unclosed string": b'{"schema_version":"1.0","saga_id":"' + b'\\"' * 200_000,
    "digits": b'{"schema_version":"1.0","saga_id":' + b"9" * 10_000 + b',"events":[]}',
    "huge exponent": b'{"schema_version":"1.0","saga_id":1e999999,"events":[]}',
    "twice": b'{"schema_version":"1.0","schema_version":"1.0","saga_id":"a","events":[],"events":[]}',
    "surrogate": b'{"schema_version":"1.0","saga_id":"\\ud800","events":[{"saga_seq":1,"input_hash":"\\udfff"}]}',
    "null events": b'{"schema_version":"1.0","saga_id":null,"events":null}',
    "odd events": b'{"schema_version":"1.0","saga_id":"x","events":[null,1,[],"",{}],"proofs":[1,{}]}',
    "trailing comma": b'{"schema_version":"1.0","saga_id":"x","events":[{},]}',
    "two documents": b'{"schema_version":"1.0","saga_id":"x","events":[]}{}',
    "odd index": b'{"schema_version":"1.0","runs":[{"trace_ref":"/etc/x"},{"trace_ref":"\\u0000"},{"trace_ref":3}]}',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_bytes_give_located_faults(tmp_path: Path, name: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(HOSTILE[name])
    _, faults = read(path)
    assert faults
    assert all(fault.line >= 1 and fault.code.startswith("AS") for fault in faults)
    assert certify([str(path)]).exit_code == 1


def test_a_cut_stream_is_a_truncated_file(tmp_path: Path) -> None:
    whole = (make.FOLDER / "good" / "booked.json").read_bytes()
    path = tmp_path / "trace.json"
    path.write_bytes(whole[: len(whole) // 2])
    assert "AS109" in codes(certify([str(path)]))
    path.write_bytes(gzip.compress(whole)[:-300])
    assert "AS109" in codes(certify([str(path)]))


def _mutate(data: bytes, chance: random.Random) -> bytes:
    mutable = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(mutable))
        match chance.randrange(4):
            case 0:
                mutable[at] = chance.randrange(256)
            case 1:
                del mutable[at : at + chance.randrange(1, 40)]
            case 2:
                mutable[at:at] = chance.choice([b'"', b"{", b"[", b"null", b",", b"1e5", b"\\u0000", b"-1", b'"":'])
            case _:
                here = chance.randrange(len(mutable))
                mutable[at : at + 30] = mutable[here : here + 30]
    return bytes(mutable)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_bytes_never_raise(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    sources = [p.read_bytes() for p in sorted(make.FOLDER.rglob("*.json"))]
    path = tmp_path / "trace.json"
    for _ in range(60):
        path.write_bytes(_mutate(chance.choice(sources), chance))
        read(path)


@pytest.mark.parametrize("seed", range(4))
def test_values_of_any_kind_never_raise(tmp_path: Path, seed: int) -> None:
    """The JSON stays sound, its values do not."""
    chance = random.Random(seed)
    odd = [
        None,
        True,
        0,
        -1,
        2**70,
        1.5,
        "",
        "x" * 600,
        "\x00",
        [],
        {},
        [[{}]],
        {"...": "x"},
        {"kind": {}},
        "2026-13-01T00:00:00Z",
    ]
    names = [*make.MEMBERS, "rationale"]
    path = tmp_path / "trace.json"
    for _ in range(60):
        document = fresh(chance.choice([make.undone(), make.waiting(), make.booked(lost=True)]))
        for _ in range(chance.randrange(1, 4)):
            event = chance.choice(document["events"])
            place = chance.choice([event, event["rationale"], document])
            if isinstance(place, dict):
                place[chance.choice([*place, *names])] = chance.choice(odd)
            if not isinstance(document.get("events"), list):
                break
            document["events"] = [
                e for e in document["events"] if isinstance(e, dict) and isinstance(e.get("rationale"), dict)
            ]
        path.write_text(json.dumps(document), "utf-8")
        certify([str(path)])


# Traces that nobody here wrote.


@pytest.mark.parametrize("name", ["happy-path", "lost-response", "business-failure"])
def test_a_recorded_trace_is_judged_without_error(inputs_dir: Path, name: str) -> None:
    report = certify([str(inputs_dir / "agentic-saga" / f"{name}.json")])
    assert (report.exit_code, report.findings) == (0, ())


def test_the_recorded_pause_waits_for_a_person(inputs_dir: Path) -> None:
    report = certify([str(inputs_dir / "agentic-saga" / "compensation-failure.json")])
    assert (report.exit_code, [finding.code for finding in report.findings]) == (1, ["AS504"])


def test_a_recorded_amount_that_was_changed_with_its_digest_is_refused(inputs_dir: Path, tmp_path: Path) -> None:
    document = json.loads((inputs_dir / "agentic-saga" / "business-failure.json").read_text("utf-8"))
    event = make.find(document, "refund_payment")
    event["redacted_input"]["amount_minor"] = event["rationale"]["arguments"]["amount_minor"] = 790
    make.seal(event)
    assert "AS209" in codes(judge(tmp_path, document))


def test_a_recorded_refund_that_was_deleted_is_missed(inputs_dir: Path, tmp_path: Path) -> None:
    document = json.loads((inputs_dir / "agentic-saga" / "business-failure.json").read_text("utf-8"))
    document["events"].remove(make.find(document, "refund_payment"))
    for number, event in enumerate(document["events"], 1):
        event["saga_seq"] = number
    assert {"AS105", "AS201", "AS502"} <= codes(judge(tmp_path, document))
    # The ids recomputed too, and the closing list shortened: the effect itself still gives it away.
    kinds = make.KINDS | {"invariant_evaluated": "forward_result"}
    for event in document["events"]:
        said = {"kind": kinds.get(event["event_type"], event["event_type"]), "saga_id": document["saga_id"]}
        event["event_id"] = "evt_" + make.digest(said | {"seq": event["saga_seq"]})[:32]
        if event["event_type"] == "compensation_completed":
            del event["rationale"]["compensated_operation_ids"][1]
    assert "AS201" in codes(judge(tmp_path, document))


# What is written about it.


def test_the_page_says_what_the_format_cannot_answer() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sources" / "agentic-saga.md").read_text("utf-8")
    for code, why in FORMAT.not_assessable.items():
        (row,) = [line for line in page.splitlines() if line.endswith(f"| {why} |")]
        assert code in row
    assert all(words in page for words in FORMAT.assumptions)
