"""AS405 weaker-semantics-than-policy."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.statute import Statute
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    spec = (saga.tools or {}).get(event.tool)
    if spec is None or spec.semantics == event.semantics:
        return _by_policy(saga, event, line)
    return Draft(
        f"effect {event.effect}",
        f"line {line} calls {event.tool} (effect {event.effect}) {event.semantics}; the catalogue (line "
        f"{saga.first_line}) declares it {spec.semantics}",
        f"semantics {spec.semantics}",
        (at(saga.first_line, "saga.started"), at(line, f"effect.intended {event.effect} {event.semantics}")),
    )


def _by_policy(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    statute: Statute | None = saga.common.police.at(line)
    tool = statute.tool(event.tool) if statute else None
    if saga.foreign or statute is None or tool is None or tool.semantics == event.semantics:
        return None
    return Draft(
        f"effect {event.effect}",
        f"line {line} calls {event.tool} (effect {event.effect}) {event.semantics}; {statute.named} has it "
        f"{tool.semantics}",
        f"semantics {tool.semantics}",
        (at(line, f"effect.intended {event.effect} {event.semantics}"),),
    )


RULE = Rule(
    code="AS405",
    name="weaker-semantics-than-policy",
    what="An effect claims another class than the catalogue, or the given policy, has for its tool.",
    why=("A wire that is called compensable needs no approval. The class decides what must be proven."),
    bad="""\
saga.started tools {bank.wire: irreversible}
effect.intended e1 bank.wire compensable
""",
    good="""\
saga.started tools {bank.wire: irreversible}
effect.intended e1 bank.wire irreversible
""",
    fix="Take the class from the registered tool, never from the call.",
    on={"effect.intended": _check},
    needs=("catalogue",),
)
