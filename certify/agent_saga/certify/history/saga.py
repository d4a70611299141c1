"""A saga as its events tell it so far: effects, undos, steps, approvals. Records only; nothing is judged here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.common import Common
from agent_saga.certify.history.compare import Known, Money
from agent_saga.certify.history.effects import Call, Effect, Undo
from agent_saga.certify.history.order import Order
from agent_saga.certify.history.people import Approval, Asked
from agent_saga.certify.report import Mark
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.events import EffectIntended, EffectRef, SagaEnded, ToolSpec
from agent_saga.trace.limits import GENESIS


class Step(Struct, frozen=True, gc=False):
    """A proposal of the agent."""

    line: int
    tool: str
    args: Known
    allowed: tuple[str, ...]
    by: str = ""
    """Id of the agent that proposed it."""


@dataclass(slots=True, eq=False)
class Saga:
    """Everything that later lines of one saga are judged against.

    No Struct of msgspec: each line changes half a dozen of its members, and setting those of a Struct takes ten times
    as long.
    """

    id: str
    source: str
    disclosures: Disclosures
    common: Common
    moves: Any = None
    """What is done about its next line (:class:`agent_saga.certify.judging.book.Moves`)."""
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
    order: Order | None = None
    """Which effects must be undone before which; made when the first undo is judged."""
    latest: dict[str, Effect] = field(default_factory=dict)
    """Step to the latest effect that is no preview and was made for it, by a fallback too."""
    standing: dict[str, dict[str, Effect]] = field(default_factory=dict)
    """Step for which several effects were made to those of them that are in force, by id."""
    places: dict[str, str] | None = None
    """Step of a fallback to the step in whose place it stands; None while there was no fallback."""
    keyed: dict[str, Call] = field(default_factory=dict)
    """Idempotency key to the call that bears it."""
    approvals: dict[str, Approval] = field(default_factory=dict)
    """Leaf to the approval recorded on it; empty where the source has no leaves."""
    answers: dict[str, list[Approval]] = field(default_factory=dict)
    """Step to the answers of persons about it."""
    claims: bool = False
    """Some answer carries no signature, or the source has none for its answers."""
    asked: dict[str, Asked] = field(default_factory=dict)
    """Step to its latest approval request."""
    persons: dict[str, set[str]] = field(default_factory=dict)
    """Step to the persons who have approved it since then."""
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
    last_undone: int = 0
    """The latest line that confirms an undo."""
    proven: bool = False
    """The latest check passed, and no effect had an outcome, and no undo took, since."""
    pivots: set[str] | None = None
    """Effects of the pivot step that took place and were not undone; None while none had."""
    reads: list[tuple[str, int, EffectRef]] = field(default_factory=list)
    """Effect, line, and the effect of another saga that it relies on."""
    jump: Any = None
    """What AS108 has seen: the first line that is dated before the one it follows."""
    rollback: int = 0
    back: int = 0
    """Line of a person's decision that the saga, halted or escalated, is to be rolled back."""
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
    beside: dict[str, Effect] | None = None
    """Effect of ``left`` to the other one that may not be in force beside it: of the same call, or another option."""
    timeline: list[Mark] | None = None

    @property
    def succeeded(self) -> bool:
        """It claims to have reached its goal."""
        return self.ended is not None and self.ended.status.startswith("succeeded")

    @property
    def waits(self) -> int:
        """The line since when it waits for a person; 0 when it does not."""
        return self.paused or self.stopped or (max(self.requested.values()) if self.requested else 0)

    def named(self, event: EffectIntended) -> list[Approval]:
        """The recorded approvals that an intent names by their leaves."""
        return [self.approvals[leaf] for leaf in event.approvals if leaf in self.approvals]

    def ordered(self) -> Order:
        """The order of its undoing, made when it is first asked for: most sagas undo nothing."""
        if self.order is None:
            self.order = Order(self.effects)
        return self.order

    def lost(self, effect: Effect) -> int:
        """The branch.chosen line that made this effect a loser's; 0 when it is none."""
        parts = effect.branch.split(".") if effect.branch else []
        for depth in range(1, len(parts)):
            winner, line = self.winners.get(".".join(parts[:depth]), ("", 0))
            if line and winner != parts[depth]:
                return line
        return 0

    def place(self, event: EffectIntended) -> str:
        """The step that a call is made for: its own, or the one in whose place it stands as a fallback."""
        if self.places and event.step in self.places:
            return self.places[event.step]
        replaced = self.effects.get(event.fallback_of) if event.fallback_of else None
        return replaced.place if replaced else event.step

    def target(self, effect: Effect) -> Money | None | bool:
        """What the confirmed undos of an effect must sum up to: its recorded undo's amount, else its own."""
        recorded = effect.undo.worth if effect.undo else None
        return effect.worth if recorded is None else recorded
