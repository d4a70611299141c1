"""The names by which the server knows workflow, activities and queues. Changing one strands running sagas."""

from typing import Final

WORKFLOW: Final = "agent-saga"
"""The one workflow type."""
ACTIVITY: Final = "agent-saga."
"""In front of every activity's name."""
TASK_QUEUE: Final = "agent-saga"
"""The task queue, unless another is named."""
ONCE: Final = frozenset({"execute", "undo"})
"""Activities that call a provider for real: they are started once, and what is lost of them is reconciled."""

TAKEN: Final = "TakenByAnother"
"""Type of the failure that is an alarm: somebody else writes this saga."""
OLDER: Final = "OlderStore"
"""Type of the failure that is an alarm: the store lost lines that the workflow has seen."""
UNKNOWN_SAGA: Final = "UnknownSaga"
NOT_NOW: Final = "StaleDecision"
"""Type of the failure of an update that the saga does not wait for."""


def workflow_id(saga: str) -> str:
    """The workflow of a saga: one at a time."""
    return f"agent-saga/{saga}"


def holder(saga: str) -> str:
    """Under which name the workflow of a saga holds its lease: with the lease's token, what may write its lines."""
    return f"temporal:{workflow_id(saga)}"
