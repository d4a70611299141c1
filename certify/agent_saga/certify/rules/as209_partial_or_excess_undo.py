"""AS209 partial-or-excess-undo."""

from collections.abc import Iterator

from agent_saga.certify.compare import Money, money
from agent_saga.certify.findings import Witness
from agent_saga.certify.history import Effect, Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of, intent_of, named
from agent_saga.trace.events import EffectReconciled, EffectSucceeded, EffectUnknown, UndoReconciled, UndoSucceeded


def _recorded(saga: Saga, event: EffectSucceeded | EffectUnknown | EffectReconciled, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or event.undo is None or event.undo.amount is None or not isinstance(effect.amount, Money):
        return None
    planned = money(event.undo.amount, saga.disclosures)
    if not isinstance(planned, Money) or planned == effect.amount:
        return None
    return Draft(
        f"effect {effect.id}",
        f"the undo recorded at line {line} gives back {planned} of {named(effect)}",
        f"an undo amount of {effect.amount}",
        (intent_of(effect), at(line, f"{event.type} {effect.id}")),
    )


def _confirmed(saga: Saga, event: UndoSucceeded | UndoReconciled, line: int) -> Draft | None:
    undo = saga.undos.get(event.undo)
    effect = saga.effects.get(undo.effect) if undo else None
    if undo is None or effect is None or undo.landed or (isinstance(event, UndoReconciled) and event.found != "landed"):
        return None
    target = saga.target(effect)
    if not isinstance(target, Money) or undo.matches is False or effect.undone or effect.faulted:
        return None
    return _judge(effect, target, undo.amount, line, f"{event.type} {event.undo}", intent_of(undo))


def _judge(effect: Effect, target: Money, amount: object, line: int, what: str, intent: Witness) -> Draft | None:
    if amount is False:
        return None  # AS602
    fits = isinstance(amount, Money) and amount.currency == target.currency
    if isinstance(amount, Money) and fits and effect.confirmed + amount.minor <= target.minor and amount.minor > 0:
        return None
    effect.faulted = True
    given = f"gives back {amount}" if amount else "names no amount"
    before = f" after {effect.confirmed} before it" if effect.confirmed else ""
    return Draft(
        f"effect {effect.id}",
        f"{what} at line {line} {given}{before}; {named(effect)} takes exactly {target}",
        f"undo amounts that sum up to {target}",
        (intent_of(effect), intent, at(line, what)),
    )


def _partial(saga: Saga) -> Iterator[Draft]:
    for effect in saga.effects.values():
        target = saga.target(effect)
        if effect.in_force and 0 < effect.confirmed and isinstance(target, Money) and not (effect.kept or effect.faulted):
            yield Draft(
                f"effect {effect.id}",
                f"{effect.confirmed} of {target} of {named(effect)} was given back before the saga ended",
                f"undo amounts that sum up to {target}, before saga.ended",
                (intent_of(effect), end_of(saga)),
            )


RULE = Rule(
    code="AS209",
    name="partial-or-excess-undo",
    what="The undos of an effect give back less or more than was taken, or another currency.",
    why="A customer who paid 42.00 and got 4.20 back was not compensated, whatever the log says.",
    bad="""\
effect.intended e1 EUR 4200
undo.succeeded u1 EUR 420
saga.ended compensated_verified
""",
    good="""\
effect.intended e1 EUR 4200
undo.succeeded u1 EUR 4000
undo.succeeded u2 EUR 200
saga.ended compensated_verified
""",
    fix="Refund the difference; if a fee is kept on purpose, the policy must allow it.",
    on={
        "effect.succeeded": _recorded,
        "effect.unknown": _recorded,
        "effect.reconciled": _recorded,
        "undo.succeeded": _confirmed,
        "undo.reconciled": _confirmed,
    },
    at_end=_partial,
    needs=("undo.succeeded", "undo.reconciled"),
)
