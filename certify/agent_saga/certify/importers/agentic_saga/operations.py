"""The operations of an Agentic Saga trace: effects and their undos, as far as the events have told."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_saga.certify.importers.strict_json import plain
from agent_saga.certify.importers.synthetic import Maker, ident, money, tool_name
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.events import (
    EffectFailed,
    EffectIntended,
    EffectReconciled,
    EffectSucceeded,
    EffectUnknown,
    Event,
    ToolSpec,
    UndoCall,
    UndoFailed,
    UndoIntended,
    UndoReconciled,
    UndoSucceeded,
    UndoUnknown,
)

Made = Iterator[Observed | Fault]

_MONEY: Final = ("amount_minor", "currency")


@dataclass(slots=True)
class Operation:
    """One operation, as the latest event about it describes it. id: in our events; forward: what it undoes, or ""."""

    own: str
    id: str
    forward: str
    tool: str
    args: dict[str, Any]
    step: str
    output: Any
    attempt: int

    @property
    def amount(self) -> dict[str, Any] | None:
        """Its amount: the members ``amount_minor`` and ``currency`` of its input."""
        return money(*(self.args.get(name) for name in _MONEY))

    @property
    def bare(self) -> dict[str, Any]:
        """Its input without the amount, which events of ours carry as a member of its own.

        So a partial undo is told by its amount (AS209), and only another input makes it another call (AS208).
        """
        return self.args if self.amount is None else {n: v for n, v in self.args.items() if n not in _MONEY}


def short(operation: str) -> str:
    """An operation id as an id of ours: its 64 hex digits."""
    return ident(operation.removeprefix("op_"))


class Operations:
    """Makes the events of all operations. undone: forward ids in the order in which their undos were confirmed."""

    def __init__(self, maker: Maker, events: list[dict[str, Any]]) -> None:
        self.maker = maker
        self.known: dict[str, Operation] = {}
        self.attempts: dict[str, int] = {}
        self.found: dict[str, str] = {}
        """Latest reconciliation of an operation that no outcome followed."""
        self.unresolved: dict[str, None] = {}
        self.undone: list[str] = []
        self.undo_tools: dict[object, str] = {}
        for event in events:
            if event.get("direction") == "compensation" and event.get("tool_name"):
                self.undo_tools.setdefault(event.get("compensates_operation_id"), tool_name(event["tool_name"]))

    def named(self, own: str, forward: str | None, undo: bool, event: Mapping[str, Any]) -> Operation | None:
        """The operation that an event is about, described as it does; None for an undo of nothing."""
        before = self.known.get(own)
        forward = forward or (before.forward if before else "")
        if undo and not forward:
            return None
        given = event["redacted_input"]
        return Operation(
            own=own,
            id=short(own),
            forward=forward if undo else "",
            tool=tool_name(event["tool_name"]),
            args=plain(given) if given is not None else (before.args if before else {}),
            step=ident(event["step_instance_id"] or own.removeprefix("op_")),
            output=plain(event["redacted_output"]),
            attempt=event["attempt"] or 1,
        )

    def target(self, operation: Operation) -> Operation | None:
        """The effect that an undo undoes; None for an effect."""
        return self.known.get(operation.forward) if operation.forward else None

    def intend(self, operation: Operation, line: int) -> Made:
        """An intent, where this operation or this attempt of it appears for the first time."""
        self.known.setdefault(operation.own, operation)
        if operation.attempt <= self.attempts.get(operation.own, 0):
            return
        self.attempts[operation.own] = operation.attempt
        said: dict[str, Any] = {
            "tool": operation.tool,
            "args": operation.bare,
            "key": operation.own[:128],
            "attempt": operation.attempt,
            "amount": operation.amount,
        }
        if operation.forward:
            yield self.maker.make(UndoIntended, line, undo=operation.id, effect=short(operation.forward), **said)
        else:
            said |= {"effect": operation.id, "step": operation.step, "semantics": "compensable"}
            yield self.maker.make(EffectIntended, line, **said)

    def settle(self, operation: Operation, line: int, outcome: str) -> Made:
        """An outcome. Unknown after a reconciliation repeats what that has said, and adds nothing."""
        if outcome == "unknown" and operation.own in self.found:
            return
        self.found.pop(operation.own, None)
        self._note(operation, outcome)
        by = f"tool:{operation.tool}"
        said: dict[str, Any] = {"attempt": operation.attempt}
        if outcome == "succeeded":
            said["result"] = operation.output
        else:
            said["error"] = operation.output
        if operation.forward:
            undos: dict[str, type[Event]] = {"succeeded": UndoSucceeded, "failed": UndoFailed, "unknown": UndoUnknown}
            yield self.maker.make(undos[outcome], line, by, undo=operation.id, **said)
            return
        if outcome != "failed":
            said["undo"] = self._undo(operation)
        effects: dict[str, type[Event]] = {
            "succeeded": EffectSucceeded,
            "failed": EffectFailed,
            "unknown": EffectUnknown,
        }
        yield self.maker.make(effects[outcome], line, by, effect=operation.id, **said)

    def _undo(self, operation: Operation) -> UndoCall | None:
        """What that project's runtime would call: the declared undo, with the arguments of the effect."""
        tool = self.undo_tools.get(operation.own)
        return UndoCall(tool=tool, args=operation.bare, amount=operation.amount) if tool else None

    def reconcile(self, operation: Operation, line: int, found: str) -> Made:
        """The provider was asked. An undo is reconciled before its outcome is written: its reply was lost."""
        by, said = f"tool:{operation.tool}", {"found": found, "result": operation.output}
        if operation.forward:
            lost = {"attempt": operation.attempt, "error": "the reply was lost"}
            yield self.maker.make(UndoUnknown, line, by, undo=operation.id, **lost)
            yield self.maker.make(UndoReconciled, line, by, undo=operation.id, **said)
        else:
            said["undo"] = self._undo(operation) if found != "absent" else None
            yield self.maker.make(EffectReconciled, line, by, effect=operation.id, **said)
        self.found[operation.own] = found
        self._note(operation, {"landed": "succeeded", "absent": "failed"}.get(found, "unknown"))

    def _note(self, operation: Operation, outcome: str) -> None:
        if outcome == "unknown":
            self.unresolved[operation.id] = None
        else:
            self.unresolved.pop(operation.id, None)
        if operation.forward and outcome == "succeeded" and operation.forward not in self.undone:
            self.undone.append(operation.forward)

    def resolve(self, own: str) -> str:
        """A person said that this undo took effect. The id that our events know it by."""
        operation = self.known.get(own)
        if operation and operation.forward and operation.forward not in self.undone:
            self.undone.append(operation.forward)
        self.unresolved.pop(short(own), None)
        return short(own)


def catalogue(events: list[dict[str, Any]], version: str) -> dict[str, ToolSpec]:
    """A class for each tool, which the source does not record.

    A tool that an operation names is compensable, as that project demands of effects; one that only proves or reads is
    a preview. The undo's name is taken from the first compensation recorded.
    """
    undone_by: dict[object, str] = {}
    for event in events:
        if event["direction"] == "compensation" and event["tool_name"]:
            undone_by.setdefault(event["compensates_operation_id"], event["tool_name"])
    tools: dict[str, ToolSpec] = {}
    for event in events:
        name = event["tool_name"]
        if name and event["event_type"] in ("invariant_evaluated", "read_observed", "read_started"):
            tools.setdefault(tool_name(name), ToolSpec(version=version, semantics="preview"))
        elif name and event["operation_id"] and event["direction"]:
            undo = undone_by.get(event["operation_id"]) if event["direction"] == "forward" else None
            spec = ToolSpec(version=version, semantics="compensable", undo=tool_name(undo) if undo else None)
            tools[tool_name(name)] = spec
    return tools
