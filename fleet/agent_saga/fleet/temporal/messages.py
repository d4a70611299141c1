"""What passes through the server: which log is judged how, and where each part's findings lie. No line, no finding."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

TASK_QUEUE: Final = "agent-saga-certify"
WORKFLOW: Final = "agent-saga-certify"
JUDGE: Final = "agent-saga-judge-part"


@dataclass(frozen=True)
class Job:
    """One certification. path: of the store or trace, as every worker reaches it; never with a password in it.

    choices: of :class:`agent_saga.certify.report.Choices`, as JSON; the files that they name are read by every worker.
    until: lines of a store that are judged. asked: digest of all that decides what is found, as the asker reads it.
    """

    path: str
    choices: dict[str, Any]
    parts: int
    until: int
    asked: str
    disclosures: list[str] = field(default_factory=list)
    keep_sagas: bool = False
    timelines: bool = False

    @property
    def name(self) -> str:
        """Tells it from every other job: the same question about the same lines has the same name."""
        about = f"{self.asked} {self.path} {self.until} {self.parts}"
        return sha256(about.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class PartOfJob:
    """One part of it, counted from 0."""

    job: Job
    part: int


@dataclass(frozen=True)
class Found:
    """Where the findings of a part lie: a file in the shared folder, and the SHA-256 of its bytes."""

    part: int
    file: str
    sha256: str
