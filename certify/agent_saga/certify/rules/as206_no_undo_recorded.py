"""AS206 no-undo-recorded."""

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import named
from agent_saga.trace.events import EffectReconciled, EffectSucceeded, UndoIntended

_UNDOABLE = frozenset({"reversible", "compensable"})


def _applied(saga: Saga, event: EffectSucceeded | EffectReconciled, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or event.undo is not None or (isinstance(event, EffectReconciled) and event.found != "landed"):
        return None
    return _missing(effect, line, event.type)


def _undone(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    return _missing(effect, line, event.type) if effect and effect.outcome and not effect.absent else None


def _missing(effect: Effect, line: int, what: str) -> Draft | None:
    if effect.undo is not None or effect.semantics not in _UNDOABLE or effect.bare:
        return None
    effect.bare = True
    return Draft(
        f"effect {effect.id}",
        f"{named(effect)} is {effect.semantics}, and no line up to line {line} records the call that undoes it",
        f"undo with its tool and arguments on the outcome of effect {effect.id}",
        (at(effect.line, f"effect.intended {effect.id} {effect.semantics}"), at(line, f"{what} {effect.id}")),
    )


RULE = Rule(
    code="AS206",
    name="no-undo-recorded",
    what="An effect that can be undone took place, and its outcome does not record how.",
    why=(
        "The inverse is derived from the result (the charge id) and must be durable with it. "
        "Recorded nowhere, it cannot be made after a crash."
    ),
    bad='effect.succeeded e1 {"charge":"ch_1"}',
    good='effect.succeeded e1 {"charge":"ch_1"} undo payments.refund {"charge":"ch_1"}',
    fix=(
        "Let the tool return its inverse call, and write it on the outcome line; or declare the "
        "tool irreversible and get an approval."
    ),
    on={"effect.succeeded": _applied, "effect.reconciled": _applied, "undo.intended": _undone},
)
