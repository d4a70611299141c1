"""A saga as its own trace tells it so far. Nothing that the runtime knows of a saga stands anywhere else."""

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from agent_saga.runtime.kernel.payload import copied, is_clear
from agent_saga.trace.events import ApprovalRecorded, ApprovalRequested, SagaEnded, SagaStarted, UndoCall
from agent_saga.trace.limits import GENESIS

OPEN, APPLIED, FAILED, UNKNOWN, ABSENT = "open", "applied", "failed", "unknown", "absent"
"""Of the latest attempt: no outcome yet; took effect, for good; proven not to have; may have; found not to have."""


@dataclass(slots=True)
class Call:
    """A call under one key, in one or more attempts.

    tries: attempts since a person last decided about it. asked: reconciliations since then that found nothing out.
    at: when its latest line was written.
    """

    id: str
    tool: str
    args: dict[str, Any]
    key: str
    amount: dict[str, Any] | None
    at: str
    attempt: int = 1
    tries: int = 1
    asked: int = 0
    state: str = OPEN
    result: Any = None
    error: Any = None

    @property
    def absent(self) -> bool:
        """It is proven not to have happened, in any attempt."""
        return self.state in (FAILED, ABSENT)

    @property
    def final(self) -> bool:
        """Its latest failure said that trying again is in vain."""
        return self.state == FAILED and not (isinstance(self.error, dict) and self.error.get("retry"))


@dataclass(slots=True)
class Undo(Call):
    """A compensating call; effect: what it undoes."""

    effect: str = ""


@dataclass(slots=True)
class Effect(Call):
    """A forward call. settled: a person's last word on it, "undone" or "kept"; "" when there is none.

    landed: seq of the line that said first that it took effect; 0 before.
    """

    step: str = ""
    semantics: str = ""
    after: tuple[str, ...] | None = None
    order: int = 0
    resource: Any = None
    fallback_of: str | None = None
    branch: str | None = None
    landed: int = 0
    action: str | None = None
    approvals: tuple[str, ...] = ()
    undo: UndoCall | None = None
    undos: list[str] = field(default_factory=list)
    undone: bool = False
    settled: str = ""

    @property
    def plan(self) -> str:
        """The step of the definition that it belongs to."""
        return plan_of(self.step)

    @property
    def done(self) -> bool:
        """It took effect, and no person settled it."""
        return self.state == APPLIED and not self.settled

    @property
    def in_force(self) -> bool:
        """It stands, or may stand, in the outside world."""
        return self.semantics != "preview" and not self.undone and not self.absent

    @property
    def stands(self) -> bool:
        """It is in force, and no person decided to keep it."""
        return self.in_force and self.settled != "kept"


@dataclass(frozen=True, slots=True)
class Proposed:
    """A step as the agent proposed it. leaf: of its line. agent: who proposed it, without ``agent:``."""

    tool: str
    args: dict[str, Any]
    leaf: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step that was refused; the agent is told code and reason."""

    step: str
    tool: str
    code: str
    reason: Any
    at: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """An approval that is waited for; leaf: of its line, which every approver's request names."""

    leaf: str
    event: ApprovalRequested


@dataclass(frozen=True, slots=True)
class Answer:
    """An approver's answer; leaf: of its line, which the intent that uses it names. event: with the proof."""

    leaf: str
    decision: str
    person: str
    event: ApprovalRecorded


