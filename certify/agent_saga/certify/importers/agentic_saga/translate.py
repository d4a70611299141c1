"""Agentic Saga events as events of ours: one method an event type, in a literal table.

The recorder writes outcomes, often without intents, so an intent is made at the line where an operation first appears.
An effect's id is the 64 hex digits of its operation id; the idempotency key is the operation id itself.

Source: docs/sources/agentic-saga.md, "Mapping".
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agent_saga.certify.importers.agentic_saga.form import FOUND, OUTCOME, STATUS
from agent_saga.certify.importers.agentic_saga.integrity import REDACTED, operation_id
from agent_saga.certify.importers.agentic_saga.operations import Operation, Operations, catalogue
from agent_saga.certify.importers.document import Element
from agent_saga.certify.importers.strict_json import canonical, plain
from agent_saga.certify.importers.synthetic import Maker, ident, instant, tool_name
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.events import (
    CheckEvaluated,
    PersonDecided,
    RollbackStarted,
    SagaEnded,
    SagaPaused,
    SagaStarted,
    StepProposed,
    StepRefused,
)
from agent_saga.trace.limits import FORMAT

Made = Iterator[Observed | Fault]
Json = dict[str, Any]


class Translator:
    """Makes the events of one trace. The whole trace is known, so the catalogue can be given first."""

    def __init__(self, header: Mapping[str, Any], events: list[Element]) -> None:
        name = header.get("saga_id")
        self.maker = Maker(ident(name, 128) if isinstance(name, str) else "unnamed")
        self.operations = Operations(self.maker, [event.value for event in events])
        self.header = header
        self.tools = catalogue([event.value for event in events], str(header.get("definition_version"))[:200])
        self.steps = {event.value.get("step_instance_id") for event in events}
        self.begun = False

    def translate(self, element: Element) -> Made:
        """The events that one sound record becomes. An unknown type is a fault (AS103)."""
        event, line = element.value, element.line
        self.maker.at = instant(event["recorded_at"]) or self.maker.at
        handler = _HANDLERS.get(event["event_type"])
        if handler is None:
            message = f"unknown event_type {event['event_type'][:80]!r}; it may stand for an effect"
            yield Fault(line, "AS103", message, self.maker.saga, what="event")
            return
        yield from handler(self, event, line)

    def _started(self, event: Json, line: int) -> Made:
        if not self.begun:
            self.begun = True
            goal = event["rationale"].get("goal_id")
            yield self.maker.make(
                SagaStarted,
                line,
                log="agentic-saga",
                name=str(self.header.get("definition_version"))[:200],
                format=FORMAT,
                tools=self.tools,
                goal=plain(goal),
            )

    def _decided(self, event: Json, line: int) -> Made:
        """An agent's choice of a tool. The step is named after the saga_seq that the choice was based on."""
        if event["tool_name"] is None:
            return
        step, why = f"step_{event['saga_seq'] - 1:08d}", event["rationale"]
        made: Json = {"tool": tool_name(event["tool_name"]), "args": {}, "allowed": (), "driver": event["actor"][:200]}
        yield self.maker.make(StepProposed, line, "agent:agent_driver", step=step, why=plain(why), **made)
        if why.get("accepted") is not True:
            yield self.maker.make(StepRefused, line, step=step, code="not_accepted", reason=plain(why))
        elif step not in self.steps:
            yield from self._lost(event, step, line)

    def _lost(self, event: Json, step: str, line: int) -> Made:
        """An accepted choice that no event tells the outcome of: the call may have been made."""
        own = operation_id(str(self.header.get("saga_id")), step, "forward", 0)
        said = event | {"operation_id": own, "step_instance_id": step, "direction": "forward"}
        operation = self._operation(said)
        if operation:
            yield from self.operations.intend(operation, line)

    def _intent(self, event: Json, line: int) -> Made:
        operation = self._operation(event)
        if operation is None:
            yield self._lacking(event, line)
        else:
            yield from self.operations.intend(operation, line)

    def _not_entered(self, event: Json, line: int) -> Made:
        yield from self._settle(event, line, "failed")

    def _outcome(self, event: Json, line: int) -> Made:
        kind = (event["redacted_output"] or {}).get("kind")
        letter = OUTCOME.get(kind) if isinstance(kind, str) else None
        if letter is None:
            message = f"redacted_output.kind is {kind!r:.60}; expected one of {', '.join(OUTCOME)}"
            yield Fault(line, "AS102", message, self.maker.saga, what=event["event_type"][:80])
        yield from self._settle(event, line, letter or "unknown")

    def _settle(self, event: Json, line: int, letter: str) -> Made:
        operation = self._operation(event)
        if operation is None:
            yield self._lacking(event, line)
            return
        yield from self.operations.intend(operation, line)
        yield from self._withheld(operation, line)
        yield from self.operations.settle(operation, line, letter)

    def _reconciled(self, event: Json, line: int) -> Made:
        """For an undo, operation_id holds the forward id and correlation the undo's."""
        operation = self._operation(event)
        if operation is None:
            yield self._lacking(event, line)
            return
        kind = (event["redacted_output"] or {}).get("kind")
        found = FOUND.get(kind) if isinstance(kind, str) else None
        if found is None:
            message = f"redacted_output.kind is {kind!r:.60}; expected one of {', '.join(FOUND)}"
            yield Fault(line, "AS102", message, self.maker.saga, what="reconciliation_recorded")
        yield from self.operations.intend(operation, line)
        yield from self._withheld(operation, line)
        yield from self.operations.reconcile(operation, line, found or "unresolved")

    def _operation(self, event: Json) -> Operation | None:
        own, forward = event["operation_id"], event["compensates_operation_id"]
        undo = event["direction"] == "compensation"
        if undo and own == forward:
            own = event["correlation"]
        if not own or not event["tool_name"] or event["direction"] is None:
            return None
        return self.operations.named(own, forward if undo else None, undo, event)

    def _lacking(self, event: Json, line: int) -> Fault:
        message = "the event names no operation: operation_id, tool_name and direction are needed, and an undo's effect"
        return Fault(line, "AS102", message, self.maker.saga, what=event["event_type"][:80])

    def _withheld(self, operation: Operation, line: int) -> Made:
        """Equal placeholders may stand for different values, so arguments with one cannot be compared."""
        target = self.operations.target(operation)
        if target and REDACTED.encode() in canonical([operation.args, target.args]):
            message = f"arguments of {operation.tool} or {target.tool} are redacted: whether they agree cannot be seen"
            yield Fault(
                line, "AS602", message, self.maker.saga, subject=f"undo {operation.id}", what="undo", inconclusive=True
            )

    def _checked(self, event: Json, line: int) -> Made:
        """Passed only if all that the event says about the result agrees."""
        said, output = event["rationale"], event["redacted_output"] or {}
        results = said.get("results")
        passed = said.get("all_passed") is True and output.get("verified", True) is True
        passed = passed and isinstance(results, dict) and all(value is True for value in results.values())
        rule = said.get("rule_id") if isinstance(said.get("rule_id"), str) else "invariant"
        name = ident(f"{rule}-{event['saga_seq']}")
        yield self.maker.make(CheckEvaluated, line, check=name, passed=passed, evidence=plain(said))

    def _rollback(self, event: Json, line: int) -> Made:
        yield self.maker.make(RollbackStarted, line, cause=plain(event["rationale"]))

    def _completed(self, event: Json, line: int) -> Made:
        said, undone = event["rationale"].get("compensated_operation_ids"), self.operations.undone
        if said != undone:
            listed = len(said) if isinstance(said, list) else 0
            message = (
                f"compensated_operation_ids lists {listed} operations, the events confirm undos of {len(undone)}: "
                "the two lists differ"
            )
            yield Fault(line, "AS502", message, self.maker.saga, subject="compensated", what="compensation_completed")

    def _paused(self, event: Json, line: int) -> Made:
        waiting = tuple(self.operations.unresolved)
        yield self.maker.make(SagaPaused, line, reason=plain(event["rationale"]), waiting=waiting)

    def _resolved(self, event: Json, line: int) -> Made:
        """A person's word that an undo took effect. The format has no signature for it."""
        own, reason = event["operation_id"], plain(event["rationale"])
        if not own:
            message = "a person's decision is recorded without a signature and without what it is about"
            yield Fault(line, "AS507", message, self.maker.saga, subject="decision", what=event["event_type"][:80])
            return
        who, target = tool_name(event["actor"]), self.operations.resolve(own)
        said: Json = {"target": target, "verdict": "undone", "reason": reason, "person": who, "proof": {}}
        yield self.maker.make(PersonDecided, line, f"person:{who}", **said)

    def _claimed(self, event: Json, line: int) -> Made:
        message = "an approval is claimed, and the format has no signature that could prove it"
        yield Fault(line, "AS312", message, self.maker.saga, subject="approval", what="approval_consumed")

    def _ended(self, event: Json, line: int) -> Made:
        said, left = event["rationale"].get("status"), event["after_status"]
        status = STATUS.get(left)
        if status is None or (isinstance(said, str) and said != left):
            message = f"terminal_assigned says {said!s:.40} and leaves the saga {left[:40]}"
            yield Fault(line, "AS502", message, self.maker.saga, subject="status", what="terminal_assigned")
        if status:
            yield self.maker.make(SagaEnded, line, status=status, held=())

    def _nothing(self, event: Json, line: int) -> Made:
        yield from ()


