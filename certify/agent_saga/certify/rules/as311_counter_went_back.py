"""AS311 counter-went-back."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS311",
    name="counter-went-back",
    what="The counter of a security key did not grow from one signature to the next.",
    why=(
        "A counter that stands still or goes back is the sign of a copied key: an alarm, although "
        "each signature verifies."
    ),
    bad="""\
approval.recorded s1, counter 8
approval.recorded s2, counter 7
""",
    good="""\
approval.recorded s1, counter 7
approval.recorded s2, counter 8
""",
    fix=("Ask the holder whether the key is still in their hands; revoke it when in doubt."),
    needs=("approval.recorded",),
)