@dataclass(slots=True)
class State:
    """Everything known of one saga. Only the fold writes here.

    head: leaf of the last line. start: leaf of the first. fresh: goal checks since the last effect, by name, and
    whether they passed. verified: effects whose undo a check has proven, and whether it passed. in_row: refusals since
    the agent last proposed what was not refused. concealed: texts in concealed values, not to stand in clear elsewhere.
    winners: by group of alternatives, the option that has won. forms: arguments of steps in the form on their lines,
    where a part of them is concealed. stopped_at: leaf of the line that halted or escalated it.

    So that nobody need look at every effect again: facts: results by step id, of what took effect and was not undone;
    asked: how often each step of the plan was proposed; done: steps of the plan that took effect and that no person
    settled; loose: the effects of which neither holds; standing: the effects in force; open_undos: the undos that have
    not taken effect; moved: minor units that the done effects moved, by currency ("": effects that do not tell). The
    last three and the loose ones are kept in the order of their intents.
    """

    saga: str = ""
    seq: int = 0
    head: str = GENESIS
    start: str = ""
    at: str = ""
    started: SagaStarted | None = None
    steps: dict[str, Proposed] = field(default_factory=dict)
    turns: int = 0
    calls: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    requests: dict[str, Request] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    by_plan: dict[str, list[Effect]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    loose: dict[str, Effect] = field(default_factory=dict)
    standing: dict[str, Effect] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    undos: dict[str, Undo] = field(default_factory=dict)
    open_undos: dict[str, Undo] = field(default_factory=dict)
    checks: int = 0
    fresh: dict[str, bool] = field(default_factory=dict)
    verified: dict[str, bool] = field(default_factory=dict)
    rollback: Any = None
    stopped: Any = None
    stopped_at: str = ""
    resumed: int = 0
    abandoned: bool = False
    pause: str = ""
    paused_at: str = ""
    waiting: tuple[str, ...] = ()
    ended: SagaEnded | None = None
    in_row: int = 0
    winners: dict[str, str] = field(default_factory=dict)
    concealed: set[str] = field(default_factory=set)
    forms: dict[str, dict[str, Any]] = field(default_factory=dict)
    frontier: Any = field(default=None, compare=False, repr=False)
    """What :mod:`agent_saga.runtime.kernel.frontier` keeps beside it, and could find again."""

    def of_step(self, plan: str) -> list[Effect]:
        """The effects of a step of the definition, oldest first."""
        return self.by_plan.get(plan, [])

    def sort(self, effect: Effect) -> None:
        """After a change of an effect: tell what is simply done from the rest."""
        plan = effect.plan
        if effect.undone:
            self.facts.pop(effect.step, None)
        elif effect.state == APPLIED:
            self.facts[effect.step] = copied(effect.result)  # whoever sees the facts may change them
        self._stand(effect)
        if effect.done:
            if self.loose.pop(effect.id, None) is not None:
                self._move(effect, 1)
            self.done.add(plan)
            return
        if effect.id not in self.loose:
            self._move(effect, -1)
            self.loose[effect.id] = effect
        if plan in self.done and not any(one.done for one in self.of_step(plan)):
            self.done.discard(plan)

    def _stand(self, effect: Effect) -> None:
        """Keep it among those in force, in order: one that is tried again may be older than the newest."""
        if not effect.in_force:
            self.standing.pop(effect.id, None)
        elif effect.id not in self.standing:
            late = self.standing and next(reversed(self.standing.values())).order > effect.order
            self.standing[effect.id] = effect
            if late:
                self.standing = {one.id: one for one in sorted(self.standing.values(), key=_ORDER)}

    def _move(self, effect: Effect, sign: int) -> None:
        if effect.amount is not None and effect.semantics != "preview":
            clear = is_clear(effect.amount)
            currency, minor = (effect.amount["currency"], effect.amount["minor"]) if clear else ("", 1)
            self.moved[currency] = self.moved.get(currency, 0) + sign * minor

    def unsettled(self) -> list[Effect]:
        """The effects that are under way, did not happen, may have, or were settled by a person; oldest first."""
        return sorted(self.loose.values(), key=_ORDER) if self.loose else []

    def held(self) -> tuple[str, ...]:
        """The effects still in force."""
        return tuple(self.standing)


_ORDER = attrgetter("order")


def plan_of(step: str) -> str:
    """The name of the definition's step: a step id is that name, with a number behind it when proposed again."""
    return step.partition(".")[0]
