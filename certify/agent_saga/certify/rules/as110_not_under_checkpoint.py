"""AS110 not-under-checkpoint."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at, last_of


def _check(saga: Saga) -> tuple[Draft, ...]:
    covered = saga.common.covered
    if covered is None or saga.last_line <= covered:
        return ()
    because = f"saga {saga.id} ended at line {saga.last_line}: the pinned checkpoint covers the lines up to {covered}"
    first = [at(saga.first_line, "first line of the saga")] if saga.first_line < saga.last_line else []
    return (Draft("saga", because, f"a checkpoint of at least {saga.last_line} lines", (*first, last_of(saga))),)


RULE = Rule(
    code="AS110",
    name="not-under-checkpoint",
    what=(
        "What is judged does not stand under the pinned checkpoint: a saga ended behind it, the log has more lines "
        "than expected, the input is no log, or a bundle does not prove what it shows."
    ),
    why=(
        "Only lines that a signed checkpoint covers are fixed. What stands behind it may be another text tomorrow, "
        "and may be shown to somebody else in another form."
    ),
    bad="checkpoint of 4 lines     saga.ended on line 6",
    good="checkpoint of 6 lines     saga.ended on line 6",
    fix=(
        "Ask the log's operator for a checkpoint that covers the saga (`agent-saga log checkpoint`), or judge the log "
        "up to the checkpoint that you hold."
    ),
    at_end=_check,
    needs=("checkpoint",),
)
"""The other faults of this code are found by :mod:`agent_saga.certify.judging.covering` and ``bundling``."""
