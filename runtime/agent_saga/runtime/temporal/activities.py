"""The activities: each takes the saga's journal under the workflow's lease, does one turn, and answers what is next.

The writer of a line is the lease that the workflow carries: its holder is the workflow, its token grows by one
whenever the saga is taken. A store refuses a line under an older token, which is an alarm here (``TakenByAnother``).
Under the same token the stored line wins: an attempt of an activity that was given up and comes back meets other bytes
at its seq, writes nothing, and what it did is in the hands of whoever reconciled it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from agent_saga.runtime.beginning import check_goal
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.errors import LeaseLost, RuntimeFault, SagaBusy
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal.keeping import Journals, require_whole
from agent_saga.runtime.temporal.messages import Next, Record, Turn
from agent_saga.runtime.temporal.names import ACTIVITY, ONCE, TAKEN, UNKNOWN_SAGA, holder
from agent_saga.runtime.temporal.recording import record
from agent_saga.runtime.temporal.turns import Work
from agent_saga.runtime.times import utc_now
from agent_saga.trace.store import Lease
from agent_saga.trace.store.errors import StaleLease, StoreError

LEASE = 15.0
"""Seconds that a saga is held without a sign of life: three heartbeats."""


@dataclass(frozen=True, slots=True)
class Crew:
    """What a worker runs one kind of saga with.

    engine: its waits are the workflow's timers. whole: an engine that waits by itself, for what is done in one go: to
    write a person's word, and to end the child sagas of one that has ended.
    """

    runnable: Runnable
    engine: Engine
    whole: Engine


class Activities:
    """The activities of one worker. sagas: by the name of the definition."""

    def __init__(
        self,
        sagas: Mapping[str, Crew],
        *,
        lease: float = LEASE,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._sagas, self._lease, self._clock = dict(sagas), lease, clock
        self._journals = Journals()

    def all(self) -> list[Callable[..., Any]]:
        """The functions that a worker registers."""
        return [self.decide, self.execute, self.undo, self.reconcile, self.check, self.record]

    @activity.defn(name=f"{ACTIVITY}decide")
    async def decide(self, turn: Turn) -> Next:
        """Ask the kernel what is next, and the agent where it is its turn; writes intents, calls nobody."""
        return await self._turn(turn)

    @activity.defn(name=f"{ACTIVITY}execute")
    async def execute(self, turn: Turn) -> Next:
        """Make the calls whose intents are durable, side by side. Started once."""
        return await self._turn(turn)

    @activity.defn(name=f"{ACTIVITY}undo")
    async def undo(self, turn: Turn) -> Next:
        """Make one compensating call whose intent is durable. Started once."""
        return await self._turn(turn)

    @activity.defn(name=f"{ACTIVITY}reconcile")
    async def reconcile(self, turn: Turn) -> Next:
        """Ask a provider what became of a call."""
        return await self._turn(turn)

    @activity.defn(name=f"{ACTIVITY}check")
    async def check(self, turn: Turn) -> Next:
        """Evaluate a check of the goal, or of an undo."""
        return await self._turn(turn)

    @activity.defn(name=f"{ACTIVITY}record")
    async def record(self, wanted: Record) -> None:
        """Write a person's word, verified; once, however often it is tried."""
        crew = self._of(wanted.name, begun=True)
        async with beating():
            with told():
                await record(crew.whole, wanted)

    async def _turn(self, turn: Turn) -> Next:
        crew = self._of(turn.name, begun=turn.place.seq > 0)
        engine = crew.engine
        with told():
            async with beating():
                _check_goal(turn.goal)
                lease = await self._leased(engine, turn)
                try:
                    return await self._worked(turn, crew, lease)
                except BaseException:
                    if lease.token != turn.place.token:  # the workflow never hears of this one
                        with contextlib.suppress(StoreError):
                            await engine.store.release(lease)
                    raise

    async def _worked(self, turn: Turn, crew: Crew, lease: Lease) -> Next:
        engine, runnable = crew.engine, crew.runnable
        if turn.pending.kind in ONCE:
            await engine.store.append((), lease=lease)  # nobody has taken the saga since the intent was written
        journal = await self._journals.open(engine, lease)
        await require_whole(journal, turn.place)
        known = tuple(one.leaf for one in journal.state.requests.values())
        session = await engine.session(journal, runnable.definition, runnable.driver, goal=turn.goal)
        work = Work(session, _as_lost(turn))
        following: Next = replace(await engine.hold(journal, work.done()), run=_run())
        if work.report is None:
            self._journals.keep(journal)
            return following
        await engine.release(journal)  # so that people can write while it rests
        await crew.whole.rested(runnable.definition, work.report, known)
        return replace(following, place=replace(following.place, token=0, until=0.0))

    async def _leased(self, engine: Engine, turn: Turn) -> Lease:
        """The workflow's lease, taken where it has none, prolonged where it runs out. Raises SagaBusy, StaleLease.

        An attempt that nobody heard of may have let go of it already; then it is taken again.
        """
        now, place = self._clock().timestamp(), turn.place
        lease = Lease(turn.saga, holder(turn.saga), place.token, place.until)
        unheard = turn.pending.lost or activity.info().attempt > 1
        if place.token and not unheard and place.until - now >= self._lease / 2:
            return lease
        if place.token:
            try:
                return await engine.store.renew(lease, self._lease, now)
            except StaleLease:
                if not unheard:
                    raise
        taken = await engine.store.acquire(turn.saga, holder(turn.saga), self._lease, now)
        if taken is None:
            raise SagaBusy(f"saga {turn.saga} is held by another process")
        return taken

    def _of(self, name: str, begun: bool) -> Crew:
        if name in self._sagas:
            return self._sagas[name]
        words = f"this worker runs {', '.join(sorted(self._sagas))}, not {name}; start one with its MODULE:SAGA"
        raise ApplicationError(words, type=UNKNOWN_SAGA, non_retryable=not begun)


