"""The calls that a workflow can make, and the history events that tell of them: one literal table.

Source: temporal.api.enums.v1.EventType; docs/sources/temporal.md, "What is read".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.certify.importers.temporal.history import Record, text
from agent_saga.certify.importers.temporal.mapping import tool_of
from agent_saga.certify.importers.temporal.payloads import values

SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
REFUSED: Final = "refused"
"""The server never made the call: proof that nothing happened."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of call. ref: the member of later events that names the opening event; name: of the call."""

    section: str
    ref: str
    name: Callable[[dict[str, Any]], str]
    closes: Mapping[str, str]


OPENS: Final[Mapping[str, Kind]] = {
    "ACTIVITY_TASK_SCHEDULED": Kind(
        "activities",
        "scheduledEventId",
        lambda said: text(said, "activityType", "name"),
        {
            "ACTIVITY_TASK_COMPLETED": SUCCEEDED,
            "ACTIVITY_TASK_FAILED": FAILED,
            "ACTIVITY_TASK_TIMED_OUT": UNKNOWN,
            "ACTIVITY_TASK_CANCELED": UNKNOWN,
        },
    ),
    "START_CHILD_WORKFLOW_EXECUTION_INITIATED": Kind(
        "child_workflows",
        "initiatedEventId",
        lambda said: text(said, "workflowType", "name"),
        {
            "START_CHILD_WORKFLOW_EXECUTION_FAILED": REFUSED,
            "CHILD_WORKFLOW_EXECUTION_COMPLETED": SUCCEEDED,
            "CHILD_WORKFLOW_EXECUTION_FAILED": FAILED,
            "CHILD_WORKFLOW_EXECUTION_CANCELED": UNKNOWN,
            "CHILD_WORKFLOW_EXECUTION_TERMINATED": UNKNOWN,
            "CHILD_WORKFLOW_EXECUTION_TIMED_OUT": UNKNOWN,
        },
    ),
    "SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED": Kind(
        "signals",
        "initiatedEventId",
        lambda said: text(said, "signalName"),
        {
            "EXTERNAL_WORKFLOW_EXECUTION_SIGNALED": SUCCEEDED,
            "SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED": REFUSED,
        },
    ),
    "REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED": Kind(
        "signals",
        "initiatedEventId",
        lambda said: "cancel request",
        {
            "EXTERNAL_WORKFLOW_EXECUTION_CANCEL_REQUESTED": SUCCEEDED,
            "REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_FAILED": REFUSED,
        },
    ),
    "NEXUS_OPERATION_SCHEDULED": Kind(
        "nexus_operations",
        "scheduledEventId",
        lambda said: f"{text(said, 'service')}/{text(said, 'operation')}",
        {
            "NEXUS_OPERATION_COMPLETED": SUCCEEDED,
            "NEXUS_OPERATION_FAILED": FAILED,
            "NEXUS_OPERATION_TIMED_OUT": UNKNOWN,
            "NEXUS_OPERATION_CANCELED": UNKNOWN,
        },
    ),
}
"""The event that opens a call, and what its closing events say."""

CLOSES: Final[Mapping[str, tuple[Kind, str]]] = {
    name: (kind, outcome) for kind in OPENS.values() for name, outcome in kind.closes.items()
}

SILENT: Final = frozenset(
    {
        "ACTIVITY_PROPERTIES_MODIFIED_EXTERNALLY",
        "ACTIVITY_TASK_CANCEL_REQUESTED",
        "NEXUS_OPERATION_CANCEL_REQUESTED",
        "NEXUS_OPERATION_CANCEL_REQUEST_COMPLETED",
        "NEXUS_OPERATION_CANCEL_REQUEST_FAILED",
        "TIMER_CANCELED",
        "TIMER_FIRED",
        "TIMER_STARTED",
        "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES",
        "WORKFLOW_EXECUTION_CANCEL_REQUESTED",
        "WORKFLOW_EXECUTION_OPTIONS_UPDATED",
        "WORKFLOW_EXECUTION_PAUSED",
        "WORKFLOW_EXECUTION_SIGNALED",
        "WORKFLOW_EXECUTION_UNPAUSED",
        "WORKFLOW_EXECUTION_UPDATE_ACCEPTED",
        "WORKFLOW_EXECUTION_UPDATE_ADMITTED",
        "WORKFLOW_EXECUTION_UPDATE_COMPLETED",
        "WORKFLOW_EXECUTION_UPDATE_REJECTED",
        "WORKFLOW_PROPERTIES_MODIFIED",
        "WORKFLOW_PROPERTIES_MODIFIED_EXTERNALLY",
        "WORKFLOW_TASK_COMPLETED",
        "WORKFLOW_TASK_SCHEDULED",
        "WORKFLOW_TASK_STARTED",
        "WORKFLOW_TASK_TIMED_OUT",
    }
)
"""Types that change nothing outside the workflow. A type in no table of this module may, and is a fault."""

ENDS: Final = frozenset(
    {
        "WORKFLOW_EXECUTION_CANCELED",
        "WORKFLOW_EXECUTION_COMPLETED",
        "WORKFLOW_EXECUTION_CONTINUED_AS_NEW",
        "WORKFLOW_EXECUTION_FAILED",
        "WORKFLOW_EXECUTION_TERMINATED",
        "WORKFLOW_EXECUTION_TIMED_OUT",
    }
)

LOCAL_MARKERS: Final = frozenset({"core_local_activity", "LocalActivity"})
SILENT_MARKERS: Final = frozenset({"core_patch", "Version", "SideEffect", "MutableSideEffect"})


class Local(dict[str, Any]):
    """What the marker of a local activity says about it."""


def local_of(record: Record) -> Local | None:
    """The local activity that a marker tells of; None when the marker is none."""
    if text(record.attributes, "markerName") not in LOCAL_MARKERS:
        return None
    details = record.attributes.get("details")
    details = details if isinstance(details, dict) else {}
    data = next(iter(values(details.get("data"))), None)
    said: dict[str, Any] = data if isinstance(data, dict) else {}
    name = said.get("activity_type") or said.get("ActivityType") or next(iter(values(details.get("type"))), "")
    again = bool(said.get("backoff") or said.get("Backoff"))
    return Local(name=name if isinstance(name, str) else "", again=again, input=details.get("input"),
                 result=details.get("result"), failure=record.attributes.get("failure"))  # fmt: skip


def called(record: Record) -> tuple[str, str] | None:
    """Section and name of the call that a record opens; None when it opens none."""
    kind = OPENS.get(record.type)
    if kind:
        return kind.section, kind.name(record.attributes)
    local = local_of(record) if record.type == "MARKER_RECORDED" else None
    return ("activities", local["name"]) if local is not None else None


def tool(record: Record) -> str:
    """The tool name of the call that a record opens; "" when it opens none."""
    found = called(record)
    return tool_of(*found) if found else ""
