"""A saga as its events tell it so far: effects, undos, steps, approvals. Records only; no judgement is made here.

The outcome of an effect is folded over all attempts of its key. Once succeeded, or reconciled as landed, it is
*applied* for good. Else, while an attempt is unknown or has no outcome, and no reconciliation found it absent since, it
is *unknown*. Else it is *absent*. It is *in force* unless absent or undone. Undos fold the same way.

Source: docs/rules.md, "An effect, formally".
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.common import Common
from agent_saga.certify.history.compare import Known, Money
from agent_saga.certify.history.people import Approval, Asked
from agent_saga.certify.report import Mark
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.events import EffectRef, SagaEnded, ToolSpec
from agent_saga.trace.limits import GENESIS

if TYPE_CHECKING:
    from agent_saga.certify.history.order import Order

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
    line: int


class Call(Struct, gc=False):
    """What effects and undos have in common: a call made under one key, in one or more attempts."""

    id: str
    tool: str
    key: str
    args: Known
    amount: Money | None | bool
    """None: has none. False: sealed."""
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


class Step(Struct, frozen=True, gc=False):
    """A proposal of the agent."""

    line: int
    tool: str
    args: Known
    allowed: tuple[str, ...]
    by: str = ""
    """Id of the agent that proposed it."""


class Saga(Struct):
    """Everything that later lines of one saga are judged against."""

    id: str
    source: str
    disclosures: Disclosures
    common: Common
    foreign: bool = False
    """From an importer: no leaves, no catalogue, no record of what is held."""
    # the chain
    head: str = GENESIS
    next_seq: int = 0
    at: str = ""
    # its frame
    name: str = ""
    log: str = ""
    agent: str = ""
    """Id of the agent that its first line names."""
    start: str = ""
    """Leaf of its first line."""
    keys: str | None = None
    policy: str | None = None
    """Digests of the registry and the policy that its first line names."""
    tools: dict[str, ToolSpec] | None = None
    parent: EffectRef | None = None
    pivot: str | None = None
    first_line: int = 0
    last_line: int = 0
    last_type: str = ""
    lines: int = 0
    ended: SagaEnded | None = None
    ended_line: int = 0
    # what it did
    steps: dict[str, Step] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    undos: dict[str, Undo] = field(default_factory=dict)
    order: "Order | None" = None
    """Which effects must be undone before which; made when the first undo is judged."""
    latest: dict[str, Effect] = field(default_factory=dict)
    """Step to its latest effect that is no preview."""
    approvals: dict[str, Approval] = field(default_factory=dict)
    """Leaf to the approval recorded on it; empty where the source has no leaves."""
    answers: dict[str, list[Approval]] = field(default_factory=dict)
    """Step to the answers of persons about it."""
    asked: dict[str, Asked] = field(default_factory=dict)
    """Step to its latest approval request."""
    broken: tuple[tuple[str, Witness, Approval], ...] = ()
    """Effect, its intent, and the verified approval that broke the glass for it."""
    reviewed: tuple[tuple[str, str], ...] = ()
    """Effect and person: verified decisions to keep an effect."""
    refused: dict[str, int] = field(default_factory=dict)
    """Step to the line that refused or denied it."""
    requested: dict[str, int] = field(default_factory=dict)
    """Step to the line of its unanswered approval request."""
    winners: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Branch group to its winning option and the line that chose it."""
    checks: dict[str, int] = field(default_factory=dict)
    """Check to the line that evaluated it."""
    last_check: tuple[int, bool] = (0, False)
    """Line and result of the latest check."""
    last_outcome: int = 0
    """The latest outcome line of an effect that is not a preview."""
    proven: bool = False
    """The latest check passed, and no effect had an outcome since."""
    pivoted: bool = False
    """An effect of the pivot step took place."""
    reads: list[tuple[str, int, EffectRef]] = field(default_factory=list)
    """Effect, line, and the effect of another saga that it relies on."""
    jump: Any = None
    """What AS108 has seen: the first line that is dated before the one it follows."""
    rollback: int = 0
    stopped: int = 0
    """Line of a halt or escalation that no person has answered."""
    paused: int = 0
    """Line of a pause that no person has answered."""
    stop: str = ""
    """Leaf of the latest pause, halt or escalation: what a decision answers."""
    waiting: dict[str, None] = field(default_factory=dict)
    """What the pause is about, without what a person has decided."""
    left: Sequence[tuple[str, Effect]] = ()
    """What is in force at the end, with the rule that says so (:mod:`agent_saga.certify.history.closing`)."""
    timeline: list[Mark] | None = None

    @property
    def succeeded(self) -> bool:
        """It claims to have reached its goal."""
        return self.ended is not None and self.ended.status.startswith("succeeded")

    @property
    def waits(self) -> int:
        """The line since when it waits for a person; 0 when it does not."""
        return self.paused or self.stopped or (max(self.requested.values()) if self.requested else 0)

    def lost(self, effect: Effect) -> int:
        """The branch.chosen line that made this effect a loser's; 0 when it is none."""
        parts = effect.branch.split(".") if effect.branch else []
        for depth in range(1, len(parts)):
            winner, line = self.winners.get(".".join(parts[:depth]), ("", 0))
            if line and winner != parts[depth]:
                return line
        return 0

    def target(self, effect: Effect) -> Money | None | bool:
        """What the confirmed undos of an effect must sum up to: its recorded undo's amount, else its own."""
        recorded = effect.undo.amount if effect.undo else None
        return effect.amount if recorded is None else recorded
