"""From what a tool answered to the lines that say so."""

from typing import Any

import msgspec

from agent_saga.runtime.calls import Absent, Checked, Found, Invocation, Landed, Unresolved
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.gate import unfit_undo
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.runtime.kernel.payload import unwritable, wrong_amount
from agent_saga.runtime.kernel.state import Effect, Undo
from agent_saga.runtime.perform import Failed, Outcome, Unknown
from agent_saga.runtime.tools import UNDOABLE
from agent_saga.trace.events import UndoCall
from agent_saga.trace.values import dumps, resolve


def effect_outcome(definition: SagaDefinition, effect: Effect, outcome: Outcome, gate: object = None) -> Draft:
    """The line of a forward call's outcome. One that cannot be undone as declared may have happened: unknown.

    gate: may know what an undo must be.
    """
    members: dict[str, Any] = {"effect": effect.id, "attempt": effect.attempt}
    by = f"tool:{effect.tool}"
    if isinstance(outcome, Failed):
        return Draft("effect.failed", members | {"error": outcome.error}, by)
    if isinstance(outcome, Landed):
        wrong = wrong_inverse(definition, effect, outcome.undo, gate)
        if not wrong:
            undo = inverse(definition, effect, outcome.undo)
            return Draft("effect.succeeded", members | {"result": outcome.value} | undo, by)
        outcome = Unknown({"code": "wrong_undo", "message": wrong})
    return Draft("effect.unknown", members | {"error": outcome.error})


def effect_found(definition: SagaDefinition, effect: Effect, found: Found, gate: object = None) -> Draft:
    """The line of what the provider said about a forward call. gate: may know what an undo must be."""
    members: dict[str, Any] = {"effect": effect.id}
    by = f"tool:{effect.tool}"
    if isinstance(found, Absent):
        return Draft("effect.reconciled", members | {"found": "absent"}, by)
    if isinstance(found, Landed) and not wrong_inverse(definition, effect, found.undo, gate):
        value = {} if found.value is None else {"result": found.value}
        undo = inverse(definition, effect, found.undo)
        return Draft("effect.reconciled", members | {"found": "landed"} | value | undo, by)
    return Draft("effect.reconciled", members | {"found": "unresolved"}, by)


def undo_outcome(undo: Undo, outcome: Outcome) -> Draft:
    """The line of a compensating call's outcome."""
    members: dict[str, Any] = {"undo": undo.id, "attempt": undo.attempt}
    if isinstance(outcome, Landed):
        return Draft("undo.succeeded", members | {"result": outcome.value}, f"tool:{undo.tool}")
    if isinstance(outcome, Failed):
        return Draft("undo.failed", members | {"error": outcome.error}, f"tool:{undo.tool}")
    return Draft("undo.unknown", members | {"error": outcome.error})


def undo_found(undo: Undo, found: Found) -> Draft:
    """The line of what the provider said about a compensating call."""
    word = "absent" if isinstance(found, Absent) else "unresolved" if isinstance(found, Unresolved) else "landed"
    value = {"result": found.value} if isinstance(found, Landed) and found.value is not None else {}
    return Draft("undo.reconciled", {"undo": undo.id, "found": word} | value, f"tool:{undo.tool}")


def checked(check: str, answer: Checked) -> Draft:
    """The line of a check."""
    return Draft("check.evaluated", {"check": check, "passed": answer.passed, "evidence": answer.evidence})


def inverse(definition: SagaDefinition, effect: Effect, undo: Invocation | None) -> dict[str, Any]:
    """The inverse call as an outcome line records it, with its amount where its tool has amount_from."""
    if undo is None or effect.semantics not in UNDOABLE:
        return {}
    pointer = definition.catalogue[undo.tool].amount_from
    amount: Any = resolve(pointer, undo.args) if pointer is not None else None
    return {"undo": msgspec.to_builtins(UndoCall(undo.tool, undo.args, amount))}


def wrong_inverse(definition: SagaDefinition, effect: Effect, undo: Invocation | None, gate: object = None) -> str:
    """What is wrong with the inverse that a tool gave; "" when it is as declared, and as the gate wants it."""
    tool = definition.catalogue[effect.tool]
    if effect.semantics not in UNDOABLE or tool.undo_name is None:
        return ""
    if not isinstance(undo, Invocation):
        return f"{tool.name} gave no undo; expected Result(..., undo=TOOL.call(...)) of {tool.undo_name}"
    if undo.tool != tool.undo_name:
        return f"{tool.name} gave {undo.tool} as its undo; expected {tool.undo_name}"
    wrong = unwritable(undo.args)
    if wrong:
        return f"the undo's arguments cannot be written: {wrong[1]}"
    return _wrong_amount(definition, effect, undo) or unfit_undo(gate, tool.name, effect.args, undo.args)


def _wrong_amount(definition: SagaDefinition, effect: Effect, undo: Invocation) -> str:
    pointer = definition.catalogue[undo.tool].amount_from
    if pointer is None:
        return ""
    amount = resolve(pointer, undo.args)
    wrong = wrong_amount(amount)
    if wrong:
        return f"the undo has no amount at {pointer}: {wrong}"
    if effect.amount is None or amount == effect.amount:
        return ""
    return f"the undo gives back another amount than {dumps(effect.amount).decode()}"
