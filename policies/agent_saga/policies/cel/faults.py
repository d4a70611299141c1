"""What can be wrong with a condition: faults of its text, and a call that it cannot judge.

Source: docs/spec/policy-cel-v1.md, "Errors".
"""

from dataclasses import dataclass

from agent_saga.trace.errors import AgentSagaError


@dataclass(frozen=True, slots=True)
class CelFault:
    """One fault. at: offset of the character in the condition where it shows, from 0."""

    at: int
    message: str


class CelError(AgentSagaError):
    """A text is no condition of this subset of CEL: nothing can be evaluated. faults: each with its place."""

    def __init__(self, faults: tuple[CelFault, ...]) -> None:
        super().__init__("; ".join(f"character {fault.at + 1}: {fault.message}" for fault in faults))
        self.faults = faults


class Undecided(AgentSagaError):
    """A condition has no value for this call: CEL's runtime error.

    words: why. at: offset of the part that failed. concealed: the value is there, and only hidden from the reader.
    """

    def __init__(self, words: str, at: int = 0, concealed: bool = False) -> None:
        super().__init__(words)
        self.words = words
        self.at = at
        self.concealed = concealed


class Undefined(AgentSagaError):
    """An operator or function has no value for these operands; whoever called it knows where it stands."""

    concealed = False

    def placed(self, at: int, of: str = "") -> Undecided:
        """The same for the whole condition. of: the part that failed, to begin the words with."""
        return Undecided(f"{of}: {self}" if of else str(self), at, self.concealed)


class Concealed(Undefined):
    """An operand is concealed: it has a value that the reader may not see."""

    concealed = True
