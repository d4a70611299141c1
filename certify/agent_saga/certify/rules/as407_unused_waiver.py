"""AS407 unused-waiver."""

from agent_saga.certify.findings import Severity
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS407",
    name="unused-waiver",
    severity=Severity.NOTE,
    what="A waiver let no call pass in any input. A note.",
    why="An exception that nobody needs any more is an open door.",
    bad="""\
waiver W-3 of daily-spend
no call beyond daily-spend
""",
    good="""\
waiver W-3 of daily-spend
effect.intended e1, beyond daily-spend
""",
    fix="Remove the waiver.",
    needs=("policy",),
)
