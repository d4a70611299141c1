"""AS505 choice-not-allowed."""

from agent_saga.certify.compare import known, same
from agent_saga.certify.history import Saga, Step
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended, StepProposed


def _proposed(saga: Saga, event: StepProposed, line: int) -> Draft | None:
    if event.choice is None or event.options is None:
        return None
    chosen = [option for option in event.options if option.id == event.choice]
    if len(chosen) == 1 and chosen[0].tool == event.tool:
        return None
    return Draft(
        f"step {event.step}",
        f"step {event.step} at line {line} runs {event.tool} as choice {event.choice}, which is not that option",
        "the tool of exactly one offered option",
        (at(line, f"step.proposed {event.step} {event.tool}"),),
    )


def _intended(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if event.effect in saga.effects:
        return None
    step = saga.steps.get(event.step)
    found = _wrong(saga, step, event)
    if found is None:
        return None
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) at line {line} {found}",
        "effect.intended with the tool and arguments of its step.proposed, the tool among allowed",
        ((at(step.line, f"step.proposed {event.step} {step.tool}"),) if step else ())
        + (at(line, f"effect.intended {event.effect} {event.tool}"),),
    )


def _wrong(saga: Saga, step: Step | None, event: EffectIntended) -> str | None:
    if step is None:
        return f"belongs to step {event.step}, which was never proposed"
    if event.tool not in step.allowed:
        return f"is not among the tools allowed at line {step.line}: {', '.join(step.allowed[:5]) or 'none'}"
    if event.tool != step.tool:
        return f"is not what step {event.step} proposed ({step.tool}, line {step.line})"
    if same(step.args, known(event.args, saga.disclosures)) is False:
        return f"has other arguments than step {event.step} proposed at line {step.line}"
    return None


RULE = Rule(
    code="AS505",
    name="choice-not-allowed",
    what="A step ran that the agent was not allowed to choose, or that is not what it chose.",
    why="The list of allowed tools is the fence. What runs outside it was decided by nobody.",
    bad="""\
step.proposed s1 allowed [stock.reserve]
effect.intended e1 step s1 bank.wire
""",
    good="""\
step.proposed s1 allowed [stock.reserve, bank.wire] tool bank.wire
effect.intended e1 step s1 bank.wire
""",
    fix="Build the call from the accepted proposal and nothing else.",
    on={"step.proposed": _proposed, "effect.intended": _intended},
)
