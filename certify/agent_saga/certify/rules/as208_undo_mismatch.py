"""AS208 undo-mismatch."""

from agent_saga.certify.compare import known
from agent_saga.certify.history import Effect, Saga
from agent_saga.certify.matching import matches
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import intent_of, named
from agent_saga.trace.events import UndoIntended


def _check(saga: Saga, event: UndoIntended, line: int) -> Draft | None:
    effect = saga.effects.get(event.effect)
    if effect is None or effect.undo is None or effect.semantics == "irreversible" or event.undo in saga.undos:
        return None
    verdict = matches(saga, effect, event.tool, known(event.args, saga.disclosures))
    if verdict:
        return _catalogue(saga, effect, event, line)
    effect.faulted = effect.faulted or verdict is False
    differs = "tool" if event.tool != effect.undo.tool else "arguments"
    verb = "cannot be compared, they are concealed" if verdict is None else "differ" if differs == "arguments" else "differs"
    return Draft(
        f"undo {event.undo}",
        f"{event.tool} (undo {event.undo}) at line {line} is not the undo that {named(effect)} recorded at line "
        f"{effect.undo.line} ({effect.undo.tool}): its {differs} {verb}",
        f"{effect.undo.tool} with the arguments recorded at line {effect.undo.line}",
        (at(effect.undo.line, f"undo of {effect.id} recorded"), at(line, f"undo.intended {event.undo} {event.tool}")),
        inconclusive=verdict is None,
    )


def _catalogue(saga: Saga, effect: Effect, event: UndoIntended, line: int) -> Draft | None:
    spec = (saga.tools or {}).get(effect.tool)
    if spec is None or spec.undo is None or spec.undo == event.tool:
        return None
    effect.faulted = True
    return Draft(
        f"undo {event.undo}",
        f"the catalogue says that {spec.undo} undoes {named(effect)}; line {line} calls {event.tool}",
        f"{spec.undo} as the undo of {effect.tool}",
        (intent_of(effect), at(line, f"undo.intended {event.undo} {event.tool}")),
    )


RULE = Rule(
    code="AS208",
    name="undo-mismatch",
    what="An undo calls another tool, or has other arguments, than the effect's outcome recorded.",
    why="A refund of another charge leaves this one in force and robs somebody else.",
    bad="""\
effect.succeeded e1 undo payments.refund {"charge":"ch_1"}
undo.intended u1 payments.refund {"charge":"ch_2"}
""",
    good="""\
effect.succeeded e1 undo payments.refund {"charge":"ch_1"}
undo.intended u1 payments.refund {"charge":"ch_1"}
""",
    fix=(
        "Make the undo from the recorded call and nothing else; then undo the right effect and "
        "repair the wrong one."
    ),
    on={"undo.intended": _check},
)
