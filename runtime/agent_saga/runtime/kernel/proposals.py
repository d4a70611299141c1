"""What an agent may answer when it is asked."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a closed choice, with complete arguments. p: its probability, a decimal as text."""

    id: str
    tool: str
    args: dict[str, Any]
    p: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Call this tool with these arguments.

    step: of the plan; "" for the first ready step of this tool. why: the agent's reason. options, choice, confidence:
    of a closed choice, probabilities as decimal text. fault: code and reason why the driver itself does not stand
    behind it; it is then written with its numbers, and refused.
    """

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    step: str = ""
    why: Any = None
    options: tuple[Candidate, ...] = ()
    choice: str | None = None
    confidence: str | None = None
    fault: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The goal is reached, the agent says; the checks decide."""

    why: Any = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The goal cannot be reached: roll back."""

    why: Any = None
