"""AS307 late-or-expired-approval."""

from agent_saga.certify.approving.telling import told_by
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS307",
    name="late-or-expired-approval",
    what="An approval was used outside the time for which it was given.",
    why=(
        "A yes is about now. What was right this morning may be a fraud tonight. Times are those "
        "of the operator's clock, and the report says so."
    ),
    bad="""\
approval.recorded s1 not after 09:10
at 09:12 effect.intended e1 approvals [that leaf]
""",
    good="""\
approval.recorded s1 not after 09:10
at 09:09 effect.intended e1 approvals [that leaf]
""",
    fix=("Ask again when an approval has expired; let the executor compare the times before the call."),
    on_answer=told_by(
        "AS307",
        "was not valid when it was used",
        "an intent between issued_at and not_after of the request; fifteen minutes for what is irreversible",
    ),
    needs=("approval.recorded",),
)
