"""AS101 malformed-line."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS101",
    name="malformed-line",
    what="A line is not one JSON object in the one spelling that the format allows.",
    why=(
        "The bytes of a line are what is hashed. A line with two spellings could be shown to two "
        "people with two meanings."
    ),
    bad="""\
{"v":1, "saga":"s1", ...}          white space after a comma
{"amount":1,"amount":900,...}      a name twice
""",
    good='{"v":1,"saga":"s1",...}',
    fix=("Write lines with agent_saga.trace.writer, or fix the program that wrote this line; never edit a trace."),
)
