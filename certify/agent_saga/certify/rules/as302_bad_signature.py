"""AS302 bad-signature."""

from agent_saga.certify.approving.telling import told_by
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS302",
    name="bad-signature",
    what="An approval carries a signature that does not verify, or says something else than was signed.",
    why=("Whoever writes the log can write a signature too. Only one that verifies shows that the person gave it."),
    bad="""\
approval.recorded s1 approve by p-ana, signed by another key
effect.intended e1 approvals [that leaf]
""",
    good="""\
approval.recorded s1 approve by p-ana, signed by a key of p-ana
effect.intended e1 approvals [that leaf]
""",
    fix=(
        "Find out who wrote the line. A runtime that verifies before it acts never records such an "
        "approval as one that counts."
    ),
    on_answer=told_by(
        "AS302",
        "carries no signature of that person over it",
        "a signature that verifies, made by the person whom the line names",
    ),
    needs=("approval.recorded",),
)
