"""AS107 line-after-end."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS107",
    name="line-after-end",
    what="A line follows saga.ended in the same saga.",
    why="The end is judged as the end. What happens after it would escape every rule.",
    bad="""\
saga.ended succeeded_verified
effect.intended e9
""",
    good="""\
effect.intended e9
...
saga.ended succeeded_verified
""",
    fix="Start a new saga for new work; a runtime must never write to an ended one.",
    needs=("saga.ended",),
)
