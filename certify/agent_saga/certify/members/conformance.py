"""Members against what the saga said before: the checks behind AS102.

Each takes a saga, the next event and its line, and says what contradicts. They are one table by line type. What an
outcome may say is in :mod:`agent_saga.certify.members.agreement`.

Source: docs/spec/trace-v1.md, "Types".
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_saga.certify.history.effects import Call, Effect, Undo
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.members.agreement import OUTCOMES
from agent_saga.certify.members.contradiction import contradicts, pointed, sound_amount
from agent_saga.certify.rule import Draft
from agent_saga.trace.events import (
    BranchChosen,
    CheckEvaluated,
    EffectIntended,
    PersonDecided,
    SagaPaused,
    StepProposed,
    UndoIntended,
)

Event = Any


def _step(saga: Saga, event: StepProposed, line: int) -> Draft | None:
    earlier = saga.steps.get(event.step)
    if earlier is None:
        return None
    why = f"step {event.step} was proposed before, at line {earlier.line}"
    return contradicts(event, line, f"step {event.step}", why, "a step id that is new in the saga", earlier.line)


def _check_id(saga: Saga, event: CheckEvaluated, line: int) -> Draft | None:
    earlier = saga.checks.get(event.check)
    if earlier is None:
        return None
    why = f"check {event.check} was evaluated before, at line {earlier}"
    return contradicts(event, line, f"check {event.check}", why, "a check id that is new in the saga", earlier)


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    subject = f"effect {event.effect}"
    call = saga.effects.get(event.effect)
    return (
        _attempt(event, line, call, subject)
        or (_moved(call, event, line) if call else _new(saga, event.effect, saga.undos, "an undo", event, line))
        or (_placed(saga, event, line) if event.after or event.fallback_of or event.branch or event.approvals else None)
        or sound_amount(saga, event, event.amount, line, subject)
        or pointed(saga, event, event, line, subject)
    )


def _attempt(event: Event, line: int, call: Call | None, subject: str) -> Draft | None:
    wanted = call.highest + 1 if call else 1
    if event.attempt == wanted:
        return None
    if call and event.attempt < wanted:
        why = f"attempt {event.attempt} of {subject} was intended before"
        return contradicts(event, line, subject, why, f"attempt {wanted}, or an id that is new in the saga", call.line)
    why = f"attempt {event.attempt} of {subject} comes " + (f"after attempt {wanted - 1}" if call else "first")
    return contradicts(event, line, subject, why, f"attempt {wanted}")


def _new(saga: Saga, name: str, others: Mapping[str, Call], what: str, event: Event, line: int) -> Draft | None:
    """A new call has a name and a key that no other call of the saga has.

    A decision names effects and undos without saying which of the two it means. Of two calls under one key a provider
    makes the first only, and answers the second with what became of that.
    """
    if saga.foreign:
        return None
    other = others.get(name)
    if other is None:
        return _own_key(saga, name, event, line)
    why = f"{name} is the id of {what} since line {other.line}"
    return contradicts(event, line, name, why, "an id that is new in the saga", other.line)


def _own_key(saga: Saga, name: str, event: Event, line: int) -> Draft | None:
    same = saga.keyed.get(event.key)
    if same is None:
        return None
    mine, kind = event.type.partition(".")[0], "undo" if isinstance(same, Undo) else "effect"
    why = f"{mine} {name} has the idempotency key of {kind} {same.id} (line {same.line})"
    return contradicts(event, line, f"{mine} {name}", why, "a random key that no other call has", same.line)


def _moved(call: Effect, event: EffectIntended, line: int) -> Draft | None:
    """A retry is the same effect: its step, class, order and branch stay."""
    for member, before in (("step", call.step), ("semantics", call.semantics), ("after", call.after)):
        if getattr(event, member) != before:
            break
    else:
        if (event.branch or "") == call.branch:
            return None
        member = "branch"
    why = f"{member} of effect {call.id} differs from that of its first attempt"
    return contradicts(event, line, f"effect {call.id}", why, f"{member} as on line {call.line}", call.line)


def _placed(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    """What it says of its place among others must be there: effects, branches, approvals."""
    return _after(saga, event, line) or _branch_path(event, line) or _approvals(saga, event, line)


def _after(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    names = (("after", event.after or ()), ("fallback_of", (event.fallback_of,) if event.fallback_of else ()))
    for member, effects in names:
        for name in effects:
            earlier = saga.effects.get(name)
            if earlier is None or name == event.effect:
                why = f"{member} of effect {event.effect} names {name}, which no earlier line intended"
                return contradicts(event, line, f"effect {event.effect}", why, "ids of effects intended earlier")
    return None


def _branch_path(event: EffectIntended, line: int) -> Draft | None:
    if event.branch is None or event.branch.count(".") % 2:
        return None
    why = f"branch {event.branch} of effect {event.effect} ends in a group without an option"
    return contradicts(event, line, f"effect {event.effect}", why, "GROUP.OPTION, or GROUP.OPTION.GROUP.OPTION")


def _approvals(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    """Of an irreversible effect it is AS301 that says so."""
    if not event.approvals or event.semantics == "irreversible" or saga.foreign:
        return None
    if all(leaf in saga.approvals for leaf in event.approvals):
        return None
    why = f"approvals of effect {event.effect} names a leaf that no approval.recorded of the saga has"
    return contradicts(event, line, f"effect {event.effect}", why, "leaves of earlier approval.recorded lines")


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    subject = f"undo {event.undo}"
    call = saga.undos.get(event.undo)
    return (
        _attempt(event, line, call, subject)
        or (_other(call, event, line) if call else _new(saga, event.undo, saga.effects, "an effect", event, line))
        or sound_amount(saga, event, event.amount, line, subject)
        or pointed(saga, event, event, line, subject)
    )


def _other(call: Undo, event: UndoIntended, line: int) -> Draft | None:
    if call.effect == event.effect:
        return None
    why = f"undo {event.undo} was of effect {call.effect} and is now of effect {event.effect}"
    return contradicts(event, line, f"undo {event.undo}", why, f"effect {call.effect}", call.line)


def _branch(saga: Saga, event: BranchChosen, line: int) -> Draft | None:
    subject = f"branch {event.branch}"
    if event.branch.count(".") % 2:
        why = f"branch {event.branch} ends in an option; a winner is chosen in a group"
        return contradicts(event, line, subject, why, "GROUP, or GROUP.OPTION.GROUP when nested")
    if event.branch not in saga.winners:
        return None
    earlier = saga.winners[event.branch][1]
    why = f"branch {event.branch} was decided before, at line {earlier}"
    return contradicts(event, line, subject, why, "one branch.chosen for a group", earlier)


def _paused(saga: Saga, event: SagaPaused, line: int) -> Draft | None:
    stray = next((name for name in event.waiting if name not in saga.effects and name not in saga.undos), None)
    if stray is None:
        return None
    why = f"waiting names {stray}, which is no effect or undo of this saga"
    return contradicts(event, line, "pause", why, "ids of effects and undos intended earlier")


def _decided(saga: Saga, event: PersonDecided, line: int) -> Draft | None:
    call = saga.undos.get(event.target) or saga.effects.get(event.target)
    subject = f"decision {event.target}"
    if call is None:
        if event.target in saga.steps or event.target == saga.id:
            return _of_no_call(event, line, subject)
        why = f"the decision names {event.target}, which is no effect or undo of this saga"
        return contradicts(event, line, subject, why, "the id of an effect or undo")
    if not _overturns(call, event.verdict):
        return None
    said = "applied" if call.landed else "absent"
    why = f"{event.target} is {said} on record, and a person's word ({event.verdict}) cannot overturn that"
    return contradicts(event, line, subject, why, "a decision that agrees with the record", call.landed or call.outcome)


def _of_no_call(event: PersonDecided, line: int, subject: str) -> Draft | None:
    """A saga that was halted goes on or is rolled back; nobody asks a provider about it."""
    if event.verdict in ("kept", "undone"):
        return None
    why = f"{event.target} is no call that could be {event.verdict}"
    return contradicts(event, line, subject, why, "kept, to go on, or undone, to roll back")


def _overturns(call: Call, verdict: str) -> bool:
    if verdict == "landed":
        return call.absent
    if verdict == "absent":
        return call.applied
    return isinstance(call, Effect) and call.absent


CHECKS: Final[dict[str, Callable[[Saga, Any, int], Draft | None]]] = {
    "step.proposed": _step,
    "effect.intended": _effect,
    "undo.intended": _undo,
    **OUTCOMES,
    "check.evaluated": _check_id,
    "branch.chosen": _branch,
    "saga.paused": _paused,
    "person.decided": _decided,
}
"""Line type to its check."""
