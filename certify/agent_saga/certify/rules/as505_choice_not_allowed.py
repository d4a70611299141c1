"""AS505 choice-not-allowed."""

from agent_saga.certify.history.compare import Known, known, same
from agent_saga.certify.history.saga import Saga, Step
from agent_saga.certify.rule import Draft, Rule, at, withheld
from agent_saga.certify.words import some
from agent_saga.trace.events import EffectIntended, StepProposed


def _proposed(saga: Saga, event: StepProposed, line: int) -> Draft | None:
    if event.choice is None:
        return None
    chosen = [option for option in event.options or () if option.id == event.choice]
    subject, witness = f"step {event.step}", (at(line, f"step.proposed {event.step} {event.tool}"),)
    if len(chosen) == 1 and chosen[0].tool == event.tool:
        equal = same(known(chosen[0].args, saga.disclosures), known(event.args, saga.disclosures))
        if equal:
            return None
        if equal is None:
            question = f"whether step {event.step} at line {line} is its choice {event.choice}"
            because = f"{question} cannot be told: arguments are concealed"
            return withheld(subject, because, "disclosures of the arguments of both", witness)
    return Draft(
        subject,
        f"step {event.step} at line {line} proposes {event.tool} as its choice {event.choice}, which "
        + _offer(len(chosen)),
        "the tool and arguments of exactly one option on the same line",
        witness,
    )


def _offer(chosen: int) -> str:
    if chosen == 1:
        return "offers another tool or other arguments"
    return "stands among the options twice" if chosen else "is none of the options"


def _intended(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if event.effect in saga.effects:
        return None
    step = saga.steps.get(event.step)
    if step and event.tool == step.tool and event.tool in step.allowed and step.args.says(event.args):
        return None
    args = known(event.args, saga.disclosures)
    witness = ((at(step.line, f"step.proposed {event.step} {step.tool}"),) if step else ()) + (
        at(line, f"effect.intended {event.effect} {event.tool}"),
    )
    found = _wrong(step, event, args)
    subject, what = f"effect {event.effect}", f"{event.tool} (effect {event.effect}) at line {line}"
    if found:
        expected = "effect.intended with the tool and arguments of its step.proposed, the tool among allowed"
        return Draft(subject, f"{what} {found}", expected, witness)
    if step is None or same(step.args, args) is not None:
        return None
    because = f"whether {what} has the arguments that step {event.step} proposed cannot be told: they are concealed"
    return withheld(subject, because, "disclosures of the arguments of both", witness)


def _wrong(step: Step | None, event: EffectIntended, args: Known) -> str:
    if step is None:
        return f"belongs to step {event.step}, which was never proposed"
    if event.tool not in step.allowed:
        return f"is not among the tools allowed at line {step.line}: {some(step.allowed)}"
    if event.tool != step.tool:
        return f"is not what step {event.step} proposed ({step.tool}, line {step.line})"
    if same(step.args, args) is False:
        return f"has other arguments than step {event.step} proposed at line {step.line}"
    return ""


RULE = Rule(
    code="AS505",
    name="choice-not-allowed",
    what="A step ran that the agent was not allowed to choose, or that is not what it proposed or chose.",
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
