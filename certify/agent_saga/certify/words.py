"""The words of findings: effects and undos by tool and id, amounts with their currency, lines in a few words."""

from collections.abc import Iterable
from itertools import islice

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.compare import Money
from agent_saga.certify.history.effects import Call, Effect, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import at

FEW = 5
"""How many names a sentence lists before it only counts the rest."""


def kind_of(call: Call) -> str:
    """``effect`` or ``undo``."""
    return "undo" if isinstance(call, Undo) else "effect"


def named(call: Call) -> str:
    """``payments.charge (effect e1, EUR 42.00)``."""
    amount = f", {call.amount}" if isinstance(call.amount, Money) else ""
    return f"{call.tool} ({kind_of(call)} {call.id}{amount})"


def some(names: Iterable[str], nothing: str = "none") -> str:
    """The first few names, and that there are more."""
    first = list(islice(names, FEW + 1))
    return ", ".join(first[:FEW]) + (" and others" if len(first) > FEW else "") if first else nothing


def intent_of(call: Call) -> Witness:
    """The line that first intended the call."""
    return at(call.line, f"{kind_of(call)}.intended {call.id} {call.tool}")


def outcome_of(call: Call) -> Witness:
    """The line that says what became of the call, or its intent when none does."""
    if call.landed:
        return at(call.landed, f"{kind_of(call)} {call.id} took effect")
    return at(call.outcome, f"outcome of {kind_of(call)} {call.id}") if call.outcome else intent_of(call)


def rival_of(saga: Saga, effect: Effect) -> tuple[Effect, tuple[Witness, ...]]:
    """The effect that this one may not stand beside at the end (:attr:`Saga.beside`), and the lines that show both."""
    assert saga.beside is not None
    other = saga.beside[effect.id]
    return other, (*sorted((outcome_of(other), outcome_of(effect)), key=lambda one: one.line), end_of(saga))


def told_to_roll_back(saga: Saga) -> str:
    """The line after which nothing goes forward: the rollback, or the person's decision on it."""
    return "rollback.started" if saga.rollback else f"person.decided {saga.id} undone"


def end_of(saga: Saga) -> Witness:
    """The line that ended the saga, or its last line."""
    status = saga.ended.status if saga.ended else ""
    return at(saga.ended_line or saga.last_line, f"{saga.last_type} {status}".strip())


def ended_as(saga: Saga) -> str:
    """``ended as compensated_verified at line 9``."""
    return f"ended as {saga.ended.status if saga.ended else 'open'} at line {saga.ended_line}"


def expected_undo(effect: Effect) -> str:
    """The event that would settle an effect, in the words of its own record."""
    if effect.semantics == "irreversible":
        return f"a signed person.decided {effect.id} kept before saga.ended: nothing undoes {effect.tool}"
    tool = effect.undo.tool if effect.undo else "its inverse"
    return f"undo.intended and undo.succeeded of {effect.id} by {tool}, before saga.ended"
