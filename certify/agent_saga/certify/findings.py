"""What a rule says: a finding, with the smallest evidence that carries it.

A presence finding's witness is minimal: without any one of its lines the finding vanishes. An absence finding's witness
is the line that created the duty and the saga's last line; the event named in ``expected`` removes it.

Source: docs/rules.md, "A finding".
"""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256


class Severity(StrEnum):
    """How heavy a finding weighs. The verdict fails at or above ``--fail-on``."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """3 for error, 2 for warning, 1 for note."""
        return {"error": 3, "warning": 2, "note": 1}[self.value]


@dataclass(frozen=True, slots=True)
class Witness:
    """One line of evidence. line: 1-based number in the finding's source; 0 when the source has no lines."""

    line: int
    what: str
    """The line in a few words, such as ``effect.succeeded e1 payments.charge``; never a payload value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or (``inconclusive``) one question that the evidence leaves open."""

    code: str
    name: str
    severity: Severity
    source: str
    """The input as the user named it; all witness lines are lines of it."""
    saga: str
    """Empty when the finding concerns the input as a whole."""
    subject: str
    """What the finding is about, stable from run to run: ``effect e1``, ``undo u2``, ``saga``, ``line``."""
    because: str
    """One sentence in the user's own tool names and values."""
    expected: str
    """The event or state that was expected next."""
    fix: str
    witness: tuple[Witness, ...]
    inconclusive: bool = False
    count: int = 1
    """How many times the same fault stands in this saga; the witness shows the first."""

    @property
    def line(self) -> int:
        """The line to point at: where the trouble shows, the witness's first line; 0 for the input as a whole."""
        return self.witness[0].line if self.witness else 0

    @property
    def fingerprint(self) -> str:
        """Identity without line numbers, for baselines and SARIF: 64 hex digits."""
        parts = (self.code, self.saga or self.source, self.subject)
        return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()

    @property
    def order(self) -> tuple[str, int, str, str, str]:
        """Sort key: findings stand by source, line, code, saga and subject."""
        return (self.source, self.line, self.code, self.saga, self.subject)
