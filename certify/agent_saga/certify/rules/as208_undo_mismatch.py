"""AS208 undo-mismatch."""

from typing import Any

from agent_saga.certify.history.compare import known
from agent_saga.certify.history.effects import Effect, Recorded
from agent_saga.certify.history.matching import matches
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.history.worth import terms_of
from agent_saga.certify.policing.police import Police
from agent_saga.certify.rule import POLICY, Draft, Rule, at, withheld
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import EffectIntended, EffectReconciled, EffectSucceeded, EffectUnknown, UndoIntended


def _recorded(saga: Saga, event: EffectSucceeded | EffectUnknown | EffectReconciled, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    due = _declared(saga, effect) if effect else None
    if effect is None or event.undo is None:
        return None
    if due is None or event.undo.tool == due:
        return _unlike(saga, effect, event, event.undo, line)
    return Draft(
        f"effect {effect.id}",
        f"line {line} records {event.undo.tool} as what undoes {named(effect)}; the catalogue says that {due} does",
        f"{due} as the undo of {effect.tool}",
        (at(saga.first_line, "saga.started"), at(line, f"{event.type} {effect.id} undo {event.undo.tool}")),
    )


def _policy(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    """The catalogue may name no other undo than the given policy."""
    police: Police = saga.common.police
    spec, tool = (saga.tools or {}).get(event.tool), police.tool(event.tool, line)
    if spec is None or tool is None or tool.undo is None or spec.undo == tool.undo or event.effect in saga.effects:
        return None
    return Draft(
        f"effect {event.effect}",
        f"the catalogue (line {saga.first_line}) names {spec.undo or 'nothing'} as what undoes {event.tool} (effect "
        f"{event.effect}); the policy says that {tool.undo} does",
        f"{tool.undo} as the undo of {event.tool}",
        (at(saga.first_line, "saga.started"), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


def _intended(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or effect.semantics == "irreversible" or event.undo in saga.undos:
        return None
    if effect.undo is None:
        return _stray(saga, effect, event, line) or _unlike(saga, effect, event, event, line)
    verdict = matches(saga, effect, event.tool, known(event.args, saga.disclosures))
    return None if verdict else _mismatch(effect, effect.undo, event, line, verdict is None)


def _unlike(saga: Saga, effect: Effect, event: Any, call: Any, line: int) -> Draft | None:
    """What the policy asks of an undo of this call. call: the undo, or the inverse that an outcome recorded."""
    terms = terms_of(saga, effect.tool, effect.line)
    if terms is None or call.tool != terms.undo:
        return None
    from agent_saga.policies.cel import Undecided

    subject, witness = f"effect {effect.id}", (intent_of(effect), at(line, f"{event.type}, undo {call.tool}"))
    because = f"{call.tool} at line {line} is to undo {named(effect)}; "
    try:
        why = terms.unlike(effect.args.value(), saga.disclosures.open(call.args)[0])
    except Undecided as fault:
        why = f"whether it is what the policy asks of an undo of {effect.tool} cannot be told: {fault.words}"
        if fault.concealed:
            return withheld(subject, because + why, "disclosures of the arguments of both", witness)
    return Draft(subject, because + why, f"{call.tool} as the policy asks for it", witness) if why else None


def _mismatch(effect: Effect, recorded: Recorded, event: UndoIntended, line: int, sealed: bool) -> Draft:
    subject = f"undo {event.undo}"
    witness = at(recorded.line, f"undo of {effect.id} recorded"), at(line, f"undo.intended {event.undo} {event.tool}")
    if sealed:
        because = (
            f"whether {event.tool} ({subject}) at line {line} is the undo that {named(effect)} recorded at line "
            f"{recorded.line} cannot be told: arguments are concealed"
        )
        return withheld(subject, because, "disclosures of the arguments of both", witness)
    effect.faulted = effect.faulted or "AS208"
    what = "calls another tool" if event.tool != recorded.tool else "has other arguments"
    return Draft(
        subject,
        f"{event.tool} ({subject}) at line {line} {what} than the undo that {named(effect)} recorded at line "
        f"{recorded.line} ({recorded.tool})",
        f"{recorded.tool} with the arguments recorded at line {recorded.line}",
        witness,
    )


def _stray(saga: Saga, effect: Effect, event: UndoIntended, line: int) -> Draft | None:
    """Where no outcome recorded an inverse, the catalogue still names its tool."""
    due = _declared(saga, effect)
    if due is None or due == event.tool:
        return None
    effect.faulted = effect.faulted or "AS208"
    return Draft(
        f"undo {event.undo}",
        f"the catalogue says that {due} undoes {named(effect)}; line {line} calls {event.tool} (undo {event.undo})",
        f"{due} as the undo of {effect.tool}",
        (intent_of(effect), at(line, f"undo.intended {event.undo} {event.tool}")),
    )


def _declared(saga: Saga, effect: Effect) -> str | None:
    spec = (saga.tools or {}).get(effect.tool)
    return spec.undo if spec else None


RULE = Rule(
    code="AS208",
    name="undo-mismatch",
    what=(
        "An undo calls another tool, or has other arguments, than the effect's outcome recorded; or the outcome "
        "recorded another tool than the catalogue names; or the catalogue names another than the given policy; or the "
        "undo is not what the policy says that it must be."
    ),
    why="A refund of another charge leaves this one in force and robs somebody else.",
    bad="""\
effect.succeeded e1 undo payments.refund {"charge":"ch_1"}
undo.intended u1 payments.refund {"charge":"ch_2"}
""",
    good="""\
effect.succeeded e1 undo payments.refund {"charge":"ch_1"}
undo.intended u1 payments.refund {"charge":"ch_1"}
""",
    fix=("Make the undo from the recorded call and nothing else; then undo the right effect and repair the wrong one."),
    on={
        "effect.intended": _policy,
        "effect.succeeded": _recorded,
        "effect.unknown": _recorded,
        "effect.reconciled": _recorded,
        "undo.intended": _intended,
    },
    only_after={"effect.intended": (POLICY,)},
)
