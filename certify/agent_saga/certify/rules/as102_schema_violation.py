"""AS102 schema-violation."""

from agent_saga.certify.members.conformance import CHECKS
from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS102",
    name="schema-violation",
    what=(
        "A line lacks a member, has an unknown one, or a member contradicts the line itself, the catalogue or what the "
        "saga said before."
    ),
    why=(
        "A rule can only judge what it can read. A member of the wrong type, an id used twice or "
        "an amount that is not where the catalogue says could hide an effect."
    ),
    bad="effect.intended e1 attempt 2       attempt 1 was never intended",
    good="""\
effect.intended e1 attempt 1
effect.failed e1 attempt 1
effect.intended e1 attempt 2
""",
    fix=("Make the writer follow docs/spec/trace-v1.md; the message names the member and what was expected."),
    on=CHECKS,
)
