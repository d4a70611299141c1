"""What the importer remembers of a saga while it is open. It is forgotten when the saga ends."""

from typing import Any

from msgspec import Struct, field

from agent_saga.trace.events import UndoCall

COMMITTED = "committed"
UNKNOWN = "unknown"


class Step(Struct, gc=False):
    """One step. id: of our effect; outcome: "" until one is recorded; undone: how many compensations are recorded."""

    id: str
    tool: str
    line: int
    attempt: int = 1
    outcome: str = ""
    undo: UndoCall | None = None
    undo_traits: int = 0
    undo_key: str = ""
    """The idempotency key that its outcome recorded for the undo; "" for none."""
    undone: int = 0
    failed: int = 0
    orphaned: int = 0
    undoing: str = ""
    """Id of an undo that was intended and has no result yet."""


class SagaState(Struct):
    """One open saga. id: ours; raw: theirs (the latest, when it continued under a new one); seq: of its next event."""

    id: str
    raw: str
    line: int
    seq: int = 0
    last: int = 0
    at: str = ""
    """Line and time of its latest record."""
    suspect: int = 0
    """Hash of the first step of an ended saga with the same id: if this saga's is the same, it is a replay."""
    steps: dict[str, Step] = field(default_factory=dict)
    undos: int = 0
    compensated: int = 0
    failed: int = 0
    orphaned: int = 0
    undone: bool = False
    """Some undo succeeded."""
    cause: Any = None
    clean: bool | None = None
    """What ROLLBACK_END claimed."""
    tentatives: dict[str, Step] = field(default_factory=dict)
    former: tuple[str, ...] = ()
    """Raw ids under which it ran before it continued under a new one."""
    resumed: bool = False
