"""AS503 never-ended."""

from collections.abc import Iterator

from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at, last_of
from agent_saga.certify.words import named
from agent_saga.trace.limits import LOG_SAGA


def _check(saga: Saga) -> Iterator[Draft]:
    if saga.waits or saga.id == LOG_SAGA:
        return
    held = _held([effect for effect in saga.effects.values() if effect.in_force])
    first = at(saga.first_line, "first line")
    yield Draft(
        "saga",
        f"saga {saga.id} has no end: it stops at line {saga.last_line} with {saga.last_type}{held}",
        "saga.ended, or saga.paused if it waits for a person",
        (first, last_of(saga)) if saga.first_line != saga.last_line else (last_of(saga),),
    )


def _held(force: list[Effect]) -> str:
    if not force:
        return ""
    more = f" and {len(force) - 1} more" if len(force) > 1 else ""
    return f", while {named(force[0])}{more} {'are' if more else 'is'} in force or may be"


RULE = Rule(
    code="AS503",
    name="never-ended",
    what="A saga neither ended nor waits for a person where the trace stops.",
    why=("Its process may have crashed between a charge and its refund. Nothing unfinished is ever green."),
    bad="""\
effect.succeeded e1
(end of the trace)
""",
    good="""\
effect.succeeded e1
check.evaluated c1 passed
saga.ended succeeded_verified
""",
    fix=(
        "Recover the saga (it will go on or roll back) and certify again. For a store that is in "
        "use: --open=inconclusive."
    ),
    at_open=_check,
)
