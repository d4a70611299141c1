"""AS215 irreversible-before-pivot."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended
from agent_saga.trace.forms import proposes


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if saga.pivot is None or event.semantics != "irreversible" or proposes(event.step, saga.pivot):
        return None
    if saga.pivots or event.effect in saga.effects:
        return None
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) cannot be undone and was started at line {line}, before the pivot, step "
        f"{saga.pivot}, was done",
        f"an effect of step {saga.pivot} in place before any irreversible effect",
        (
            at(saga.first_line, f"saga.started pivot {saga.pivot}"),
            at(line, f"effect.intended {event.effect} {event.tool}"),
        ),
    )


RULE = Rule(
    code="AS215",
    name="irreversible-before-pivot",
    what=("An irreversible effect comes before the step that the saga declared as its point of no return."),
    why="Before the pivot the saga may still have to be rolled back, and this effect cannot be.",
    bad="""\
saga.started pivot s3
effect.intended e1 step s1 irreversible
""",
    good="""\
saga.started pivot s3
effect.succeeded e3 step s3
effect.intended e4 step s4 irreversible
""",
    fix="Reorder the steps: what can be undone first, then the pivot, then what cannot.",
    on={"effect.intended": _check},
    needs=("pivot",),
)
