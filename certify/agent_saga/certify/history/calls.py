"""Calls: what an outcome line makes of an effect or undo, and what a confirmed undo gives back.

The outcome is folded over all attempts of a key; see :mod:`agent_saga.certify.history.effects`. What a confirmed undo
is worth is told by :func:`weigh`, which the rules ask before the line is folded and the fold asks when it is.

Source: docs/rules.md, "An effect, formally".
"""

from typing import Any, Final

from agent_saga.certify.history.compare import Money, known, money
from agent_saga.certify.history.effects import ABSENT, OPEN, SUCCEEDED, UNKNOWN, Call, Effect, Recorded, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import given

COMPLETES: Final = "completes"
COUNTS: Final = "counts"
EXCEEDS: Final = "exceeds"
UNFIT: Final = "unfit"
"""No amount where one is due, nothing or less, or another currency."""
FOREIGN: Final = "foreign"
"""Not the recorded call, or of an effect that cannot be undone: it undoes nothing."""
SEALED: Final = "sealed"
"""A concealed value keeps open what it is worth."""

_UNSETTLED: Final = (OPEN, UNKNOWN)
_FOUND_ABSENT: Final = bytes(ABSENT if byte in _UNSETTLED else byte for byte in range(256))


def begin(call: Call, attempt: int) -> None:
    """Open one more attempt; one that skips numbers opens only the next, one that was there opens none."""
    if attempt > call.highest:
        call.attempts.append(OPEN)
        call.highest = attempt
        call.unsettled += 1


def settle(call: Call, attempt: int, letter: int, line: int) -> None:
    """Fold the outcome of one attempt; a success stays one."""
    at = min(attempt, len(call.attempts)) - 1
    before = call.attempts[at]
    if before != SUCCEEDED:
        call.attempts[at] = letter
        call.unsettled += (letter in _UNSETTLED) - (before in _UNSETTLED)
        call.settled = min(call.settled, at)
    call.outcome = line
    if letter == SUCCEEDED and not call.landed:
        call.landed = line


def find(call: Call, found: str, line: int) -> None:
    """Fold what the provider, or a person, said about all attempts so far."""
    call.outcome = line
    if found == "landed":
        call.landed = call.landed or line
    elif found == "absent" and call.unsettled:
        call.attempts[call.settled :] = call.attempts[call.settled :].translate(_FOUND_ABSENT)
        call.unsettled, call.settled = 0, len(call.attempts)


def record_undo(saga: Saga, effect: Effect, event: Any, line: int) -> None:
    """Keep the inverse that an outcome names. The first one stays once it is what undos are made from."""
    call = getattr(event, "undo", None)
    if call is not None and not (effect.undo and (effect.landed or effect.undos)):
        args, amount = known(call.args, saga.disclosures), money(call.amount, saga.disclosures)
        effect.undo = Recorded(call.tool, args, amount, given(saga, effect, call), line)


def confirmed_by(saga: Saga, event: Any) -> tuple[Undo, Effect] | None:
    """The undo that this line is the first to confirm, and its effect; None when it confirms none."""
    undo = saga.undos.get(event.target if event.type == "person.decided" else event.undo)
    effect = saga.effects.get(undo.effect) if undo else None
    if undo is None or effect is None or undo.landed:
        return None
    if event.type == "undo.reconciled" and event.found != "landed":
        return None
    if event.type == "person.decided" and not (event.verdict == "landed" and undo.unknown):
        return None
    return undo, effect


def weigh(saga: Saga, effect: Effect, undo: Undo) -> str:
    """What a confirmed undo is worth: one of the words above."""
    if undo.matches is False or effect.semantics == "irreversible":
        return FOREIGN
    target = saga.target(effect)
    if target is None:
        return SEALED if undo.matches is None or effect.sealed else COMPLETES
    if not isinstance(target, Money) or undo.worth is False:
        return SEALED
    return _weigh_money(effect, undo, target)


def _weigh_money(effect: Effect, undo: Undo, target: Money) -> str:
    if not isinstance(undo.worth, Money) or undo.worth.currency != target.currency:
        return UNFIT
    minor = undo.worth.minor
    if minor < 0 or (minor == 0 and target.minor != 0):
        return UNFIT
    if effect.confirmed + minor > target.minor:
        return EXCEEDS
    if undo.matches is None or effect.sealed:
        return SEALED
    return COMPLETES if effect.confirmed + minor == target.minor else COUNTS


def confirm(saga: Saga, effect: Effect, undo: Undo) -> None:
    """Fold an undo that has just been confirmed into its effect."""
    worth = weigh(saga, effect, undo)
    if worth in (COUNTS, COMPLETES, EXCEEDS):
        effect.confirmed += undo.worth.minor if isinstance(undo.worth, Money) and saga.target(effect) else 1
    if worth == COMPLETES:
        undone(effect, undo.landed, undo.id)
    elif worth == SEALED and not effect.undone:
        effect.sealed = undo.landed


def undone(effect: Effect, line: int, by: str = "") -> None:
    """Note what completed the undoing of an effect; the first to do so stays."""
    if not effect.undone:
        effect.undone, effect.undone_by = line, by


def track(effect: Effect, undo: Undo) -> None:
    """Keep the effect's pending undos up to date after a line about one of them."""
    pending = effect.pending if effect.pending is not None else {}
    minor = undo.worth.minor if isinstance(undo.worth, Money) else 0
    if undo.unknown and undo.id not in pending:
        pending[undo.id] = undo
        effect.flight += minor
    elif not undo.unknown and undo.id in pending:
        del pending[undo.id]
        effect.flight -= minor
    effect.pending = pending or None
