"""AS403 limit-exceeded."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS403",
    name="limit-exceeded",
    what=(
        "A call went beyond a limit of the policy: a budget or a rate over a window of time, counted over all sagas of "
        "the log; and it had not the approval that the limit asks for then."
    ),
    why="Each call alone looks harmless. A stolen agent makes a thousand small ones.",
    bad="""\
policy: at most EUR 50.00 a customer in 24 hours
saga A: effect.intended e1 payments.charge EUR 42.00
saga B: effect.intended e1 payments.charge EUR 42.00
""",
    good="""\
policy: at most EUR 50.00 a customer in 24 hours
saga A: effect.intended e1 payments.charge EUR 42.00
two days later, saga B: effect.intended e1 payments.charge EUR 42.00
""",
    fix="Let every process that makes calls take from one store's budget before each call.",
    needs=("policy",),
)
