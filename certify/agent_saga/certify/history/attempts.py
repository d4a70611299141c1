"""The fold of calls: effects and undos, their attempts and what became of them.

Source: docs/rules.md, "An effect, formally".
"""

from collections.abc import Callable
from typing import Any

from agent_saga.certify.history.calls import begin, confirm, find, record_undo, settle, track
from agent_saga.certify.history.compare import known, money
from agent_saga.certify.history.effects import Call, Effect, Undo
from agent_saga.certify.history.matching import matches
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import given, taken
from agent_saga.trace.events import (
    EffectFailed,
    EffectIntended,
    EffectReconciled,
    EffectSucceeded,
    EffectUnknown,
    UndoFailed,
    UndoIntended,
    UndoReconciled,
    UndoSucceeded,
    UndoUnknown,
)
from agent_saga.trace.forms import proposes

EffectOutcome = EffectSucceeded | EffectFailed | EffectUnknown
UndoOutcome = UndoSucceeded | UndoFailed | UndoUnknown
Fold = Callable[[Saga, Any, int, int, str], None]
"""Saga, event, line, traits of its payload, leaf."""


def intended(saga: Saga, event: EffectIntended, line: int, traits: int, leaf: str) -> None:
    """effect.intended: a new effect, or one more attempt."""
    if event.reads:
        saga.common.met.add("reads")
        saga.reads += [(event.effect, line, read) for read in event.reads]
    effect = saga.effects.get(event.effect)
    if effect:
        _begun(saga, effect, event.attempt)
        moved(saga, effect)
        return
    if saga.requested:
        saga.requested.pop(event.step, None)
    saga.common.met.update(("branch", event.semantics) if event.branch else (event.semantics,))
    effect = _new_effect(saga, event, line)
    saga.effects[event.effect] = effect
    saga.keyed.setdefault(event.key, effect)
    if event.semantics != "preview":
        before = saga.latest.get(effect.place)
        if before is not None:
            _beside(saga, before, effect)
        saga.latest[effect.place] = effect
    if saga.order is not None:
        saga.order.add(effect)


def _new_effect(saga: Saga, event: EffectIntended, line: int) -> Effect:
    step, place = saga.steps.get(event.step), saga.place(event)
    amount = money(event.amount, saga.disclosures)
    if place != event.step:
        saga.places = saga.places or {}
        saga.places[event.step] = place
    return Effect(
        id=event.effect,
        tool=event.tool,
        key=event.key,
        args=step.args if step and step.args.says(event.args) else known(event.args, saga.disclosures),
        amount=amount,
        worth=taken(saga, event, line, amount),
        line=line,
        highest=event.attempt,
        step=event.step,
        semantics=event.semantics,
        after=event.after,
        order=len(saga.effects),
        branch=event.branch or "",
        place=place,
        again=bool(saga.effects) and made_before(saga, event) is not None,
    )


def made_before(saga: Saga, event: EffectIntended) -> Effect | None:
    """The effect that may stand in the world already when this one is intended for the same step, or in its place."""
    if event.semantics == "preview":
        return None
    replaced = saga.effects.get(event.fallback_of) if event.fallback_of else None
    if replaced and replaced.in_force:
        return replaced
    place = saga.place(event)
    latest = saga.latest.get(place)
    if latest is None or latest.in_force:
        return latest
    return next(reversed(saga.standing[place].values()), None) if place in saga.standing else None


def _beside(saga: Saga, before: Effect, effect: Effect) -> None:
    """One more effect is made for a step: from now on it is kept which of them stand, since one may land late."""
    if effect.place not in saga.standing:
        saga.standing[effect.place] = {before.id: before} if before.in_force else {}
    saga.standing[effect.place][effect.id] = effect


def _begun(saga: Saga, call: Call, attempt: int) -> None:
    begin(call, attempt)
    if len(call.attempts) > 1:
        saga.common.met.add("retry")


def moved(saga: Saga, effect: Effect) -> None:
    """What follows from a change of an effect's outcome."""
    if effect.place in saga.standing:
        _stands(saga.standing[effect.place], effect)
    if effect.landed and saga.pivot and proposes(effect.step, saga.pivot):
        saga.pivots = saga.pivots or set()
        (saga.pivots.discard if effect.undone else saga.pivots.add)(effect.id)
    if saga.order is not None:
        saga.order.touch(effect)


def _stands(those: dict[str, Effect], effect: Effect) -> None:
    """Keep up to date which effects of one step stand."""
    if effect.in_force:
        those[effect.id] = effect
    else:
        those.pop(effect.id, None)


def _told(saga: Saga, effect: Effect, line: int) -> None:
    if not effect.preview:
        saga.last_outcome, saga.proven = line, False
    moved(saga, effect)


def outcome(letter: int) -> Fold:
    """effect.succeeded, failed, unknown: what became of one attempt."""

    def apply(saga: Saga, event: EffectOutcome, line: int, traits: int, leaf: str) -> None:
        effect = saga.effects.get(event.effect)
        if effect:
            record_undo(saga, effect, event, line)
            settle(effect, event.attempt, letter, line)
            _told(saga, effect, line)

    return apply


def reconciled(saga: Saga, event: EffectReconciled, line: int, traits: int, leaf: str) -> None:
    """effect.reconciled: what the provider said of all attempts."""
    effect = saga.effects.get(event.effect)
    if effect:
        record_undo(saga, effect, event, line)
        find(effect, event.found, line)
        _told(saga, effect, line)


def undo_intended(saga: Saga, event: UndoIntended, line: int, traits: int, leaf: str) -> None:
    """undo.intended: a new undo, or one more attempt."""
    undo, effect = saga.undos.get(event.undo), saga.effects.get(event.effect)
    if undo:
        _begun(saga, undo, event.attempt)
        effect = saga.effects.get(undo.effect)
    else:
        undo = saga.undos[event.undo] = _new_undo(saga, effect, event, line)
        saga.keyed.setdefault(event.key, undo)
        if effect:
            effect.undos.append(event.undo)
    if effect:
        track(effect, undo)


def _new_undo(saga: Saga, effect: Effect | None, event: UndoIntended, line: int) -> Undo:
    args = known(event.args, saga.disclosures)
    return Undo(
        id=event.undo,
        tool=event.tool,
        key=event.key,
        args=args,
        amount=money(event.amount, saga.disclosures),
        worth=given(saga, effect, event) if effect else None,
        line=line,
        highest=event.attempt,
        effect=event.effect,
        matches=matches(saga, effect, event.tool, args) if effect else False,
    )


def undo_told(saga: Saga, undo: Undo, before: int) -> None:
    """What follows from the outcome of an undo: one that has just been confirmed counts, once."""
    effect = saga.effects.get(undo.effect)
    if effect:
        track(effect, undo)
        if undo.landed and not before:
            confirm(saga, effect, undo)
            saga.last_undone, saga.proven = undo.landed, False
            moved(saga, effect)


def undo_outcome(letter: int) -> Fold:
    """undo.succeeded, failed, unknown: what became of one attempt."""

    def apply(saga: Saga, event: UndoOutcome, line: int, traits: int, leaf: str) -> None:
        undo = saga.undos.get(event.undo)
        if undo:
            before = undo.landed
            settle(undo, event.attempt, letter, line)
            undo_told(saga, undo, before)

    return apply


def undo_reconciled(saga: Saga, event: UndoReconciled, line: int, traits: int, leaf: str) -> None:
    """undo.reconciled: what the provider said of all attempts."""
    undo = saga.undos.get(event.undo)
    if undo:
        before = undo.landed
        find(undo, event.found, line)
        undo_told(saga, undo, before)
