"""Temporal history events as events of ours.

An activity is scheduled, so it is intended; its closing event is its outcome. A failure is no proof that nothing
happened, unless the mapping file says so, and a time-out or a cancellation never is.

Source: docs/sources/temporal.md, "Mapping".
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from agent_saga.certify.importers.synthetic import Maker, ident, tool_name
from agent_saga.certify.importers.temporal.calls import Call, Frontier, Ledger
from agent_saga.certify.importers.temporal.history import Record, text
from agent_saga.certify.importers.temporal.kinds import (
    CLOSES,
    ENDS,
    FAILED,
    OPENS,
    REFUSED,
    SILENT,
    SILENT_MARKERS,
    SUCCEEDED,
    UNKNOWN,
    Local,
    local_of,
    tool,
)
from agent_saga.certify.importers.temporal.lines import intent, outcome, retried
from agent_saga.certify.importers.temporal.mapping import HistoryMapping
from agent_saga.certify.importers.temporal.openings import STARTS, Openings, attempt_of
from agent_saga.certify.importers.temporal.payloads import arguments, failure, result
from agent_saga.certify.importers.temporal.runs import continued, parent_of, reset_of, saga_of, turning
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.events import SUCCEEDED_UNVERIFIED, RollbackStarted, SagaEnded, SagaStarted, ToolSpec
from agent_saga.trace.limits import FORMAT

Made = Iterator[Observed | Fault]

STARTED: Final = "WORKFLOW_EXECUTION_STARTED"


class Translator:
    """Makes the events of one history. The whole history is known, so that it is known whether it rolled back."""

    def __init__(self, mapping: HistoryMapping, records: list[Record]) -> None:
        self.mapping = mapping
        first = records[0] if records and records[0].type == STARTED else None
        self.maker = Maker(saga_of(first.attributes) if first else "unnamed")
        self.calls: dict[int, Call | None] = {}
        """Open calls by the event that opened them; None for a call that the mapping does not name."""
        self.frontier, self.ledger, self.openings = Frontier(), Ledger(), Openings()
        self.again: dict[tuple[str, str], Record] = {}
        """Attempts of local activities that were to be made again, by tool and arguments."""
        self.continues = continued(first.attributes) if first else ""
        self.position, self.begun, self.confirmed = 0, False, False
        self.turned = turning(mapping, records)

    def translate(self, record: Record) -> Made:
        """The events that one record becomes. A type that may stand for an effect and is not known is a fault."""
        self.position += 1
        self.maker.at = record.at
        if not self.begun and record.type != STARTED:
            self.begun = True
            message = f"the history begins with {record.type}; expected {STARTED}: its beginning is cut off"
            yield self._fault(record, "AS106", message, "first line")
        yield from self._dispatch(record)

    def _dispatch(self, record: Record) -> Made:
        if record.type == STARTED:
            yield from self._started(record)
        elif record.type in OPENS:
            self.openings.open(record)
            yield from self._opened(record, record.attributes.get("input"))
        elif record.type in CLOSES:
            yield from self._closed(record)
        elif record.type in STARTS:
            yield from self._attempt(record)
        elif record.type == "MARKER_RECORDED":
            yield from self._marker(record)
        elif record.type in ENDS:
            yield from self._ended(record)
        elif record.type == "WORKFLOW_TASK_FAILED":
            yield from self._reset(record)
        elif record.type not in SILENT:
            message = f"unknown eventType {record.type[:80]}; it may stand for an effect"
            yield self._fault(record, "AS103", message, f"type {record.type[:80]}")

    def _fault(self, record: Record, code: str, message: str, subject: str, *, inconclusive: bool = False) -> Fault:
        what = f"{record.type} {record.id}"
        return Fault(record.line, code, message, self.maker.saga, subject, what=what, inconclusive=inconclusive)

    def _started(self, record: Record) -> Made:
        if self.begun:
            yield self._fault(record, "AS106", f"a second {STARTED}", "first line")
            return
        self.begun = True
        said = record.attributes
        tools = {
            tool_name(entry.tool): ToolSpec(
                version="unknown",
                semantics="compensable" if entry.semantics == "undo" else entry.semantics,  # type: ignore[arg-type]
                undo=tool_name(entry.undo) if entry.undo else None,
            )
            for entry in self.mapping.entries.values()
        }
        name = text(said, "workflowType", "name")[:200] or "unnamed workflow"
        yield self.maker.make(
            SagaStarted, record.line, log="temporal", name=name, format=FORMAT, tools=tools, parent=parent_of(said)
        )

    def _opened(self, record: Record, given: Any) -> Made:
        entry = self.mapping.entries.get(tool(record))
        if entry is None:
            self.calls[record.id] = None
            name = tool(record)[:200] or "(unnamed)"
            message = f"{name} is not in the mapping file: whether it changes the world is not known"
            yield self._fault(record, "AS404", message, f"tool {name}")
            return
        prefix = "u" if entry.semantics == "undo" else "e"
        key = ident(f"{self.maker.saga}:{record.id}", 128)
        call = Call(f"{prefix}{record.id}", entry, arguments(given), key, self.position)
        self.calls[record.id] = call
        yield from self._withheld(record, call)
        if call.undo:
            yield from self._link(record, call)
        yield from intent(self.maker, record.line, call, self.frontier.after())
        if not call.undo:
            self.ledger.add(call)

    def _withheld(self, record: Record, call: Call) -> Made:
        if call.entry.minor and call.amount is None:
            where = f"{call.entry.minor} and {call.entry.currency}"
            message = f"no amount in minor units can be read at {where} of the arguments of {call.entry.tool}"
            yield self._fault(record, "AS602", message, f"amount {call.id}", inconclusive=True)

    def _link(self, record: Record, call: Call) -> Made:
        """Find the effect of an undo; where the roll-back begins, say so first."""
        if record.id == self.turned:
            cause = f"{call.entry.tool} was scheduled after the last forward call"
            yield self.maker.make(RollbackStarted, record.line, cause=cause)
        call.target, doubt = self.ledger.target(call)
        if call.target:
            call.target.undos.append(call)
        if doubt:
            message = f"which effect {call.entry.tool} undoes cannot be seen: {doubt}"
            yield self._fault(record, "AS602", message, f"undo {call.id}", inconclusive=True)

    def _attempt(self, record: Record) -> Made:
        """The server tells of earlier attempts by the number of the last one, and of the last failure."""
        opened, wrong = self.openings.start(record)
        if wrong:
            yield self._fault(record, *wrong, f"event {record.id}")
        call, last, said = self.calls.get(opened), attempt_of(record), record.attributes.get("lastFailure")
        if wrong or call is None or last < 2 or call.entry.semantics == "preview":
            return
        proof = last == 2 and call.entry.failure_is_proof and _by_application(said)
        if call.entry.idempotent:
            call.doubted = not proof
        else:
            yield from retried(self.maker, record.line, call, proof, failure(said), self.frontier.after())

    def _closed(self, record: Record) -> Made:
        opened, wrong = self.openings.close(record)
        if wrong:
            yield self._fault(record, *wrong, f"event {record.id}")
        call = self.calls.get(opened)
        if call and not call.closed:
            yield from self._settle(record, call, UNKNOWN if wrong else CLOSES[record.type][1], record.attributes)

    def _settle(self, record: Record, call: Call, found: str, said: dict[str, Any]) -> Made:
        failed = failure(said.get("failure")) if isinstance(said.get("failure"), dict) else {"closed": record.type}
        proof = call.entry.failure_is_proof and not call.doubted and _by_application(said.get("failure"))
        if found == FAILED and not proof:
            found = UNKNOWN
        elif found == REFUSED:
            found = FAILED
        call.closed, call.state, call.result = self.position, found, result(said.get("result"))
        self.confirmed = self.confirmed or (call.undo and found == SUCCEEDED)
        yield from outcome(self.maker, record.line, call, found, call.result if found == SUCCEEDED else failed)
        if not call.undo and call.entry.semantics != "preview":
            self.frontier.close(call)

    def _marker(self, record: Record) -> Made:
        """A local activity leaves one marker: it opens and closes the call at once."""
        name = text(record.attributes, "markerName")
        local = local_of(record)
        if local is None:
            if name not in SILENT_MARKERS:
                message = f"a marker {name[:80]!r} is not understood; it may stand for an effect"
                yield self._fault(record, "AS103", message, f"marker {name[:80]}", inconclusive=True)
            return
        entry, one = self.mapping.entries.get(tool(record)), (tool(record), json.dumps(local["input"], sort_keys=True))
        if local["again"] and entry and entry.idempotent:
            self.again[one] = record  # the next marker of this call tells its outcome
            return
        self.again.pop(one, None)
        if not isinstance(local["failure"], dict | None):
            yield self._fault(record, "AS102", "the failure of a local activity is no object", f"event {record.id}")
        yield from self._opened(record, local["input"])
        call = self.calls[record.id]
        if call:
            found = SUCCEEDED if local["failure"] is None else FAILED
            yield from self._settle(record, call, found, {"failure": local["failure"], "result": local["result"]})

    def _reset(self, record: Record) -> Made:
        """A run that begins where another was reset repeats its events up to here; what that did then is not in it."""
        run = reset_of(record)
        if run:
            message = f"the workflow was reset here: what {run} did since is for that history to show"
            yield self._fault(record, "AS503", message, "reset", inconclusive=True)

    def _left_open(self) -> Made:
        """Local activities that were to be made again and were not: what their attempts did is not known."""
        for record in self.again.values():
            local = local_of(record) or Local()
            yield from self._opened(record, local.get("input"))
            call = self.calls[record.id]
            if call:
                yield from self._settle(record, call, UNKNOWN, {"failure": local.get("failure")})

    def _ended(self, record: Record) -> Made:
        yield from self._left_open()
        if record.type == "WORKFLOW_EXECUTION_CONTINUED_AS_NEW":
            following = text(record.attributes, "newExecutionRunId")[:80] or "unknown"
            message = f"the workflow continues as run {following}: what it left in force is for that history to show"
            yield self._fault(record, "AS503", message, "continued", inconclusive=True)
        completed = record.type in ("WORKFLOW_EXECUTION_COMPLETED", "WORKFLOW_EXECUTION_CONTINUED_AS_NEW")
        if completed and not self.turned:
            status = SUCCEEDED_UNVERIFIED
        else:
            status = "compensated_verified" if self.confirmed else "aborted_clean"
            if self.continues:
                message = f"the workflow continues run {self.continues}: what that run left in force is not seen here"
                yield self._fault(record, "AS503", message, "continues", inconclusive=True)
        yield self.maker.make(SagaEnded, record.line, status=status, held=())


def _by_application(said: Any) -> bool:
    """Tell whether a failure was raised by the activity's own code."""
    return isinstance(said, dict) and isinstance(said.get("applicationFailureInfo"), dict)
