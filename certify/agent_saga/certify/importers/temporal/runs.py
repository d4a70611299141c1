"""The run of a workflow that a history is of: its id, who started it, the runs that it goes on from, and its turn.

A run that continues another, or that begins where another was reset, shows none of what that one left behind.

Source: temporal.api.history.v1; docs/sources/temporal.md, "The end of a workflow".
"""

import re
from typing import Any

from agent_saga.certify.importers.synthetic import ident
from agent_saga.certify.importers.temporal.history import Record, number, text
from agent_saga.certify.importers.temporal.kinds import ENDS, tool
from agent_saga.certify.importers.temporal.mapping import HistoryMapping
from agent_saga.trace.events import EffectRef

_RESET = re.compile(r"(?i)(?:WORKFLOW_TASK_FAILED_CAUSE_)?RESET_?WORKFLOW").fullmatch


def saga_of(said: dict[str, Any]) -> str:
    """The saga id of a workflow run: workflow id and run id, or what of the two is known."""
    run = text(said, "originalExecutionRunId") or text(said, "firstExecutionRunId")
    parts = [ident(name, 80 if name != run else 40) for name in (text(said, "workflowId"), run) if name]
    return ":".join(parts) or "unnamed"


def parent_of(said: dict[str, Any]) -> EffectRef | None:
    """The call that started this run; None when no workflow did."""
    run = {"workflowId": text(said, "parentWorkflowExecution", "workflowId"),
           "originalExecutionRunId": text(said, "parentWorkflowExecution", "runId")}  # fmt: skip
    event = number(said.get("parentInitiatedEventId"))
    return EffectRef(saga=saga_of(run), effect=f"e{event}") if run["workflowId"] and event else None


def continued(said: dict[str, Any]) -> str:
    """The run that this one goes on from; "" for none, and where that one has an end of its own: a retry, a cron."""
    kind = text(said, "initiator").removeprefix("CONTINUE_AS_NEW_INITIATOR_").upper()
    return "" if kind in ("RETRY", "CRON_SCHEDULE", "CRONSCHEDULE") else text(said, "continuedExecutionRunId")[:80]


def reset_of(record: Record) -> str:
    """The run that was reset at this failed workflow task, in words; "" when none was."""
    run = text(record.attributes, "baseRunId")[:80]
    return f"run {run or 'unknown'}" if run or _RESET(text(record.attributes, "cause")) else ""


def turning(mapping: HistoryMapping, records: list[Record]) -> int:
    """The event of the first undo after the last forward call, if the workflow rolled back: else 0."""
    first = 0
    for record in records:
        name = tool(record)
        entry = mapping.entries.get(name) if name else None
        if entry and entry.semantics == "undo":
            first = first or record.id
        elif entry and entry.semantics != "preview":
            first = 0
    ended = next((record.type for record in records if record.type in ENDS), "")
    succeeded = ended == "WORKFLOW_EXECUTION_COMPLETED" and mapping.completed == "succeeded"
    return 0 if succeeded or ended == "WORKFLOW_EXECUTION_CONTINUED_AS_NEW" else first
