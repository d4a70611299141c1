"""AS406 expired-waiver."""

from collections.abc import Iterator

from agent_saga.certify.policing.gathered import lapsed_draft
from agent_saga.certify.policing.police import Ruling
from agent_saga.certify.rule import Draft, Rule


def _check(ruling: Ruling) -> Iterator[Draft]:
    event = ruling.event
    for waiver, rule in ruling.lapsed:
        yield lapsed_draft(waiver, rule, ruling.line, f"{event.tool} (effect {event.effect})")


RULE = Rule(
    code="AS406",
    name="expired-waiver",
    what=(
        "A waiver lifts nothing: its last day was before the call, or its first day after; the log had revoked the key "
        "that signed it, or says that it was in other hands by then; or it is malformed, not signed, signed by another "
        "person than its approver, or of a rule that no waiver lifts."
    ),
    why="An exception for one migration must not become the rule, and nobody waives a rule for himself.",
    bad="""\
waiver W-3 of daily-spend expires 2026-01-04
at 2026-01-05 effect.intended e1, beyond daily-spend
""",
    good="""\
waiver W-3 of daily-spend expires 2026-01-05
at 2026-01-05 effect.intended e1, beyond daily-spend
""",
    fix="Remove it, or let its approver sign a new one for the days that are needed.",
    on_call=_check,
    needs=("policy",),
)
