"""Writes fixtures/sources/temporal/: histories as a Temporal server exports them, of workflows that book a trip.

Run: python tests/importers/make_temporal.py
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "sources" / "temporal"
RUN = "0197c196-0539-799c-8a5d-000000000001"
CARD = {"amount_minor": 12000, "currency": "EUR", "order": "o-1"}

MAPPING = """\
# Which calls of the trip workflow change the world, and which undo which.

[activities.find_flights]
class = "preview"

[activities.hold_room]
class = "reversible"
undo = "release_room"

[activities.release_room]
class = "undo"

[activities.charge_card]
class = "compensable"
undo = "refund_card"
amount = { minor = "/0/amount_minor", currency = "/0/currency" }
failure_is_proof = true

[activities.refund_card]
class = "undo"
amount = { minor = "/0/amount_minor", currency = "EUR" }
match = { undo = "/0/charge", effect = "/result/charge" }
idempotent = true

[activities.send_mail]
class = "irreversible"

[child_workflows.ShipParcel]
class = "compensable"
undo = "child_workflows:RecallParcel"

[child_workflows.RecallParcel]
class = "undo"

[signals.notify_desk]
class = "irreversible"

[nexus_operations."ledger/post"]
class = "compensable"
undo = "nexus_operations:ledger/reverse"

