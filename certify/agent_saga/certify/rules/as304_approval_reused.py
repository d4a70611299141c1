"""AS304 approval-reused."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS304",
    name="approval-reused",
    what="One approval serves two effects.",
    why=("A person said yes once. The second wire on the same yes is one that nobody approved."),
    bad="""\
approval.recorded s1
effect.intended e1 approvals [that leaf]
effect.intended e2 approvals [that leaf]
""",
    good="""\
approval.recorded s1
effect.intended e1 approvals [that leaf]
effect.intended e1 attempt 2, under the same key
""",
    fix=("Burn an approval durably, by naming it in effect.intended, before the call is made."),
    needs=("approval.recorded",),
)
