"""AS204 retry-changed-key-or-args."""

from agent_saga.certify.compare import known, same
from agent_saga.certify.history import Call, Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import EffectIntended, UndoIntended


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    return _retry(saga, saga.effects.get(event.effect), event, line)


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    return _retry(saga, saga.undos.get(event.undo), event, line)


def _retry(saga: Saga, call: Call | None, event: EffectIntended | UndoIntended, line: int) -> Draft | None:
    if call is None:
        return None
    equal = same(call.args, known(event.args, saga.disclosures))
    if event.key == call.key and event.tool == call.tool and equal:
        return None
    changed = "idempotency key" if event.key != call.key else "tool" if event.tool != call.tool else "arguments"
    sealed = event.key == call.key and event.tool == call.tool and equal is None
    verb = "cannot be compared, they are concealed" if sealed else "changed"
    return Draft(
        f"{event.type.split('.')[0]} {call.id}",
        f"attempt {event.attempt} of {named(call)} at line {line} is a retry, but its {changed} {verb}",
        f"the key, tool and arguments of line {call.line}",
        (intent_of(call), at(line, f"{event.type} {call.id} attempt {event.attempt}")),
        inconclusive=sealed,
    )


RULE = Rule(
    code="AS204",
    name="retry-changed-key-or-args",
    what="A retry has another idempotency key, tool or arguments than the first attempt.",
    why=(
        "The key is what lets the provider see that two calls are one. With another key a retry "
        "after a lost reply charges twice; with other arguments it is another act."
    ),
    bad="""\
effect.intended e1 attempt 1 key k1
effect.intended e1 attempt 2 key k2
""",
    good="""\
effect.intended e1 attempt 1 key k1
effect.failed e1 attempt 1
effect.intended e1 attempt 2 key k1
""",
    fix=(
        "Keep one random key for all attempts of one effect; give a changed call a new effect id "
        "and its own proposal."
    ),
    on={"effect.intended": _effect, "undo.intended": _undo},
    needs=("retry",),
)
