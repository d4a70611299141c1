"""AS601 disclosure-mismatch."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS601",
    name="disclosure-mismatch",
    what="A disclosure is malformed, or no concealed value of the trace has its digest.",
    why=("A disclosure that opens nothing in the trace proves nothing about it; it may be made up."),
    bad="a disclosure whose SHA-256 stands nowhere",
    good="a disclosure whose SHA-256 stands once in the trace",
    fix="Hand over the disclosures that were kept with this trace, unchanged.",
)
