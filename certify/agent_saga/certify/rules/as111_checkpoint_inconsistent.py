"""AS111 checkpoint-inconsistent."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS111",
    name="checkpoint-inconsistent",
    what=(
        "The lines do not give the root of a pinned checkpoint, two checkpoints contradict each other, or a bundle "
        "contradicts the index of its log."
    ),
    why=(
        "A checkpoint fixes every line before it. Another root means that a line was changed, removed, inserted or "
        "moved since, or that two versions of the log are about, also where all chains were written anew."
    ),
    bad="checkpoint of 6 lines, root 9f3c...     SHA-256 tree over the first 6 lines: 4b10...",
    good="checkpoint of 6 lines, root 9f3c...     SHA-256 tree over the first 6 lines: 9f3c...",
    fix=(
        "Get the log as it was when the checkpoint was signed. Keep both checkpoints and this copy: together they "
        "show that the log was rewritten."
    ),
    needs=("checkpoint",),
)
"""Found by :mod:`agent_saga.certify.judging.covering` and ``bundling``, over all lines of an input."""
