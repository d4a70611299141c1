"""A Temporal history that says of its calls what no server writes, or hides runs or attempts, is not certified."""

from __future__ import annotations

import copy
import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.run import Options, certify

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures/sources/temporal"
_SPEC = importlib.util.spec_from_file_location("red_histories", ROOT / "tests/importers/make_temporal.py")
assert _SPEC is not None
assert _SPEC.loader is not None
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)
MAPPING = tomllib.loads((FOLDER / "mapping.toml").read_text("utf-8"))
PROVEN = copy.deepcopy(MAPPING)
PROVEN["activities"]["charge_card"]["idempotent"] = True
Events = list[dict[str, Any]]


def judged(folder: Path, events: Events, mapping: dict[str, Any] = MAPPING) -> tuple[int, set[str]]:
    """Exit code, and codes of what is found."""
    path = folder / "history.json"
    path.write_text(json.dumps({"events": events}), "utf-8")
    report = certify([str(path)], Options(mapping=mapping))
    return int(report.exit_code), {one.code for one in report.findings}


def sound(name: str) -> Events:
    """The events of a sound history."""
    return list(json.loads((FOLDER / f"good/{name}.json").read_text("utf-8"))["events"])


def said(event: dict[str, Any]) -> dict[str, Any]:
    """The attributes of an event."""
    return next(value for name, value in event.items() if name.endswith("Attributes"))


def of(events: Events, kind: str, number: int = 0) -> dict[str, Any]:
    """The attributes of one of the events of a type."""
    return said([event for event in events if event["eventType"] == f"EVENT_TYPE_{kind}"][number])


def without(events: Events, at: int) -> Events:
    """The history without one event, counted anew as whoever hides one would."""
    ids = {event["eventId"]: str(n) for n, event in enumerate(events[:at] + events[at + 1 :], 1) if n}
    kept = copy.deepcopy(events[:at] + events[at + 1 :])
    for event in kept:
        event["eventId"] = ids[event["eventId"]]
        for name, value in said(event).items():
            if name.endswith("EventId"):
                said(event)[name] = ids.get(value, value)
    return kept


STARTS = [
    (name, at)
    for name in ("retried", "rolled_back", "parallel")
    for at, event in enumerate(sound(name))
    if event["eventType"] == "EVENT_TYPE_ACTIVITY_TASK_STARTED"
]


@pytest.mark.parametrize(("name", "at"), STARTS)
def test_the_start_of_a_call_cannot_be_left_out(name: str, at: int, tmp_path: Path) -> None:
    assert judged(tmp_path, sound(name))[0] == 0
    code, found = judged(tmp_path, without(sound(name), at))
    assert code == 1
    assert "AS203" in found


@pytest.mark.parametrize("value", [None, "", "x", 0, -1, 2.0, True, [], {}, "1.0", 1 << 60], ids=repr)
@pytest.mark.parametrize(("name", "at"), STARTS)
def test_an_attempt_that_is_no_number_is_no_first_attempt(name: str, at: int, value: object, tmp_path: Path) -> None:
    events = sound(name)
    said(events[at])["attempt"] = value
    code, found = judged(tmp_path, events)
    assert code == 1
    assert "AS102" in found


@pytest.mark.parametrize("value", [None, "", "1", 1, 999, "5.0", [], {}], ids=repr)
@pytest.mark.parametrize(("name", "at"), STARTS)
def test_a_start_that_names_no_call_is_found(name: str, at: int, value: object, tmp_path: Path) -> None:
    events = sound(name)
    said(events[at])["scheduledEventId"] = value
    code, found = judged(tmp_path, events)
    assert code == 1
    assert "AS203" in found


def charged() -> Any:
    """A history that has begun to charge a card."""
    history = making.History("BookTrip")
    history.start(history.schedule("charge_card", making.CARD))
    return history


def test_a_call_is_closed_once(tmp_path: Path) -> None:
    history = charged()
    history.add("ACTIVITY_TASK_TIMED_OUT", scheduledEventId="5", startedEventId="6")
    history.fail(5)
    assert judged(tmp_path, history.end("FAILED")["events"]) == (1, {"AS102", "AS202"})


def test_a_call_is_begun_once(tmp_path: Path) -> None:
    history = charged()
    history.start(5)
    history.fail(5)
    assert judged(tmp_path, history.end("FAILED")["events"])[0] == 1


def test_a_call_is_closed_by_an_event_of_its_own_kind(tmp_path: Path) -> None:
    history = charged()
    history.add("START_CHILD_WORKFLOW_EXECUTION_FAILED", initiatedEventId="5")
    assert judged(tmp_path, history.end("FAILED")["events"]) == (1, {"AS202", "AS203"})