_HANDLERS: Final[Mapping[str, Callable[[Translator, Json, int], Made]]] = {
    "agent_decision_recorded": Translator._decided,
    "agent_turn_failed": Translator._nothing,
    "agent_turn_reserved": Translator._nothing,
    "approval_consumed": Translator._claimed,
    "compensation_completed": Translator._completed,
    "compensation_intent_recorded": Translator._intent,
    "compensation_outcome_recorded": Translator._outcome,
    "compensation_started": Translator._rollback,
    "dispatch_aborted_before_entry": Translator._not_entered,
    "dispatch_started": Translator._intent,
    "effect_intent_recorded": Translator._intent,
    "effect_outcome_recorded": Translator._outcome,
    "guard_rejected": Translator._nothing,
    "human_required": Translator._paused,
    "human_resolution_recorded": Translator._resolved,
    "human_resolved": Translator._resolved,
    "invariant_evaluated": Translator._checked,
    "proposal_rejected": Translator._nothing,
    "read_observed": Translator._nothing,
    "read_started": Translator._nothing,
    "read_unavailable": Translator._nothing,
    "reconciliation_recorded": Translator._reconciled,
    "recovery_plan_accepted": Translator._nothing,
    "recovery_plan_rejected": Translator._nothing,
    "recovery_plan_required": Translator._nothing,
    "saga_created": Translator._started,
    "saga_started": Translator._started,
    "status_changed": Translator._nothing,
    "terminal_assigned": Translator._ended,
    "terminal_denied": Translator._nothing,
}
"""Every event type of both recorders, and what becomes of it."""
