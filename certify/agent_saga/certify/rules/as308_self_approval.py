"""AS308 self-approval."""

from agent_saga.certify.approving.telling import told_by
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS308",
    name="self-approval",
    what="The proposer of an action, or the owner of the agent that proposed it, approved it.",
    why=("Four eyes are the point. There is no exemption for administrators."),
    bad="""\
step.proposed s1 by agent:buyer, whose owner is p-dan
approval.recorded s1 approve by p-dan
""",
    good="""\
step.proposed s1 by agent:buyer, whose owner is p-dan
approval.recorded s1 approve by p-ana
""",
    fix=("Let another person approve; the registry says who owns which agent."),
    on_answer=told_by(
        "AS308",
        "is by the one who proposed it",
        "an approval by somebody who neither is nor owns the agent",
    ),
    needs=("approval.recorded",),
)
