"""What this format has no field for. Decided here for the format, never for one file.

Source: docs/rules.md, "Verdicts and exit codes"; docs/sources/agent-saga-log.md, "What cannot be assessed".
"""

from typing import Final

NOT_ASSESSABLE: Final = {
    "AS205": "no idempotency key of a forward call is recorded, so only a step committed twice shows",
    "AS208": "COMPENSATED names neither what was called nor with what arguments, and no result or resource is recorded",
    "AS209": "no amount is recorded of an undo, and none is marked as money in a call",
    "AS215": "no record says which step is the pivot",
    "AS216": "no record says which effects of other sagas a step read",
    "AS217": "no record names a parent saga",
    "AS218": "no record says which of several branches was chosen",
    "AS402": "no record names the policy in force",
    "AS501": "no checks are recorded: a completion is a claim, imported as succeeded_unverified",
    "AS505": "the steps that were allowed are not recorded",
}

ASSUMPTIONS: Final = (
    "the hash chain is not signed: whoever can write the log can rewrite all of it; only a root published elsewhere "
    "(--expect-root) shows that",
    "approvals are bound to calls by tool name, order and arguments: their records name no saga and no step",
)

AT_ONCE: Final = 512
"""Events handed over together: a processor does one kind of work at a time faster than two in turns."""
