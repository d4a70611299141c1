"""AS404 undeclared-tool."""

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if saga.tools is None or event.tool in saga.tools:
        return None
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) at line {line} is not in the catalogue of saga.started",
        "a tool that the saga declared: " + (", ".join(sorted(saga.tools)[:5]) or "it declared none"),
        (at(saga.first_line, "saga.started"), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


RULE = Rule(
    code="AS404",
    name="undeclared-tool",
    what="A tool was called that the saga's catalogue does not declare.",
    why="What is not declared has no class and no undo, so nobody can say what its effect is.",
    bad="""\
saga.started tools {payments.charge}
effect.intended e1 bank.wire
""",
    good="""\
saga.started tools {payments.charge, bank.wire}
effect.intended e1 bank.wire
""",
    fix="Register the tool with its semantics and undo before the saga starts.",
    on={"effect.intended": _check},
    needs=("catalogue",),
)
