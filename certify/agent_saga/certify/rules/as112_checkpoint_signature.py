"""AS112 checkpoint-signature."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS112",
    name="checkpoint-signature",
    what="A checkpoint is not signed by the pinned key for the pinned origin, or is no checkpoint.",
    why="Anybody can write down a root. Only the signature says that the log's operator stands by it.",
    bad="origin log.example/acme, signed by somebody else's key",
    good="origin log.example/acme, signed by the key that the pin names for it",
    fix=(
        "Get the checkpoint from the log's operator, and the pin from where you trust it. A log with a new key has a "
        "new origin."
    ),
    needs=("checkpoint",),
)
"""Found by :mod:`agent_saga.certify.judging.covering` and ``bundling``."""
