"""Outcomes against what was said before of the same call, for AS102: one outcome for an attempt, one inverse.

Source: docs/spec/trace-v1.md, "Types"; docs/rules.md, "An effect, formally".
"""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.history.compare import known, money, same
from agent_saga.certify.history.effects import FAILED, SUCCEEDED, UNKNOWN, Call, Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.members.contradiction import contradicts, pointed, sound_amount
from agent_saga.certify.rule import Draft, OnEvent, at, withheld

Find = Callable[[Saga, Any], Call | None]
"""Finds the call that an outcome is about."""


def _effect(saga: Saga, event: Any) -> Call | None:
    return saga.effects.get(event.effect)


def _undo(saga: Saga, event: Any) -> Call | None:
    return saga.undos.get(event.undo)


def _outcome(find: Find, letter: int) -> OnEvent:
    def check(saga: Saga, event: Any, line: int) -> Draft | None:
        call = find(saga, event)
        if call is None or event.attempt > call.highest:
            return None  # AS203
        said = _said(call, event.attempt, letter) if call.outcome else None
        if said is None:
            return _inverse(saga, call, event, line)
        kind, what = event.type.split(".")
        why = f"attempt {event.attempt} of {kind} {call.id} is said to have {said}, now {what}"
        earlier = call.landed or call.outcome
        return contradicts(event, line, f"{kind} {call.id}", why, "one outcome for an attempt", earlier)

    return check


def _said(call: Call, attempt: int, letter: int) -> str | None:
    """What was said before that this outcome contradicts; two successes are AS205."""
    before = call.state(attempt)
    if before == SUCCEEDED and letter != SUCCEEDED:
        return "succeeded"
    if before == FAILED:
        return "failed"
    found = call.landed and SUCCEEDED not in call.attempts
    return "landed" if found and letter == FAILED else None


def _reconciled(find: Find) -> OnEvent:
    def check(saga: Saga, event: Any, line: int) -> Draft | None:
        call = find(saga, event)
        if call is None:
            return None
        if event.found == "absent" and call.landed:
            said = "applied"
        elif event.found == "landed" and not call.landed and set(call.attempts) == {FAILED}:
            said = "proven to have failed in every attempt"
        else:
            return _inverse(saga, call, event, line)
        kind = event.type.split(".")[0]
        why = f"{kind} {call.id} is {said}, now reconciled as {event.found}"
        expected = "a reconciliation that agrees with the outcome"
        return contradicts(event, line, f"{kind} {call.id}", why, expected, call.landed or call.outcome)

    return check


def _inverse(saga: Saga, call: Call, event: Any, line: int) -> Draft | None:
    """The inverse that an outcome records: sound in itself, and the one that was recorded before."""
    if not isinstance(call, Effect):
        return None
    inverse = getattr(event, "undo", None)
    if inverse is None:
        return None
    subject = f"the undo of effect {call.id}"
    return (
        sound_amount(saga, event, inverse.amount, line, subject)
        or pointed(saga, event, inverse, line, subject)
        or _once(saga, call, event, line)
    )


def _once(saga: Saga, effect: Effect, event: Any, line: int) -> Draft | None:
    """Once the effect took place, or an undo was made from the record, the record stays."""
    before, now = effect.undo, event.undo
    if before is None or not (effect.landed or effect.undos):
        return None
    amount = money(now.amount, saga.disclosures)
    equal = same(before.args, known(now.args, saga.disclosures))
    subject = f"effect {effect.id}"
    if now.tool == before.tool and equal is not False and (amount == before.amount or False in (amount, before.amount)):
        if equal and False not in (amount, before.amount):
            return None
        why = f"line {line}: whether the undo of {subject} is that of line {before.line} cannot be told: concealed"
        witness = at(before.line, "said before"), at(line, event.type)
        return withheld(subject, why, "disclosures of both", witness)
    why = f"the undo of {subject} differs from the one that line {before.line} records"
    return contradicts(event, line, subject, why, f"the undo as on line {before.line}", before.line)


OUTCOMES: Final[dict[str, Callable[[Saga, Any, int], Draft | None]]] = {
    "effect.succeeded": _outcome(_effect, SUCCEEDED),
    "effect.failed": _outcome(_effect, FAILED),
    "effect.unknown": _outcome(_effect, UNKNOWN),
    "effect.reconciled": _reconciled(_effect),
    "undo.succeeded": _outcome(_undo, SUCCEEDED),
    "undo.failed": _outcome(_undo, FAILED),
    "undo.unknown": _outcome(_undo, UNKNOWN),
    "undo.reconciled": _reconciled(_undo),
}
"""Outcome type to its check."""
