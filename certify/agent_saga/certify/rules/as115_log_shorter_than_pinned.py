"""AS115 log-shorter-than-pinned."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS115",
    name="log-shorter-than-pinned",
    what="The log has fewer lines than the pinned checkpoint covers, or than were expected.",
    why="Lines that were signed for are missing: the end was cut off, perhaps with whole sagas in it.",
    bad="checkpoint of 6 lines     a log of 4 lines",
    good="checkpoint of 6 lines     a log of 6 lines or more",
    fix="Get the whole log. If its operator has no more lines, this checkpoint shows that some were lost.",
    needs=("checkpoint",),
)
"""Found by :mod:`agent_saga.certify.judging.covering`."""
