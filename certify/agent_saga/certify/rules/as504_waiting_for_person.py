"""AS504 waiting-for-person."""

from collections.abc import Iterator

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import some


def _check(saga: Saga) -> Iterator[Draft]:
    if not saga.waits:
        return
    if saga.paused:
        what, about = "saga.paused", f", about {some(saga.waiting)}" if saga.waiting else ""
    elif saga.stopped:
        what, about = "saga.halted or saga.escalated", ""
    else:
        what, about = "approval.requested", f", about {some(f'step {step}' for step in saga.requested)}"
    yield Draft(
        "saga",
        f"saga {saga.id} has waited for a person since line {saga.waits} ({what}){about}",
        "approval.recorded, then saga.ended" if what.startswith("approval") else "person.decided, then saga.ended",
        (at(saga.waits, what),),
    )


RULE = Rule(
    code="AS504",
    name="waiting-for-person",
    what="A saga waits for a person's decision or approval.",
    why="Until somebody decides, what it did is neither complete nor undone.",
    bad="""\
saga.paused waiting [u1]
(end of the trace)
""",
    good="""\
saga.paused waiting [u1]
person.decided u1 landed
saga.ended compensated_verified
""",
    fix=(
        "Decide: look at the named effects with the provider, and record a signed decision. For a "
        "store in use: --open=inconclusive."
    ),
    at_open=_check,
    needs=("saga.paused", "saga.halted", "saga.escalated", "approval.requested"),
)
