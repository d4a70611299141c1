"""AS108 clock-went-back."""

from agent_saga.certify.findings import Severity
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    """Keep the first jump: how heavy it weighs is known only at the end, since an approval may yet come."""
    if saga.lines and event.at < saga.at and saga.jump is None:
        because = f"line {line} is dated {event.at}, before line {saga.last_line}, which it follows ({saga.at})"
        witness = at(saga.last_line, saga.last_type), at(line, event.type)
        saga.jump = Draft("clock", because, f"a time at or after {saga.at}", witness)
    return None


def _end(saga: Saga) -> tuple[Draft, ...]:
    if saga.jump is None:
        return ()
    return (saga.jump._replace(severity=Severity.ERROR if saga.answers or saga.requested else None),)


RULE = Rule(
    code="AS108",
    name="clock-went-back",
    severity=Severity.WARNING,
    what="A line is dated before the line it follows. A warning; an error in a saga that asks for approvals.",
    why=(
        "Order comes from seq, so nothing is out of order; but a clock that jumps makes every "
        "time in the saga doubtful, and approvals have time limits."
    ),
    bad="""\
at 10:00:05
at 10:00:01
""",
    good="""\
at 10:00:05
at 10:00:05
""",
    fix="Check the clock of the machine that wrote the log (NTP, virtual machine pauses).",
    on_chain=_check,
    at_end=_end,
    at_open=_end,
)