def test_a_child_that_was_started_was_not_refused(tmp_path: Path) -> None:
    events = sound("other_calls")
    at = next(n for n, one in enumerate(events) if one["eventType"] == "EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED")
    number = events[at]["eventId"]
    events[at] = {
        "eventId": number,
        "eventTime": events[at]["eventTime"],
        "eventType": "EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED",
        "startChildWorkflowExecutionFailedEventAttributes": {"initiatedEventId": said(events[at])["initiatedEventId"]},
    }
    code, found = judged(tmp_path, events)
    assert code == 1
    assert "AS102" in found


TIMED_OUT: dict[str, Any] = {"timeoutFailureInfo": {}}
DECLINED = {"applicationFailureInfo": {"type": "Declined"}}


@pytest.mark.parametrize(
    ("attempt", "last", "wanted"),
    [(1, None, 0), (2, DECLINED, 0), (2, TIMED_OUT, 1), (2, None, 1), (3, DECLINED, 1)],
)
def test_the_failure_of_the_last_attempt_is_no_proof_for_those_before(
    attempt: int, last: Any, wanted: int, tmp_path: Path
) -> None:
    history = making.History("BookTrip")
    call = history.schedule("charge_card", making.CARD)
    history.start(call, attempt, last)
    history.fail(call)
    assert judged(tmp_path, history.end("FAILED")["events"], PROVEN) == (wanted, {"AS202"} if wanted else set())


def test_a_local_activity_that_was_to_be_made_again_may_have_landed(tmp_path: Path) -> None:
    history = making.History("BookTrip")
    making.local(history, "charge_card", None, {"message": "lost"})
    marker = of(history.events, "MARKER_RECORDED")
    marker["details"]["data"] = making.payloads({"activity_type": "charge_card", "backoff": {"seconds": 60}})
    code, found = judged(tmp_path, history.end("FAILED")["events"], PROVEN)
    assert code == 1
    assert "AS202" in found


@pytest.mark.parametrize("failure", ["", "lost", [], 0, False], ids=repr)
def test_a_local_activity_whose_failure_is_no_object_did_not_succeed(failure: object, tmp_path: Path) -> None:
    history = making.History("BookTrip")
    making.local(history, "find_flights", [])
    of(history.events, "MARKER_RECORDED")["failure"] = failure
    code, found = judged(tmp_path, history.end()["events"])
    assert code == 1
    assert "AS102" in found


@pytest.mark.parametrize(
    "attributes",
    [{"cause": "WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW"}, {"cause": "ResetWorkflow"}, {"baseRunId": "r-0"}],
)
def test_a_workflow_that_was_reset_is_not_settled_by_this_history(attributes: dict[str, str], tmp_path: Path) -> None:
    history = making.History("BookTrip")
    history.run("find_flights", {"to": "OSL"}, [])
    history.add("WORKFLOW_TASK_FAILED", **attributes)
    assert judged(tmp_path, history.end()["events"]) == (3, {"AS503"})


def test_a_workflow_task_that_failed_otherwise_changes_nothing(tmp_path: Path) -> None:
    history = making.History("BookTrip")
    history.add("WORKFLOW_TASK_FAILED", cause="WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE")
    assert judged(tmp_path, history.end()["events"]) == (0, set())


@pytest.mark.parametrize(
    ("initiator", "how", "wanted"),
    [
        ("CONTINUE_AS_NEW_INITIATOR_WORKFLOW", "FAILED", 3),
        ("", "TERMINATED", 3),
        ("CONTINUE_AS_NEW_INITIATOR_WORKFLOW", "COMPLETED", 0),
        ("CONTINUE_AS_NEW_INITIATOR_RETRY", "FAILED", 0),
        ("CronSchedule", "FAILED", 0),
    ],
)
def test_a_run_that_continues_another_and_gives_up_shows_not_what_that_one_left(
    initiator: str, how: str, wanted: int, tmp_path: Path
) -> None:
    history = making.History("BookTrip", continuedExecutionRunId="r-0", initiator=initiator)
    assert judged(tmp_path, history.end(how)["events"]) == (wanted, {"AS503"} if wanted else set())


DROPPABLE = ("WORKFLOW_TASK_",)


@pytest.mark.parametrize("name", ["rolled_back", "retried", "parallel", "corrected", "handled"])
def test_no_event_of_a_call_can_be_left_out_or_told_twice(name: str, tmp_path: Path) -> None:
    events, tried = sound(name), 0
    preview = {one["eventId"] for one in events if said(one).get("activityType") == {"name": "find_flights"}}
    for at, event in enumerate(events):
        about = said(event).get("scheduledEventId", event["eventId"])
        if event["eventType"].removeprefix("EVENT_TYPE_").startswith(DROPPABLE) or about in preview:
            continue
        tried += 1
        assert judged(tmp_path, without(events, at))[0] == 1, event
        twice: Events = [*events[:-1], copy.deepcopy(event) | {"eventId": str(len(events))}]
        twice.append(events[-1] | {"eventId": str(len(events) + 1)})
        assert judged(tmp_path, twice)[0] == 1, event
    assert tried > 7
