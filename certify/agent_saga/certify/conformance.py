"""Members against what the saga said before: the checks behind AS102.

Each takes a saga, the next event and its line, and says what contradicts. They are one table by line type.

Source: docs/spec/trace-v1.md, "Types".
"""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.compare import Known, known, same
from agent_saga.certify.history import ABSENT, FAILED, SUCCEEDED, UNKNOWN, Call, Saga
from agent_saga.certify.rule import Draft, OnEvent, at
from agent_saga.trace.events import (
    BranchChosen,
    CheckEvaluated,
    EffectIntended,
    PersonDecided,
    StepProposed,
    ToolSpec,
    UndoIntended,
)
from agent_saga.trace.values import MISSING, resolve

Event = Any


def _draft(event: Event, line: int, subject: str, because: str, expected: str, earlier: int = 0) -> Draft:
    witness = (at(earlier, "said before"),) if earlier else ()
    return Draft(subject, f"line {line}: {because}", expected, (*witness, at(line, event.type)))


def _step(saga: Saga, event: StepProposed, line: int) -> Draft | None:
    if event.step in saga.steps:
        earlier = saga.steps[event.step].line
        return _draft(event, line, f"step {event.step}", f"step {event.step} was proposed before", "a new step id", earlier)
    return None


def _check_id(saga: Saga, event: CheckEvaluated, line: int) -> Draft | None:
    if event.check in saga.checks:
        return _draft(event, line, f"check {event.check}", f"check {event.check} was evaluated before", "a new check id")
    return None


def _attempt(event: Event, line: int, call: Call | None, subject: str) -> Draft | None:
    wanted = len(call.attempts) + 1 if call else 1
    if event.attempt == wanted or (call and event.attempt < wanted):
        if event.attempt == wanted:
            return None
        return _draft(event, line, subject, f"attempt {event.attempt} was intended before", f"attempt {wanted}", call.line if call else 0)
    return _draft(event, line, subject, f"attempt {event.attempt} follows attempt {wanted - 1}", f"attempt {wanted}")


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    subject = f"effect {event.effect}"
    draft = _attempt(event, line, saga.effects.get(event.effect), subject)
    if draft:
        return draft
    unknown = [name for name in event.after or () if name not in saga.effects or name == event.effect]
    if unknown:
        return _draft(event, line, subject, f"after names {unknown[0]}, which was not intended earlier", "ids of earlier effects")
    if event.fallback_of and event.fallback_of not in saga.effects:
        return _draft(event, line, subject, f"fallback_of names {event.fallback_of}, which was not intended", "an earlier effect")
    return _pointed(saga, event, line, subject)


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    call = saga.undos.get(event.undo)
    subject = f"undo {event.undo}"
    draft = _attempt(event, line, call, subject)
    if draft:
        return draft
    if call and call.effect != event.effect:
        return _draft(event, line, subject, f"undo {event.undo} was of effect {call.effect}, now of {event.effect}", call.effect, call.line)
    return _pointed(saga, event, line, subject)


def _pointed(saga: Saga, event: Event, line: int, subject: str) -> Draft | None:
    """Where the catalogue says that an argument is the amount or the resource, the member must say the same."""
    spec: ToolSpec | None = (saga.tools or {}).get(event.tool)
    if spec is None:
        return None
    for member, pointer in (("amount", spec.amount_from), ("resource", spec.resource_from)):
        if pointer is not None and hasattr(event, member):
            draft = _equal(saga, event, line, subject, member, pointer)
            if draft:
                return draft
    return None


