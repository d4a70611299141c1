"""AS109 truncated-file."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS109",
    name="truncated-file",
    what="The input ends in the middle of a line, breaks off, or changed while it was read.",
    why="A half line is not evidence, and what should stand after it is unknown.",
    bad='{"v":1,"saga":"s1","seq":7,"prev":"9f     and no line feed',
    good="every line, the last one too, ends in one LF",
    fix=(
        "Get the whole file. For a file that is still being written, judge a snapshot of it or use --open=inconclusive."
    ),
)
