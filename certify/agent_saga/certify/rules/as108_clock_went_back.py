"""AS108 clock-went-back."""

from agent_saga.certify.history import Saga
from agent_saga.certify.findings import Severity
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    if not saga.lines or event.at >= saga.at:
        return None
    approvals = bool(saga.approvals or saga.requested)
    return Draft(
        "clock",
        f"line {line} is dated {event.at}, before the line it follows ({saga.at})",
        "a time at or after that of the saga's previous line",
        (at(saga.last_line, saga.last_type), at(line, event.type)),
        severity=Severity.ERROR if approvals else None,
    )


RULE = Rule(
    code="AS108",
    name="clock-went-back",
    severity=Severity.WARNING,
    what="A line is dated before the line it follows.",
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
)
