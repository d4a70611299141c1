"""AS216 dirty-read."""

from agent_saga.certify.findings import Severity
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS216",
    name="dirty-read",
    severity=Severity.WARNING,
    what="A saga relies on an effect of another saga that was undone, and did not undo its own.",
    why=(
        "What it decided and did rests on something that no longer is: a ticket sold against a "
        "payment that was refunded."
    ),
    bad="""\
effect.intended e7 reads [{saga A, effect e1}]
saga A: undo.succeeded of e1
""",
    good="""\
effect.intended e7 reads [{saga A, effect e1}]
saga A: saga.ended succeeded_verified
""",
    fix="Look whether the reading saga's effects still make sense; undo them if not.",
    needs=("reads",),
)