def _equal(saga: Saga, event: Event, line: int, subject: str, member: str, pointer: str) -> Draft | None:
    said, meant = getattr(event, member), resolve(pointer, event.args)
    if said is None or meant is MISSING:
        lacking = f"the member {member} is missing" if said is None else f"args have nothing at {pointer}"
        return _draft(event, line, subject, f"{lacking}, but the catalogue takes it from there", f"{member} equal to args{pointer}")
    equal = same(_known(said, saga), _known(meant, saga))
    if equal is False:
        return _draft(event, line, subject, f"{member} differs from args{pointer}", f"{member} equal to args{pointer}")
    if equal is None:
        return Draft(subject, f"line {line}: {member} and args{pointer} are concealed and cannot be compared",
                     "disclosures of both", (at(line, event.type),), inconclusive=True)
    return None


def _known(value: Any, saga: Saga) -> Known:
    return known(value, saga.disclosures)


def _outcome(kind: str, letter: str) -> OnEvent:
    def check(saga: Saga, event: Event, line: int) -> Draft | None:
        call = (saga.effects if kind == "effect" else saga.undos).get(getattr(event, kind))
        if call is None or event.attempt > len(call.attempts):
            return None  # AS203
        before = call.attempts[event.attempt - 1]
        if before in (FAILED, SUCCEEDED) and not (before == letter == SUCCEEDED):
            said = "succeeded" if before == SUCCEEDED else "failed"
        elif call.landed and letter == FAILED:
            said = "landed"
        else:
            return None
        return _draft(event, line, f"{kind} {call.id}", f"attempt {event.attempt} of {kind} {call.id} is said to have "
                      f"{said}, now {event.type.split('.')[1]}", "one outcome for an attempt", call.landed or call.outcome)

    return check


def _reconciled(kind: str) -> OnEvent:
    def check(saga: Saga, event: Event, line: int) -> Draft | None:
        call = (saga.effects if kind == "effect" else saga.undos).get(getattr(event, kind))
        if call is None:
            return None
        if event.found == "absent" and call.landed:
            said = "applied"
        elif event.found == "landed" and not call.landed and set(call.attempts) <= {FAILED, ABSENT}:
            said = "proven absent"
        else:
            return None
        return _draft(event, line, f"{kind} {call.id}", f"{kind} {call.id} is {said}, now reconciled as {event.found}",
                      "a reconciliation that agrees with the outcome", call.landed or call.outcome)

    return check


def _branch(saga: Saga, event: BranchChosen, line: int) -> Draft | None:
    if event.branch in saga.winners:
        return _draft(event, line, f"branch {event.branch}", f"branch {event.branch} was decided before", "one branch.chosen a group",
                      saga.winners[event.branch][1])
    return None


def _decided(saga: Saga, event: PersonDecided, line: int) -> Draft | None:
    call = saga.effects.get(event.target) or saga.undos.get(event.target)
    subject = f"decision {event.target}"
    if call is None:
        if event.target in saga.steps or event.target == saga.id:
            return None
        return _draft(event, line, subject, f"the decision names {event.target}, which is no effect or undo of this saga", "an effect or undo id")
    if event.verdict in ("landed", "absent") and not call.unknown:
        said = "applied" if call.landed else "absent"
        if said != {"landed": "applied", "absent": "absent"}[event.verdict]:
            return _draft(event, line, subject, f"{event.target} is {said} on record; a person's word ({event.verdict}) cannot overturn it",
                          "a decision on an unknown outcome", call.landed or call.outcome)
    return None


CHECKS: Final[dict[str, Callable[[Saga, Any, int], Draft | None]]] = {
    "step.proposed": _step,
    "effect.intended": _effect,
    "undo.intended": _undo,
    "effect.succeeded": _outcome("effect", SUCCEEDED),
    "effect.failed": _outcome("effect", FAILED),
    "effect.unknown": _outcome("effect", UNKNOWN),
    "undo.succeeded": _outcome("undo", SUCCEEDED),
    "undo.failed": _outcome("undo", FAILED),
    "undo.unknown": _outcome("undo", UNKNOWN),
    "effect.reconciled": _reconciled("effect"),
    "undo.reconciled": _reconciled("undo"),
    "check.evaluated": _check_id,
    "branch.chosen": _branch,
    "person.decided": _decided,
}
"""Line type to its check."""
