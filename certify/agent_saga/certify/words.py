"""The words of findings: effects and undos by tool and id, amounts with their currency, lines in a few words."""

from agent_saga.certify.compare import Money
from agent_saga.certify.findings import Witness
from agent_saga.certify.history import Call, Effect, Saga, Undo
from agent_saga.certify.rule import at


def named(call: Call) -> str:
    """``payments.charge (effect e1, EUR 4200 (minor units))``."""
    kind = "undo" if isinstance(call, Undo) else "effect"
    amount = f", {call.amount}" if isinstance(call.amount, Money) else ""
    return f"{call.tool} ({kind} {call.id}{amount})"


def intent_of(call: Call) -> Witness:
    """The line that first intended the call."""
    kind = "undo" if isinstance(call, Undo) else "effect"
    return at(call.line, f"{kind}.intended {call.id} {call.tool}")


def outcome_of(call: Call) -> Witness:
    """The line that says what became of the call, or its intent when none does."""
    kind = "undo" if isinstance(call, Undo) else "effect"
    if call.landed:
        return at(call.landed, f"{kind} {call.id} took effect")
    return at(call.outcome, f"{kind} {call.id} outcome") if call.outcome else intent_of(call)


def end_of(saga: Saga) -> Witness:
    """The line that ended the saga, or its last line."""
    status = saga.ended.status if saga.ended else ""
    return at(saga.ended_line or saga.last_line, f"{saga.last_type} {status}".strip())


def expected_undo(effect: Effect) -> str:
    """The event that would undo an effect, in the words of its own record."""
    tool = effect.undo.tool if effect.undo else "its inverse"
    return f"undo.intended and undo.succeeded of {effect.id} by {tool}, before saga.ended"
