"""AS506 refused-but-ran."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    refused = saga.refused.get(event.step)
    if not refused:
        return None
    again = "was tried again" if event.effect in saga.effects else "ran"
    return Draft(
        f"effect {event.effect}",
        f"step {event.step} was refused or denied at line {refused}, and {event.tool} (effect {event.effect}) {again} "
        f"at line {line}",
        "no effect of a refused step; a new proposal instead",
        (at(refused, f"step {event.step} refused"), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


RULE = Rule(
    code="AS506",
    name="refused-but-ran",
    what="A step that was refused, or that a person denied, ran or was tried again all the same.",
    why="The gate said no. If the call is made anyhow, there is no gate.",
    bad="""\
step.refused s1
effect.intended e1 step s1
""",
    good="""\
step.refused s1
step.proposed s2
effect.intended e1 step s2
""",
    fix="Stop the runtime that ignores its gate; treat the effect as unauthorised and undo it.",
    on={"effect.intended": _check},
    only_after={"effect.intended": ("step.refused", "approval.recorded")},
    needs=("step.refused", "approval.recorded"),
)
