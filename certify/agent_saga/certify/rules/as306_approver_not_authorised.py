"""AS306 approver-not-authorised."""

from agent_saga.certify.approving.telling import told_by
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS306",
    name="approver-not-authorised",
    what="An approval is by somebody unknown, without the role, or with a key outside its window or revoked before.",
    why=(
        "A signature shows who signed, not that they were entitled to. Revocation counts by the "
        "order of the log: no clock can bring a revoked key back."
    ),
    bad="""\
keys.revoked ana-1
effect.intended e1 approvals [signed with ana-1]
""",
    good="""\
effect.intended e1 approvals [signed with ana-1]
keys.revoked ana-1
""",
    fix=("Ask a person who has the role; enrol or renew keys with `agent-saga approvals enroll`."),
    on_answer=told_by(
        "AS306",
        "is by nobody who may approve it",
        "an approval by a person of the asked roles, with a key that is enrolled, in its window and not revoked",
    ),
    needs=("approval.recorded",),
)