[nexus_operations."ledger/reverse"]
class = "undo"
"""


def payload(value: Any, encoding: str = "json/plain") -> dict[str, Any]:
    data = json.dumps(value).encode() if encoding == "json/plain" else bytes(value)
    return {"metadata": {"encoding": _base64(encoding.encode())}, "data": _base64(data)}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def payloads(*given: Any) -> dict[str, Any]:
    return {"payloads": [payload(value) for value in given]}


class History:
    """Records one workflow run. Each method appends what a server would."""

    def __init__(self, workflow: str, **started: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self.started: dict[int, int] = {}
        said = {"workflowType": {"name": workflow}, "workflowId": "trip-1", "originalExecutionRunId": RUN, "attempt": 1}
        self.add("WORKFLOW_EXECUTION_STARTED", **said | started)
        self.task()

    def add(self, name: str, **said: Any) -> int:
        number = len(self.events) + 1
        words = name.lower().split("_")
        key = words[0] + "".join(word.capitalize() for word in words[1:]) + "EventAttributes"
        time = f"2026-02-01T{9 + number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.5Z"
        self.events.append({"eventId": str(number), "eventTime": time, "eventType": f"EVENT_TYPE_{name}", key: said})
        return number

    def task(self) -> None:
        first = self.add("WORKFLOW_TASK_SCHEDULED")
        second = self.add("WORKFLOW_TASK_STARTED", scheduledEventId=str(first))
        self.add("WORKFLOW_TASK_COMPLETED", scheduledEventId=str(first), startedEventId=str(second))

    def schedule(self, name: str, *given: Any) -> int:
        return self.add(
            "ACTIVITY_TASK_SCHEDULED",
            activityId=str(len(self.events)),
            activityType={"name": name},
            input=payloads(*given),
        )

    def start(self, scheduled: int, attempt: int = 1, last: Any = None) -> None:
        said = {"scheduledEventId": str(scheduled), "attempt": attempt}
        self.started[scheduled] = self.add("ACTIVITY_TASK_STARTED", **said | ({"lastFailure": last} if last else {}))

    def begun(self, scheduled: int) -> dict[str, str]:
        """What an event that closes an activity says of its beginning, which a server writes at the latest by then."""
        if scheduled not in self.started:
            self.start(scheduled)
        return {"scheduledEventId": str(scheduled), "startedEventId": str(self.started[scheduled])}

    def complete(self, scheduled: int, value: Any = None) -> None:
        self.add("ACTIVITY_TASK_COMPLETED", **self.begun(scheduled), result=payloads(value))
        self.task()

    def run(self, name: str, given: Any, value: Any = None) -> int:
        """An activity that is scheduled, starts and completes."""
        scheduled = self.schedule(name, given)
        self.start(scheduled)
        self.complete(scheduled, value)
        return scheduled

    def fail(self, scheduled: int, **info: Any) -> None:
        failure = {"message": "declined", "stackTrace": "at pay.py:3"} | (
            info or {"applicationFailureInfo": {"type": "Declined"}}
        )
        self.add("ACTIVITY_TASK_FAILED", **self.begun(scheduled), failure=failure)
        self.task()

    def end(self, how: str = "COMPLETED", **said: Any) -> dict[str, Any]:
        self.add(f"WORKFLOW_EXECUTION_{how}", **said)
        return self.document()

    def document(self) -> dict[str, Any]:
        return {"events": self.events}


def _booked(history: History) -> None:
    history.run("find_flights", {"to": "OSL"}, [{"fare": 119.5}])
    history.run("hold_room", {"room": 4}, {"hold": "h1"})
    history.run("charge_card", CARD, {"charge": "ch_1"})


def completed() -> dict[str, Any]:
    history = History("BookTrip")
    _booked(history)
    return history.end(result=payloads("booked"))


def rolled_back(minor: int = 12000, order: tuple[str, ...] = ("refund_card", "release_room")) -> dict[str, Any]:
    """The trip falls through, so both bookings are undone and the workflow fails."""
    history = History("BookTrip")
    _booked(history)
    undo = {"refund_card": {"charge": "ch_1", "amount_minor": minor}, "release_room": {"hold": "h1"}}
    for name in order:
        history.run(name, undo[name], {"done": True})
    return history.end("FAILED", failure={"message": "no mail"})


def handled() -> dict[str, Any]:
    """The workflow undoes its work and completes: nothing may be left."""
    history = History("BookTrip")
    _booked(history)
    history.run("refund_card", {"charge": "ch_1", "amount_minor": 12000})
    history.run("release_room", {"hold": "h1"})
    return history.end()


def corrected() -> dict[str, Any]:
    """A wrong charge is undone and made again: an undo that is no roll-back."""
    history = History("BookTrip")
    history.run("charge_card", CARD, {"charge": "ch_1"})
    history.run("refund_card", {"charge": "ch_1", "amount_minor": 12000})
    history.run("charge_card", CARD | {"amount_minor": 11000}, {"charge": "ch_2"})
    return history.end()


def parallel() -> dict[str, Any]:
    """Two charges at once, undone in either order: the refund says which charge it is of."""
    history = History("BookTrip")
    first, second = history.schedule("charge_card", CARD), history.schedule("charge_card", CARD | {"amount_minor": 500})
    history.complete(second, {"charge": "ch_b"})
    history.complete(first, {"charge": "ch_a"})
    history.run("refund_card", {"charge": "ch_a", "amount_minor": 12000})
    history.run("refund_card", {"charge": "ch_b", "amount_minor": 500})
    return history.end("CANCELED")


def others() -> dict[str, Any]:
    """Calls that are no activities: a child workflow, a signal, a Nexus operation, a local activity."""
    history = History("BookTrip")
    child = str(
        history.add("START_CHILD_WORKFLOW_EXECUTION_INITIATED", workflowType={"name": "ShipParcel"}, input=payloads(1))
    )
    history.add("CHILD_WORKFLOW_EXECUTION_STARTED", initiatedEventId=child)
    history.add("CHILD_WORKFLOW_EXECUTION_COMPLETED", initiatedEventId=child, result=payloads("sent"))
    signal = str(
        history.add("SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED", signalName="notify_desk", input=payloads("hi"))
    )
    history.add("EXTERNAL_WORKFLOW_EXECUTION_SIGNALED", initiatedEventId=signal)
    nexus = str(
        history.add("NEXUS_OPERATION_SCHEDULED", endpoint="bank", service="ledger", operation="post", input=payload(7))
    )
    history.add("NEXUS_OPERATION_COMPLETED", scheduledEventId=nexus, result=payload("ok"))
    local(history, "find_flights", [])
    return history.end()


def local(history: History, name: str, value: Any, failure: Any = None) -> None:
    said = {"seq": 1, "attempt": 1, "activity_id": "1", "activity_type": name, "backoff": None}
    details = {"data": payloads(said)} | ({} if failure else {"result": payloads(value)})
    more = {"failure": failure} if failure else {}
    history.add("MARKER_RECORDED", markerName="core_local_activity", details=details, **more)


def retried() -> dict[str, Any]:
    """A refund that took three attempts under one idempotency key, and a charge whose first attempt was declined."""
    history = History("BookTrip")
    charge = history.schedule("charge_card", CARD)
    history.start(charge, 2, {"message": "declined", "applicationFailureInfo": {"type": "Declined"}})
    history.complete(charge, {"charge": "ch_1"})
    refund = history.schedule("refund_card", {"charge": "ch_1", "amount_minor": 12000})
    history.start(refund, 3, {"message": "timeout", "timeoutFailureInfo": {}})
    history.complete(refund)
    return history.end("TERMINATED", reason="test")


def left_charged() -> dict[str, Any]:
    history = History("BookTrip")
    _booked(history)
    history.run("release_room", {"hold": "h1"})
    return history.end("FAILED", failure={"message": "no mail"})


def timed_out() -> dict[str, Any]:
    """The charge timed out, nobody asked the provider, and the workflow fails."""
    history = History("BookTrip")
    charge = history.schedule("charge_card", CARD)
    history.add("ACTIVITY_TASK_TIMED_OUT", scheduledEventId=str(charge), failure={"timeoutFailureInfo": {}})
    return history.end("FAILED", failure={"message": "timed out"})


def blind_retry() -> dict[str, Any]:
    """A charge is retried after a time-out: it may have been made twice."""
    history = History("BookTrip")
    charge = history.schedule("charge_card", CARD)
    history.start(charge, 2, {"message": "timeout", "timeoutFailureInfo": {}})
    history.complete(charge, {"charge": "ch_1"})
    return history.end()


def camel(document: dict[str, Any]) -> dict[str, Any]:
    """The older spelling of the types, ids as numbers."""
    events = json.loads(json.dumps(document["events"]))
    for event in events:
        words = event["eventType"].removeprefix("EVENT_TYPE_").lower().split("_")
        event["eventType"] = "".join(word.capitalize() for word in words)
        event["eventId"] = int(event["eventId"])
    return {"events": events}


def shorthand(document: dict[str, Any]) -> dict[str, Any]:
    """Payloads as the command-line tool prints them: the values themselves."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"payloads"}:
            return [json.loads(base64.b64decode(item["data"])) for item in value["payloads"]]
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items()}
        return value

    return {"events": [plain(event) for event in document["events"]]}


GOOD: dict[str, Callable[[], Any]] = {
    "completed": completed,
    "completed_array": lambda: completed()["events"],
    "completed_camel_case": lambda: camel(completed()),
    "completed_shorthand": lambda: shorthand(completed()),
    "corrected": corrected,
    "handled": handled,
    "other_calls": others,
    "parallel": parallel,
    "retried": retried,
    "rolled_back": rolled_back,
}
BAD: dict[str, Callable[[], Any]] = {
    "blind_retry": blind_retry,
    "left_charged": left_charged,
    "refund_short": lambda: rolled_back(1200),
    "timed_out": timed_out,
    "wrong_order": lambda: rolled_back(order=("release_room", "refund_card")),
}


def text(document: Any) -> str:
    return json.dumps(document, indent=1) + "\n"


def files() -> dict[str, str]:
    """Every file of the folder and its text."""
    good = {f"good/{name}.json": text(make()) for name, make in GOOD.items()}
    bad = {f"bad/{name}.json": text(make()) for name, make in BAD.items()}
    return good | bad | {"mapping.toml": MAPPING}


if __name__ == "__main__":
    for name, body in files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body.encode())
