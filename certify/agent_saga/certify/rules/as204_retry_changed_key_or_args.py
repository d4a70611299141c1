"""AS204 retry-changed-key-or-args."""

from agent_saga.certify.history.compare import known, money, same
from agent_saga.certify.history.effects import Call
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at, withheld
from agent_saga.certify.words import intent_of, kind_of, named
from agent_saga.trace.events import EffectIntended, UndoIntended


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    return _retry(saga, saga.effects.get(event.effect), event, line)


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    return _retry(saga, saga.undos.get(event.undo), event, line)


def _retry(saga: Saga, call: Call | None, event: EffectIntended | UndoIntended, line: int) -> Draft | None:
    if call is None or event.attempt <= call.highest:
        return None  # AS102: an id or attempt that was there
    changed, sealed = _changed(saga, call, event)
    if not (changed or sealed):
        return None
    subject = f"{kind_of(call)} {call.id}"
    retry = f"attempt {event.attempt} of {named(call)} at line {line} is a retry"
    witness = intent_of(call), at(line, f"{event.type} {call.id} attempt {event.attempt}")
    if changed:
        expected = f"the key, tool, arguments and amount of line {call.line}"
        return Draft(subject, f"{retry} with {changed} than attempt 1 at line {call.line}", expected, witness)
    because = f"{retry}, and whether it repeats line {call.line} cannot be told: arguments or amounts are concealed"
    return withheld(subject, because, "disclosures of what both lines conceal", witness)


def _changed(saga: Saga, call: Call, event: EffectIntended | UndoIntended) -> tuple[str, bool]:
    """What differs from the first attempt, in words; and whether a sealed value leaves that open."""
    equal = same(call.args, known(event.args, saga.disclosures))
    amount = money(event.amount, saga.disclosures)
    sealed = amount is False or call.amount is False
    if event.key != call.key:
        return "another idempotency key", False
    if event.tool != call.tool:
        return f"another tool ({event.tool})", False
    if equal is False:
        return "other arguments", False
    if amount != call.amount and not (sealed and amount is not None and call.amount is not None):
        return "another amount", False
    return "", equal is None or sealed


RULE = Rule(
    code="AS204",
    name="retry-changed-key-or-args",
    what="A retry has another idempotency key, tool, arguments or amount than the first attempt.",
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
        "Keep one random key for all attempts of one effect; give a changed call a new effect id and its own proposal."
    ),
    on={"effect.intended": _effect, "undo.intended": _undo},
    only_after={"effect.intended": ("effect.intended",), "undo.intended": ("undo.intended",)},
    needs=("retry",),
)
