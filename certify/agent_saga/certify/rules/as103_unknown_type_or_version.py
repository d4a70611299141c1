"""AS103 unknown-type-or-version."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import SagaStarted
from agent_saga.trace.limits import FORMAT, MINOR, VERSION


def _check(saga: Saga, event: SagaStarted, line: int) -> Draft | None:
    if event.format == FORMAT:
        return None
    major, minor = map(int, event.format.split("."))
    if major == VERSION and minor <= MINOR:
        return None
    return Draft(
        "format",
        f"saga {saga.id} is written in trace format {event.format}; this release reads up to {FORMAT}",
        f"format {FORMAT} or earlier, or an agent-saga release that reads {event.format}",
        (at(line, f"saga.started format {event.format}"),),
    )


RULE = Rule(
    code="AS103",
    name="unknown-type-or-version",
    what="A line has a version or a type that this release does not know.",
    why="What is not understood cannot be judged, and what cannot be judged is never green.",
    bad='{"v":1,...,"type":"effect.done",...}',
    good='{"v":1,...,"type":"effect.succeeded",...}',
    fix="Upgrade agent-saga if the trace is newer than it; otherwise fix the writer.",
    on={"saga.started": _check},
)
