"""AS214 effect-after-rollback."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import told_to_roll_back
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    barrier = saga.rollback or saga.back or saga.stopped
    if not barrier or event.semantics == "preview":
        return None
    for_good = bool(saga.rollback or saga.back)
    what = told_to_roll_back(saga) if for_good else "the saga was halted or escalated"
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) was started at line {line}, after {what} at line {barrier}",
        "no forward effect after that line" + ("" if for_good else " until a person decides"),
        (at(barrier, what), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


RULE = Rule(
    code="AS214",
    name="effect-after-rollback",
    what=("A forward effect is started after the rollback began, a person decided on it, or the saga was halted."),
    why="Who rolls back has given up the goal. A new effect then has no plan that would undo it.",
    bad="""\
rollback.started
effect.intended e3
""",
    good="""\
effect.intended e3
rollback.started
""",
    fix="Check the barrier in the runtime's gate, in one transaction with the intent.",
    on={"effect.intended": _check},
    only_after={"effect.intended": ("rollback.started", "saga.halted", "saga.escalated", "person.decided")},
    needs=("rollback.started", "saga.halted", "saga.escalated"),
)
