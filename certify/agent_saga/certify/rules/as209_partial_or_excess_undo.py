"""AS209 partial-or-excess-undo."""

from agent_saga.certify.history.calls import EXCEEDS, UNFIT, confirmed_by, weigh
from agent_saga.certify.history.compare import Money
from agent_saga.certify.history.effects import Effect, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import given, terms_of
from agent_saga.certify.policing.police import Police
from agent_saga.certify.rule import Draft, Rule, at, withheld
from agent_saga.certify.words import end_of, ended_as, intent_of, named
from agent_saga.trace.events import (
    EffectReconciled,
    EffectSucceeded,
    EffectUnknown,
    PersonDecided,
    UndoReconciled,
    UndoSucceeded,
)


def _recorded(saga: Saga, event: EffectSucceeded | EffectUnknown | EffectReconciled, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or event.undo is None or effect.worth is None:
        return None
    planned = given(saga, effect, event.undo)
    subject, witness = f"effect {effect.id}", (intent_of(effect), at(line, f"{event.type} {effect.id}"))
    if planned is None and _named_by_policy(saga, effect):
        because = f"the undo recorded at line {line} names no amount of {named(effect)} where the policy says it stands"
        return Draft(subject, because, f"an undo amount of {effect.worth or 'what was taken'}", witness)
    if planned is None or planned == effect.worth is not False:
        return None
    if not (isinstance(planned, Money) and isinstance(effect.worth, Money)):
        question = f"whether the undo recorded at line {line} gives back all of {named(effect)}"
        because = f"{question} cannot be told: an amount is concealed"
        return withheld(subject, because, "disclosures of both amounts", witness)
    if 0 < effect.worth.minor - planned.minor <= _fee(saga, effect) and planned.currency == effect.worth.currency:
        return None
    because = f"the undo recorded at line {line} gives back {planned} of {named(effect)}{_taken(effect)}"
    return Draft(subject, because, f"an undo amount of {effect.worth}", witness)


def _taken(effect: Effect) -> str:
    """What was taken, where the line itself does not say it."""
    return "" if effect.amount == effect.worth else f", which takes {effect.worth} by the policy"


def _named_by_policy(saga: Saga, effect: Effect) -> bool:
    terms = terms_of(saga, effect.tool, effect.line)
    return terms is not None and terms.amounts


def _fee(saga: Saga, effect: Effect) -> int:
    """Minor units that an undo may keep back, by the policy that the call was judged by."""
    police: Police = saga.common.police
    tool = police.tool(effect.tool, effect.line)
    return tool.fee if tool else 0


def _confirmed(saga: Saga, event: UndoSucceeded | UndoReconciled | PersonDecided, line: int) -> Draft | None:
    found = confirmed_by(saga, event)
    if found is None or found[1].undone:
        return None
    undo, effect = found
    target, worth = saga.target(effect), weigh(saga, effect, undo)
    if worth not in (EXCEEDS, UNFIT) or not isinstance(target, Money):
        return None
    effect.faulted = "AS209"
    before = f" after {_so_far(effect, target)}" if effect.confirmed else ""
    return Draft(
        f"effect {effect.id}",
        f"{undo.tool} (undo {undo.id}), confirmed at line {line}, gives back {_given(undo)}{before}; "
        f"{effect.tool} (effect {effect.id}) takes {target}",
        f"undo amounts of effect {effect.id} that sum up to {target}",
        (intent_of(effect), intent_of(undo), at(line, f"{event.type} {undo.id}")),
    )


def _given(undo: Undo) -> str:
    return str(undo.worth) if isinstance(undo.worth, Money) else "no amount that it names"


def _so_far(effect: Effect, target: Money) -> Money:
    return Money(effect.confirmed, target.currency)


def _rest(effect: Effect, target: Money) -> Money:
    return Money(target.minor - effect.confirmed, target.currency)


def _partial(saga: Saga, effect: Effect) -> Draft | None:
    target = saga.target(effect)
    if not isinstance(target, Money):
        return None
    return Draft(
        f"effect {effect.id}",
        f"{_so_far(effect, target)} of {named(effect)} was given back before saga {saga.id} {ended_as(saga)}",
        f"undo.intended and undo.succeeded of {effect.id} over {_rest(effect, target)} more, before saga.ended",
        (intent_of(effect), end_of(saga)),
    )


RULE = Rule(
    code="AS209",
    name="partial-or-excess-undo",
    what=(
        "The undos of an effect give back less or more than was taken, or another currency. What was taken and what an "
        "undo gives back stand where the given policy says it, else where the trace does."
    ),
    why="A customer who paid 42.00 and got 4.20 back was not compensated, whatever the log says.",
    bad="""\
effect.intended e1 EUR 42.00
undo.succeeded u1 EUR 4.20
saga.ended compensated_verified
""",
    good="""\
effect.intended e1 EUR 42.00
undo.succeeded u1 EUR 40.00
undo.succeeded u2 EUR 2.00
saga.ended compensated_verified
""",
    fix="Refund the difference; if a fee is kept on purpose, the policy must allow it.",
    on={
        "effect.succeeded": _recorded,
        "effect.unknown": _recorded,
        "effect.reconciled": _recorded,
        "undo.succeeded": _confirmed,
        "undo.reconciled": _confirmed,
        "person.decided": _confirmed,
    },
    on_left=_partial,
    needs=("undo.succeeded", "undo.reconciled"),
)
