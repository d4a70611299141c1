"""One turn of a saga inside an activity: the kernel says what is next, and it is done if this activity is for it.

Every turn begins with the fold of what the store holds, so an activity that is tried again goes on from the lines that
an earlier attempt left. Calls to providers are made by the activities ``execute`` and ``undo`` alone, and only while
the kernel asks for the very calls that they were started for; every other one that finds such a call to make answers
that it is to be started.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_saga.runtime.kernel.actions import Ask, CallEffects, CallUndo, Done, Draft, ReconcileUndo, RunCheck, Wait
from agent_saga.runtime.kernel.decide import recovered
from agent_saga.runtime.kernel.state import OPEN, State
from agent_saga.runtime.report import Report, report_of
from agent_saga.runtime.session import CHECK_TIMEOUT, Doable, Session
from agent_saga.runtime.temporal.messages import Next, Place, Turn
from agent_saga.runtime.times import seconds_between

SOON = 0.05
"""Seconds to wait at least for an instant, so that it has passed then."""


class Postponed(Exception):
    """The engine would sleep: the workflow's timer does. seconds: how long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"to be asked again in {seconds} seconds")
        self.seconds = seconds


async def postpone(seconds: float) -> None:
    """In place of ``asyncio.sleep``. Raises Postponed."""
    raise Postponed(seconds)


@dataclass
class Work:
    """A session with one turn of it. report: of a saga that rests or has ended, once the turn is done."""

    session: Session
    turn: Turn
    report: Report | None = None
    before: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.before = self.session.state.held()
        self.session.busy = self.turn.busy
        journal = self.session.journal
        journal.waited = max(journal.waited, self.turn.pending.waited)

    async def done(self) -> Next:
        """Do what the turn is for, and say what is next. Everything is durable then. Raises as Session.do."""
        try:
            action = await self._worked()
            while not await self.session.durable():
                action = await self._asked(await self.session.next())
        except Postponed as later:
            while not await self.session.durable():
                continue  # a limit was reached meanwhile: what was taken back was judged anew
            return self._next("sleep", seconds=later.seconds)
        return self._answer(action)

    async def _worked(self) -> Doable | Done:
        self._write_first()
        action = await self.session.next()
        if self._is_for(action):
            assert not isinstance(action, Done)
            await self.session.do(action)
            action = await self.session.next()
        return await self._asked(action)

    async def _asked(self, action: Doable | Done) -> Doable | Done:
        """What is to be done after a driver that answers at once has answered."""
        while isinstance(action, Ask) and self.session.driver.immediate:
            await self.session.do(action)
            action = await self.session.next()
        return action

    def _write_first(self) -> None:
        """What is not known of open calls, or that they were never made; and that the saga was cancelled."""
        state, journal, pending = self.session.state, self.session.journal, self.turn.pending
        if pending.uncalled:
            journal.write(_uncalled(state, pending.uncalled))
        if pending.lost:
            journal.write(recovered(state))
        if self.turn.cancel and state.rollback is None and state.ended is None and not _open(state):
            journal.write((Draft("rollback.started", {"cause": {"code": "cancelled"}}),))

    def _is_for(self, action: Doable | Done) -> bool:
        kind, about = _kind(action), _about(action)
        if kind == "ask":
            return self.turn.pending.kind == "decide"
        return kind == self.turn.pending.kind and about == self.turn.pending.about

    def _answer(self, action: Doable | Done) -> Next:
        if isinstance(action, Done):
            self.report = report_of(self.session.state, action)
            return self._next("end", status=action.status)
        if not isinstance(action, Wait):
            return self._next(_kind(action), about=_about(action), seconds=self._timeout(action))
        now = self.session.journal.now()
        seconds = max(SOON, seconds_between(now, action.until)) if action.until else 0.0
        if action.reason == "backoff":
            return self._next("sleep", seconds=seconds, until=action.until)
        self.report = report_of(self.session.state, action)
        words: dict[str, Any] = {
            "reason": action.reason,
            "status": self.report.status,
            "pause": self.report.pause,
        }
        return self._next("wait", about=action.about, seconds=seconds, **words)

    def _timeout(self, action: Doable) -> float:
        """Seconds that the calls of an action may take, by their tools."""
        if isinstance(action, Ask):
            return 0.0
        if isinstance(action, RunCheck) and not action.undo:
            return CHECK_TIMEOUT
        state, catalogue = self.session.state, self.session.definition.catalogue
        names: Sequence[str] = (action.undo,) if isinstance(action, RunCheck) else _about(action)
        return max(catalogue[(state.undos.get(name) or state.effects[name]).tool].timeout for name in names)

    def _next(self, kind: str, **members: Any) -> Next:
        state, lease = self.session.state, self.session.journal.lease
        held = state.held()
        now, before = frozenset(held), frozenset(self.before)
        place = Place(state.seq, state.head, lease.token if lease else 0, lease.until if lease else 0.0)
        gained = tuple(name for name in held if name not in before)
        gone = tuple(name for name in self.before if name not in now)
        return Next(place, kind, gained=gained, gone=gone, busy=self.session.busy, **members)


def _open(state: State) -> bool:
    return any(call.state == OPEN for call in (*state.unsettled(), *state.undos.values()))


def _uncalled(state: State, names: Sequence[str]) -> list[Draft]:
    """The lines of attempts that were announced and not begun."""
    error = {"code": "cancelled", "message": "the saga was cancelled before the call was made", "retry": False}
    effects = (state.effects[name] for name in names if name in state.effects)
    return [
        Draft("effect.failed", {"effect": one.id, "attempt": one.attempt, "error": error})
        for one in effects
        if one.state == OPEN
    ]


def _kind(action: Doable | Done) -> str:
    """The activity that does an action."""
    match action:
        case CallEffects():
            return "execute"
        case CallUndo():
            return "undo"
        case RunCheck():
            return "check"
        case Ask():
            return "ask"
        case Wait() | Done():
            return ""
    return "reconcile"


def _about(action: Doable | Done) -> tuple[str, ...]:
    match action:
        case CallEffects():
            return action.effects
        case CallUndo() | ReconcileUndo():
            return (action.undo,)
        case RunCheck():
            return (action.id,)
        case Ask() | Wait() | Done():
            return ()
    return (action.effect,)
