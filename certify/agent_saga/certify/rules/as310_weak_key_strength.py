"""AS310 weak-key-strength."""

from agent_saga.certify.approving.telling import told_by
from agent_saga.certify.findings import Severity
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS310",
    name="weak-key-strength",
    severity=Severity.WARNING,
    what="An approval was signed with a weaker key than was asked for; it does not count for the quorum.",
    why=(
        "A software key can be copied, and a touch without a PIN can be anybody's. Without enough "
        "other approvals AS305 says that the quorum is not met."
    ),
    bad="""\
approval.requested s1 strength C
approval.recorded s1 approve, signed by a software key
""",
    good="""\
approval.requested s1 strength C
approval.recorded s1 approve, signed by a hardware key
""",
    fix=("Enrol hardware keys with their attestation, and sign with a PIN."),
    on_answer=told_by(
        "AS310",
        "is of a weaker key than was asked for, so it does not count",
        "a signature of the asked strength: attested, with PIN or biometry",
    ),
    needs=("approval.recorded",),
)