def _run() -> str:
    """The run of the workflow that started this activity."""
    return activity.info().workflow_run_id or ""


def _as_lost(turn: Turn) -> Turn:
    """What was decided in another run, before a reset, may have been begun there: then it is not known what it did."""
    if turn.pending.kind in ONCE and turn.pending.run not in ("", _run()):
        return replace(turn, pending=replace(turn.pending, lost=True))
    return turn


def _check_goal(goal: object) -> None:
    """A goal that cannot be written never can: the workflow fails, whoever started it."""
    try:
        check_goal(goal)
    except RuntimeFault as fault:
        raise ApplicationError(str(fault), type="RuntimeFault", non_retryable=True) from fault


@contextlib.contextmanager
def told() -> Iterator[None]:
    """What the runtime and the store raise, as the workflow understands it: an alarm, a wrong order, or try again."""
    try:
        yield
    except (StaleLease, LeaseLost) as fault:
        if not isinstance(fault, StaleLease) and not isinstance(fault.__cause__, StaleLease):
            raise  # only the store was silent for too long
        words = f"{fault}; somebody else writes this saga: look who runs `recover` or `run` over this store"
        raise ApplicationError(words, type=TAKEN, non_retryable=True) from fault
    except SagaBusy as fault:
        raise ApplicationError(str(fault), type="SagaBusy", next_retry_delay=timedelta(seconds=1)) from fault


@contextlib.asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Tell the server that this activity lives, three times in each of its heartbeats' time-outs."""
    timeout = activity.info().heartbeat_timeout
    if timeout is None:
        yield
        return
    beat = asyncio.ensure_future(_beat(timeout.total_seconds() / 3))
    try:
        yield
    finally:
        beat.cancel()
        await asyncio.gather(beat, return_exceptions=True)


async def _beat(every: float) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(every)


__all__ = ["LEASE", "Activities"]
