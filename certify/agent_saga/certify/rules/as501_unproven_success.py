"""AS501 unproven-success."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of


def _check(saga: Saga) -> tuple[Draft, ...]:
    if saga.proven or saga.ended is None or saga.ended.status != "succeeded_verified":
        return ()
    line, passed = saga.last_check
    if line and not passed:
        found, duty = f"its last check, at line {line}, did not pass", at(line, "check.evaluated, not passed")
    elif saga.last_undone > saga.last_outcome:
        found = f"no check passed after its last undo took (line {saga.last_undone})"
        duty = at(saga.last_undone, "the last undo took")
    elif saga.last_outcome:
        found = f"no check passed after its last effect (line {saga.last_outcome})"
        duty = at(saga.last_outcome, "outcome of the last effect")
    else:
        found, duty = "no check passed", None
    because = f"saga {saga.id} claims succeeded_verified at line {saga.ended_line}, but {found}"
    expected = "check.evaluated passed, after the last effect or undo and before saga.ended"
    return (Draft("saga", because, expected, ((duty,) if duty else ()) + (end_of(saga),)),)


RULE = Rule(
    code="AS501",
    name="unproven-success",
    what=(
        "The saga claims a verified success, and no check after its last effect, or its last undo, shows that the "
        "goal holds."
    ),
    why=(
        "That every call returned does not mean that the order arrived. The claim is compared "
        "with the proof, never believed."
    ),
    bad="""\
effect.succeeded e1
saga.ended succeeded_verified
""",
    good="""\
effect.succeeded e1
check.evaluated c1 passed
saga.ended succeeded_verified
""",
    fix=("Read the goal back from the provider after the last effect, and write the result as a check."),
    at_end=_check,
    needs=("saga.ended",),
)
