"""Effects and undos as their events tell them so far. Records only; no judgement is made here.

The outcome of an effect is folded over all attempts of its key. Once succeeded, or reconciled as landed, it is
*applied* for good. Else, while an attempt is unknown or has no outcome, and no reconciliation found it absent since, it
is *unknown*. Else it is *absent*. It is *in force* unless absent or undone. Undos fold the same way.

Source: docs/rules.md, "An effect, formally".
"""

from functools import partial
from typing import Final

from msgspec import Struct, field

from agent_saga.certify.history.compare import Known, Money

OPEN: Final = ord("?")
SUCCEEDED: Final = ord("+")
FAILED: Final = ord("-")
UNKNOWN: Final = ord("~")
ABSENT: Final = ord("0")
"""One byte for the state of an attempt, so that all attempts of a call are a short byte string."""


class Recorded(Struct, frozen=True, gc=False):
    """The inverse call as an outcome recorded it."""

    tool: str
    args: Known
    amount: Money | None | bool
    """As the outcome says."""
    worth: Money | None | bool
    """What it gives back: by the policy that judges the call where that says it, else the amount."""
    line: int


class Call(Struct, gc=False):
    """What effects and undos have in common: a call made under one key, in one or more attempts."""

    id: str
    tool: str
    key: str
    args: Known
    amount: Money | None | bool
    """As its line says. None: has none. False: sealed."""
    worth: Money | None | bool
    """What it moves: by the policy that judges the call where that says it, else the amount."""
    line: int
    """Of the first intent."""
    attempts: bytearray = field(default_factory=partial(bytearray, b"?"))
    """One byte an attempt, in order."""
    highest: int = 1
    """The highest attempt number that was intended; more than there are attempts when some were left out."""
    unsettled: int = 1
    """How many attempts are open or unknown."""
    settled: int = 0
    """How many of the first attempts are surely neither."""
    landed: int = 0
    """Line that applied it (succeeded, reconciled landed, or a person's word); 0 when none did."""
    outcome: int = 0
    """The latest outcome line; 0 when there is none."""

    def state(self, attempt: int) -> int:
        """What is known of an attempt."""
        return self.attempts[min(attempt, len(self.attempts)) - 1]

    @property
    def applied(self) -> bool:
        """It happened, for good."""
        return self.landed > 0

    @property
    def unknown(self) -> bool:
        """It may have happened."""
        return not self.landed and self.unsettled > 0

    @property
    def absent(self) -> bool:
        """It is proven not to have happened."""
        return not self.landed and not self.unsettled


class Undo(Call, gc=False, kw_only=True):
    """A compensating call."""

    effect: str
    matches: bool | None = True
    """Whether tool and arguments are those that the effect's outcome recorded; None when sealed."""


class Effect(Call, kw_only=True):
    """A forward call that may change the world."""

    step: str
    semantics: str
    after: tuple[str, ...] | None
    order: int
    """Position among the saga's effects, by first intent."""
    branch: str
    place: str = ""
    """The step that it is made for: its own, or the one in whose place it stands as a fallback."""
    again: bool = False
    """AS205 has said, of its intent, that the call may have been made before."""
    undo: Recorded | None = None
    undos: list[str] = field(default_factory=list)
    """Ids of the undos intended for it, in order."""
    pending: dict[str, Undo] | None = None
    """Its undos of which nobody knows yet whether they took."""
    flight: int = 0
    """Sum of the pending undos' amounts in minor units, those whose amount is known."""
    confirmed: int = 0
    """Sum of the confirmed undo amounts in minor units; without amounts, their number."""
    undone: int = 0
    """Line of the undo that completed it; 0 while it is in force."""
    undone_by: str = ""
    """Id of that undo; "" when a person's word stands for one."""
    sealed: int = 0
    """Line of a confirmed undo of which sealed values hide whether it completes the undoing; 0 when there is none."""
    kept: int = 0
    """Line of a person's decision to keep it."""
    bare: bool = False
    """AS206 has said that its inverse is recorded nowhere."""
    faulted: str = ""
    """The rule that has already said what is wrong with its undo; the end of the saga need not say it again."""

    @property
    def preview(self) -> bool:
        """It only reads; never in force."""
        return self.semantics == "preview"

    @property
    def in_force(self) -> bool:
        """It stands, or may stand, in the outside world."""
        return not self.undone and (self.landed > 0 or self.unsettled > 0) and self.semantics != "preview"

    @property
    def stands(self) -> bool:
        """It is in force for all that is known, and no person decided to keep it."""
        return self.in_force and not self.sealed and not self.kept
