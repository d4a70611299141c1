"""AS504 waiting-for-person."""

from collections.abc import Iterator

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at


def _check(saga: Saga) -> Iterator[Draft]:
    if not saga.waits:
        return
    what = "saga.paused" if saga.paused else "saga halted or escalated" if saga.stopped else "approval.requested"
    about = f" about {', '.join(saga.waiting)}" if saga.waiting else ""
    yield Draft(
        "saga",
        f"saga {saga.id} has waited for a person since line {saga.waits} ({what}){about}",
        "person.decided, or approval.recorded, and then saga.ended",
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
