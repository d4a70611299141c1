"""AS114 unchained-source."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS114",
    name="unchained-source",
    what=(
        "The source can chain its records, and these are not chained; or a chain was required and the source has none."
    ),
    why="Without a chain any record can be changed, removed or added, and nothing would show.",
    bad='{"event": "STEP_COMMITTED", ...}      no _ph, no _h',
    good="each record carries the hash of the one before it",
    fix=(
        "Use the log as it was written, with its chain. For sources without chains drop "
        "--require-chain and accept the assumption that the report prints."
    ),
)
