"""Temporal histories: what is certified, what is refused, and that no bytes make the reader raise."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
import random
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_saga.certify.importers.temporal import FORMAT, MappingError, MappingNeeded, check_mapping
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.certify.settings.documents import parse_toml
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


make = _load("make_temporal")
MAPPING = parse_toml(make.MAPPING.encode(), "mapping.toml")
Document = dict[str, Any]


def read(path: Path, mapping: Mapping[str, object] = MAPPING) -> tuple[list[Observed], list[Fault]]:
    found = list(FORMAT.read(open_input(str(path)), ImportChoices(mapping=mapping)))
    return [x for x in found if isinstance(x, Observed)], [x for x in found if isinstance(x, Fault)]


def judge(path: Path, document: Any, mapping: Mapping[str, object] = MAPPING, **choices: Any) -> Report:
    path = path / "history.json"
    path.write_text(make.text(document), "utf-8")
    return certify([str(path)], Options(Choices(**choices), mapping))


def codes(report: Report) -> set[str]:
    return {f.code for f in report.findings if str(f.severity) == "error" and not f.inconclusive}


def test_the_fixtures_are_what_their_generator_writes() -> None:
    found = {str(p.relative_to(make.FOLDER)): p.read_text("utf-8") for p in make.FOLDER.rglob("*") if p.is_file()}
    assert found == make.files()


@pytest.mark.parametrize("name", sorted(make.GOOD))
def test_a_sound_history_is_certified(name: str) -> None:
    report = certify([str(make.FOLDER / "good" / f"{name}.json")], Options(mapping=MAPPING))
    assert (report.exit_code, report.findings) == (0, ())
    assert report.inputs[0].format == "Temporal workflow history"
    assert {"AS104", "AS114", "AS206", "AS301", "AS501"} <= set(report.inputs[0].not_assessable)
    assert any("integrity not assessable" in words for words in report.inputs[0].assumptions)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("blind_retry", {"AS205"}),
        ("left_charged", {"AS201", "AS210"}),
        ("refund_short", {"AS209", "AS210"}),
        ("timed_out", {"AS202"}),
        ("wrong_order", {"AS210"}),
    ],
)
def test_an_unsound_history_is_refused(name: str, wanted: set[str]) -> None:
    report = certify([str(make.FOLDER / "bad" / f"{name}.json")], Options(mapping=MAPPING))
    assert (report.exit_code, codes(report)) == (1, wanted)


def test_every_spelling_gives_the_same_events() -> None:
    one, *others = [
        [
            (e.event.type, e.event.at, getattr(e.event, "args", None))
            for e in read(make.FOLDER / "good" / f"{name}.json")[0]
        ]
        for name in ("completed", "completed_array", "completed_camel_case", "completed_shorthand")
    ]
    assert all(other == one for other in others)


def test_an_event_has_the_line_of_its_record_in_the_file() -> None:
    path = make.FOLDER / "good" / "rolled_back.json"
    lines = path.read_text("utf-8").splitlines()
    events, _ = read(path)
    for event in events:
        assert lines[event.line - 1] == "  {"
        assert event.event.at[:19] in lines[event.line + 1]
    assert [e.event.type for e in events if e.event.type.startswith(("rollback", "saga"))] == [
        "saga.started",
        "rollback.started",
        "saga.ended",
    ]


def test_floats_and_large_numbers_become_strings(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("find_flights", {"a": 1.5, "b": 2**60, "...": 1})
    path = tmp_path / "history.json"
    path.write_text(make.text(make.shorthand(history.end())).replace("1.5,", "1.50,"), "utf-8")
    (intended,) = [e.event for e in read(path)[0] if e.event.type == "effect.intended"]
    assert intended.args == {"0": {"a": "1.50", "b": str(2**60), "....": 1}}  # type: ignore[union-attr]


def test_a_call_depends_on_those_that_had_closed_before_it() -> None:
    events, _ = read(make.FOLDER / "good" / "parallel.json")
    assert [e.event.after for e in events if e.event.type == "effect.intended"] == [(), ()]  # type: ignore[union-attr]
    events, _ = read(make.FOLDER / "good" / "rolled_back.json")
    calls = [e.event for e in events if e.event.type == "effect.intended"]
    assert calls[2].after == (calls[1].effect,)  # type: ignore[union-attr]


# The mapping file.


def test_without_a_mapping_nothing_is_judged_and_a_skeleton_is_given() -> None:
    path = make.FOLDER / "good" / "other_calls.json"
    with pytest.raises(MappingNeeded) as caught:
        list(FORMAT.read(open_input(str(path)), ImportChoices()))
    raw = parse_toml(caught.value.skeleton.encode(), "skeleton.toml")
    entries = check_mapping(raw).entries
    assert set(entries) == {
        "find_flights",
        "child_workflows:ShipParcel",
        "signals:notify_desk",
        "nexus_operations:ledger/post",
    }
    assert {entry.semantics for entry in entries.values()} == {"irreversible"}
    assert caught.value.skeleton.count("TODO") == 4
    assert pickle.loads(pickle.dumps(caught.value)).skeleton == caught.value.skeleton


def test_odd_names_survive_the_skeleton(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    names = ['a"b', "c\\d", "e.f", "g\nh", "ü 漢", "\u2028"]
    for name in names:
        history.run(name, 1)
    path = tmp_path / "history.json"
    path.write_text(make.text(history.end()), "utf-8")
    with pytest.raises(MappingNeeded) as caught:
        read(path, None)  # type: ignore[arg-type]
    assert list(parse_toml(caught.value.skeleton.encode(), "x.toml")["activities"]) == names  # type: ignore[call-overload]


def test_a_call_that_the_mapping_does_not_name_is_refused(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("wire_money", {"to": "x"})
    history.run("wire_money", {"to": "y"})
    report = judge(tmp_path, history.end())
    (finding,) = report.findings
    assert (report.exit_code, finding.code, finding.count) == (1, "AS404", 2)
    assert "wire_money" in finding.because


WRONG = {
    "[activites.x]\nclass = 'preview'": "did you mean 'activities'",
    "[activities.x]\nclass = 'compensible'\nundo = 'y'\n[activities.y]\nclass = 'undo'": "did you mean 'compensable'",
    "[activities.x]\nklass = 'preview'": "did you mean 'class'",
    "[activities.x]\nclass = 'compensable'": "must name the call that undoes it",
    "[activities.x]\nclass = 'compensable'\nundo = 'refnd'\n[activities.refund]\nclass = 'undo'": "mean 'refund'",
    "[activities.x]\nclass = 'irreversible'\nundo = 'y'\n[activities.y]\nclass = 'undo'": "has no undo",
    "[activities.x]\nclass = 'undo'": "no call names it as its undo",
    "[activities.x]\nclass = 'preview'\nidempotent = 1": "expected true or false",
    "[activities.x]\nclass = 'preview'\namount = '/0'": "expected a table of minor and currency",
    "[activities.x]\nclass = 'preview'\namount = {minor = '0', currency = 'EUR'}": "JSON Pointer",
    "[activities.x]\nclass = 'preview'\nmatch = {undo = '/0', effect = '/0'}": "pointer into /args or /result",
    "[activities.x]\nclass = 'compensable'\nundo = 'y'\namount = {minor = '/0', currency = 'EUR'}\n"
    "[activities.y]\nclass = 'undo'": "for both it and its undo",
    "activities = 3": "expected a table",
    "[activities]\nx = 3": "expected a table with a class",
    "completed = 'auto-ish'": "none of auto, succeeded",
}


@pytest.mark.parametrize("text", sorted(WRONG))
def test_a_wrong_mapping_is_named(text: str) -> None:
    with pytest.raises(MappingError) as caught:
        check_mapping(parse_toml(text.encode(), "mapping.toml"))
    assert WRONG[text] in str(caught.value)


def test_every_fault_of_a_mapping_is_named() -> None:
    with pytest.raises(MappingError) as caught:
        check_mapping({"activities": {"a": {"class": "x"}, "b": {"undo": 3}}, "zz": 1})
    assert len(caught.value.problems) >= 4
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_a_mapping_with_half_a_character_is_refused() -> None:
    with pytest.raises(MappingError, match="surrogate"):
        check_mapping({"activities": {"\ud800": {"class": "preview"}}})


# Meaning.


def test_a_completion_after_an_undo_can_be_declared_a_success(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("hold_room", {"room": 4})
    history.run("charge_card", make.CARD, {"charge": "ch_1"})
    history.run("refund_card", {"charge": "ch_1", "amount_minor": 12000})
    document = history.end()
    assert codes(judge(tmp_path, document)) == {"AS201"}
    assert judge(tmp_path, document, {**MAPPING, "completed": "succeeded"}).exit_code == 0


def test_an_undo_of_nothing_is_named(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("charge_card", make.CARD, {"charge": "ch_1"})
    history.run("refund_card", {"charge": "ch_9", "amount_minor": 12000})
    assert "AS211" in codes(judge(tmp_path, history.end("FAILED")))


def test_a_second_undo_of_the_same_effect_is_named(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("hold_room", {"room": 4})
    history.run("release_room", {"room": 4})
    history.run("release_room", {"room": 4})
    assert codes(judge(tmp_path, history.end("FAILED"))) == {"AS213"}


@pytest.mark.parametrize(
    ("info", "wanted"), [({"applicationFailureInfo": {}}, set()), ({"timeoutFailureInfo": {}}, {"AS202"})]
)
def test_only_the_activitys_own_failure_can_be_proof(tmp_path: Path, info: dict[str, Any], wanted: set[str]) -> None:
    history = make.History("BookTrip")
    history.fail(history.schedule("charge_card", make.CARD), **info)
    assert codes(judge(tmp_path, history.end("FAILED"))) == wanted


def test_a_failure_is_no_proof_by_itself(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.fail(history.schedule("hold_room", {"room": 4}))
    assert codes(judge(tmp_path, history.end("FAILED"))) == {"AS202"}


def test_a_call_that_never_closed_is_unknown(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.schedule("send_mail", {"to": "guest"})
    assert codes(judge(tmp_path, history.end("TIMED_OUT"))) == {"AS202"}


def test_an_amount_that_cannot_be_read_leaves_the_verdict_open(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    scheduled = history.add(
        "ACTIVITY_TASK_SCHEDULED",
        activityType={"name": "charge_card"},
        input={"payloads": [make.payload(b"\x00\x01", "binary/encrypted")]},
    )
    history.complete(scheduled, {"charge": "ch_1"})
    report = judge(tmp_path, history.end())
    assert (report.exit_code, [f.code for f in report.findings]) == (3, ["AS602"])


def test_a_workflow_that_continues_as_new_is_not_settled_by_this_history(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("hold_room", {"room": 4})
    report = judge(tmp_path, history.end("CONTINUED_AS_NEW", newExecutionRunId="r2"))
    assert (report.exit_code, [f.code for f in report.findings]) == (3, ["AS503"])


def test_a_workflow_without_an_end_never_ended(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.run("find_flights", {})
    assert codes(judge(tmp_path, history.document())) == {"AS503"}


def test_a_failed_local_activity_may_have_had_its_effect(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    make.local(history, "send_mail", None, {"message": "reset"})
    assert codes(judge(tmp_path, history.end())) == {"AS202"}


def test_a_child_workflow_names_its_parent(tmp_path: Path) -> None:
    parent = {"workflowId": "trip-0", "runId": make.RUN}
    history = make.History("ShipParcel", parentWorkflowExecution=parent, parentInitiatedEventId="5")
    path = tmp_path / "history.json"
    path.write_text(make.text(history.end()), "utf-8")
    started = read(path)[0][0].event
    assert started.parent.saga == f"trip-0:{make.RUN}"  # type: ignore[union-attr]
    assert started.parent.effect == "e5"  # type: ignore[union-attr]


def test_a_required_chain_is_an_error(tmp_path: Path) -> None:
    assert codes(judge(tmp_path, make.completed(), require_chain=True)) == {"AS114"}


def test_a_marker_that_is_not_understood_leaves_the_verdict_open(tmp_path: Path) -> None:
    history = make.History("BookTrip")
    history.add("MARKER_RECORDED", markerName="core_patch")
    history.add("MARKER_RECORDED", markerName="something_new")
    report = judge(tmp_path, history.end())
    assert (report.exit_code, [f.code for f in report.findings]) == (3, ["AS103"])


# Damage.


def _damage(name: str) -> Any:
    document: Document = copy.deepcopy(make.rolled_back())
    events = document["events"]
    if name == "gap":
        del events[7]
    elif name == "beginning":
        del events[0]
    elif name == "end":
        del events[-1]
    elif name == "twice":
        events.insert(7, events[6])
    elif name == "type":
        events[3]["eventType"] = "EVENT_TYPE_MONEY_SENT"
        events[3]["moneySentEventAttributes"] = {}
        del events[3]["workflowTaskCompletedEventAttributes"]
    elif name == "attributes":
        events[4]["eventType"] = "EVENT_TYPE_TIMER_STARTED"
    elif name == "reference":
        events[6]["activityTaskCompletedEventAttributes"]["scheduledEventId"] = "999"
    elif name == "time":
        events[6]["eventTime"] = "yesterday"
    elif name == "again":
        events.append(events[0] | {"eventId": str(len(events) + 1)})
    return document


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("gap", "AS105"),
        ("beginning", "AS106"),
        ("end", "AS503"),
        ("twice", "AS105"),
        ("type", "AS103"),
        ("attributes", "AS102"),
        ("reference", "AS203"),
        ("time", "AS102"),
        ("again", "AS106"),
    ],
)
def test_a_damaged_history_is_refused(tmp_path: Path, name: str, wanted: str) -> None:
    report = judge(tmp_path, _damage(name))
    assert report.exit_code == 1
    assert wanted in codes(report)


HOSTILE = {
    "no events": b'{"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED"}',
    "odd events": b'{"events": [null, 1, {"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED"}, {"eventType": []}]}',
    "nested": b'{"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED", "events": ' + b"[" * 100_000,
    "unclosed": b'[{"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED", "x": "' + b'\\"' * 200_000,
    "byte order mark": b'\xef\xbb\xbf[{"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED"}]',
    "NaN": b'[{"eventId": NaN, "eventType": "EVENT_TYPE_TIMER_FIRED"}]',
    "digits": b'[{"eventType": "EVENT_TYPE_TIMER_FIRED", "eventId": ' + b"9" * 10_000 + b"}]",
    "twice": b'[{"eventId": "1", "eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED"}]',
    "not UTF-8": b'[{"eventId": "1", "eventType": "EVENT_TYPE_TIMER_FIRED", "x": "\xff"}]',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_bytes_give_located_faults(tmp_path: Path, name: str) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(HOSTILE[name])
    _, faults = read(path)
    report = certify([str(path)], Options(mapping=MAPPING))
    assert FORMAT.recognises(HOSTILE[name])
    assert faults or name == "no events"
    assert all(fault.line >= 1 for fault in faults)
    assert report.exit_code in (1, 4)


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
    path = tmp_path / "history.json"
    for _ in range(60):
        path.write_bytes(_mutate(chance.choice(sources), chance))
        read(path)


ODD = [
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
    {"payloads": [{}]},
    {"payloads": 3},
    "\ud800",
]


@pytest.mark.parametrize("seed", range(4))
def test_values_of_any_kind_never_raise(tmp_path: Path, seed: int) -> None:
    """The JSON stays sound, its values do not."""
    chance = random.Random(seed)
    path = tmp_path / "history.json"
    makers = [*make.GOOD.values(), *make.BAD.values()]
    for _ in range(60):
        events = copy.deepcopy(chance.choice(makers)())
        events = events["events"] if isinstance(events, dict) else events
        for _ in range(chance.randrange(1, 4)):
            event = chance.choice(events)
            inner = next(value for key, value in event.items() if key.endswith("Attributes") or key == "eventId")
            place = inner if isinstance(inner, dict) and inner and chance.random() < 0.7 else event
            place[chance.choice(list(place))] = chance.choice(ODD)
        path.write_text(json.dumps({"events": events}), "utf-8")
        certify([str(path)], Options(mapping=MAPPING))


# Histories that nobody here wrote.

RECORDED = {
    "customer-service-workflow-history": ["invoke_model_activity"],
    "research-workflow-history": ["invoke_model_activity"],
    "tools-workflow-history": ["invoke_model_activity", "get_weather"],
}


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_recorded_history_certifies_with_a_mapping(inputs_dir: Path, name: str) -> None:
    path = inputs_dir / "temporal" / f"{name}.json"
    mapping = {"activities": {activity: {"class": "preview"} for activity in RECORDED[name]}}
    report = certify([str(path)], Options(mapping=mapping))
    assert (report.exit_code, report.findings, report.saga_count) == (0, (), 1)


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_recorded_history_gives_a_skeleton_of_its_activities(inputs_dir: Path, name: str) -> None:
    with pytest.raises(MappingNeeded) as caught:
        certify([str(inputs_dir / "temporal" / f"{name}.json")])
    assert list(parse_toml(caught.value.skeleton.encode(), "x.toml")["activities"]) == RECORDED[name]  # type: ignore[call-overload]


# What is written about it.


def test_the_page_says_what_the_format_cannot_answer() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sources" / "temporal.md").read_text("utf-8")
    for code, why in FORMAT.not_assessable.items():
        (row,) = [line for line in page.splitlines() if line.endswith(f"| {why} |")]
        assert code in row
    assert all(words in page for words in FORMAT.assumptions)


def test_the_mapping_of_the_page_is_one() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sources" / "temporal.md").read_text("utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    assert set(check_mapping(parse_toml(example.encode(), "page")).entries) == {
        "charge_card",
        "refund_card",
        "find_flights",
        "child_workflows:ShipParcel",
    }
