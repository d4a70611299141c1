"""AS404 undeclared-tool."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.statute import Statute
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import some
from agent_saga.trace.events import EffectIntended, UndoIntended


def _effect(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if saga.tools is None:
        return None
    if event.tool not in saga.tools:
        return _undeclared(saga, f"effect {event.effect}", event, line)
    return _unknown(saga.common.police.at(line), f"effect {event.effect}", event, line)


def _undo(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    """A tool that the catalogue names as somebody's undo is declared enough."""
    if saga.tools is None:
        return None
    effect = saga.effects.get(event.effect)
    if event.tool in saga.tools:
        statute: Statute | None = saga.common.police.at(line)
        rule = statute.tool(effect.tool) if statute and effect else None
        known = rule is None or rule.undo is not None
        return None if known else _unknown(statute, f"undo {event.undo}", event, line)
    spec = saga.tools.get(effect.tool) if effect else None
    if effect is None or spec is None or spec.undo is not None:
        return None  # AS211, AS404 of the effect, AS208
    return _undeclared(saga, f"undo {event.undo}", event, line)


def _undeclared(saga: Saga, subject: str, event: EffectIntended | UndoIntended, line: int) -> Draft:
    return Draft(
        subject,
        f"{event.tool} ({subject}) at line {line} is not in the catalogue of saga.started (line {saga.first_line})",
        f"a tool that the saga declared: {some(sorted(saga.tools or ()), 'it declared none')}",
        (at(saga.first_line, "saga.started"), at(line, f"{event.type} {event.tool}")),
    )


def _unknown(statute: Statute | None, subject: str, event: EffectIntended | UndoIntended, line: int) -> Draft | None:
    if statute is None or statute.tool(event.tool):
        return None
    return Draft(
        subject,
        f"{event.tool} ({subject}) at line {line} is no tool of {statute.named}",
        f"a tool of the policy: {some(sorted(statute.policy.tools), 'it declares none')}",
        (at(line, f"{event.type} {event.tool}"),),
    )


RULE = Rule(
    code="AS404",
    name="undeclared-tool",
    what="A tool was called, forward or as an undo, that the saga's catalogue or the given policy does not declare.",
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
    on={"effect.intended": _effect, "undo.intended": _undo},
    needs=("catalogue",),
)
