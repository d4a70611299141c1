"""The workflow of one saga: it asks an activity what the kernel wants next, and starts the activity that does it.

It holds references only: where the trace stands, what the next activity is for, which effects are in force. The trace
is in the store; what is decided is decided by the kernel, inside activities, from the trace. So the workflow's own
history says when something was tried, and never what.

Replay: what is not in a running saga's history yet may change; everything else needs ``workflow.patched`` or another
build of the worker (docs/guide/temporal.md, "Changing the worker").
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, FailureError

with workflow.unsafe.imports_passed_through():
    from agent_saga.runtime.temporal import attributes
    from agent_saga.runtime.temporal.answering import GOING, Answering, cause_of
    from agent_saga.runtime.temporal.messages import Next, Order, Pending, Record, Standing, Turn
    from agent_saga.runtime.temporal.names import ACTIVITY, ONCE, TAKEN, WORKFLOW

T = TypeVar("T")
SLACK: Final = 60.0
"""Seconds beyond a tool's own timeout until its activity counts as lost: to read the trace and to write to it."""
DECIDING: Final = 600.0
"""Seconds for a decision: a slow model answers in a minute or two."""
STOPS: Final = frozenset({"execute", "reconcile", "check"})
"""What is not begun any more once the saga was cancelled; an undo is."""
AGAIN: Final = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_interval=timedelta(seconds=30))
ONLY_ONCE: Final = RetryPolicy(maximum_attempts=1)


@workflow.defn(name=WORKFLOW)
class SagaWorkflow(Answering):
    """Runs one saga until it has ended; waits for people as long as it takes."""

    @workflow.init
    def __init__(self, order: Order) -> None:
        """order: the saga, and where to go on."""
        super().__init__(order)
        self._pending, self._busy, self._cancelled_here = order.pending, order.busy, False

    @workflow.run
    async def run(self, order: Order) -> Standing:
        """Until the saga has ended. Raises CancelledError when it was undone because it was cancelled."""
        try:
            return await self._run()
        except FailureError:  # an alarm; who waits for the saga is not left without an answer
            await self._leave()
            raise

    async def _run(self) -> Standing:
        begun = self._turns
        while True:
            await self._renewed(self._turns - begun)
            following = await self._through(self._act())
            if following is None:
                self._pending = Pending(lost=True)
            elif following.kind == "end":
                return await self._ended(following)
            else:
                self._pending = await self._after(following)

    async def _act(self) -> Next | None:
        """The next activity; None when it ended and nobody knows what it did. Raises what must stop the workflow."""
        pending = self._pending
        turn = Turn(
            self._order.saga,
            self._order.name,
            self._place,
            pending,
            goal=self._order.goal if self._place.seq == 0 else None,
            cancel=self._cancelled == "asked" and pending.kind == "decide",
            busy=self._busy,
        )
        self._turns += 1
        try:
            following: Next = await self._start(
                pending.kind, turn, pending.seconds + SLACK if pending.seconds else DECIDING
            )
        except ActivityError as fault:
            if pending.kind not in ONCE or _type(fault) == TAKEN:
                raise cause_of(fault) from fault
            return None
        if turn.cancel:
            self._cancelled = "told"
        self._take(following)
        return following

    async def _start(self, kind: str, argument: Turn | Record, seconds: float) -> Any:
        return await workflow.execute_activity(
            ACTIVITY + kind,
            argument,
            result_type=Next if isinstance(argument, Turn) else None,
            start_to_close_timeout=timedelta(seconds=seconds),
            heartbeat_timeout=timedelta(seconds=self._order.heartbeat),
            retry_policy=ONLY_ONCE if kind in ONCE else AGAIN,
        )

    def _take(self, following: Next) -> None:
        self._place, self._busy = following.place, following.busy
        for name in following.gone:
            self._in_force.pop(name, None)
        self._in_force |= dict.fromkeys(following.gained)

    async def _after(self, following: Next) -> Pending:
        """What comes after an answer: the activity that it asks for, or the end of a wait."""
        if following.kind != "wait":
            self._rested = None
        if following.kind == "sleep":
            await self._through(self._wait(following.seconds))
            return Pending(lost=False, waited=following.until if self._cancelled != "asked" else "")
        if following.kind == "wait":
            await self._rest(following)
        elif self._cancelled == "asked" and following.kind in STOPS:
            return Pending(lost=False, uncalled=following.about if following.kind == "execute" else ())
        elif following.kind != "ask":
            return Pending(following.kind, following.about, following.seconds, lost=False, run=following.run)
        return Pending(lost=False)

    async def _rest(self, following: Next) -> None:
        """Until a person acted, the saga was cancelled, or the time for it is over."""
        self._rests, self._rested, self._status = following, None, following.status
        self._index()
        await self._through(self._wait(following.seconds, resting=True))
        while self._recording:
            await workflow.wait_condition(lambda: not self._recording)
        self._rests, self._rested, self._status, self._news = None, following, GOING, 0
        self._index()

    async def _wait(self, seconds: float, resting: bool = False) -> None:
        """Until news, a cancellation, or so many seconds (0: for ever, when resting)."""
        over = timedelta(seconds=seconds) if seconds or not resting else None
        if over == timedelta(0):
            return
        try:
            await workflow.wait_condition(
                lambda: self._cancelled == "asked" or (resting and bool(self._news) and not self._recording),
                timeout=over,
            )
        except TimeoutError:
            return

    async def _through(self, work: Awaitable[T]) -> T:
        """Finish the work although the saga is cancelled, and remember that it was."""
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._cancelled, self._cancelled_here = self._cancelled or "asked", True
            return await task

    async def _renewed(self, done: int) -> None:
        """Begin the history anew when it grew long. done: activities in this one."""
        if not (workflow.info().is_continue_as_new_suggested() or (self._order.many and done >= self._order.many)):
            return
        await self._leave()
        carried = replace(
            self._order,
            goal=self._order.goal if self._place.seq == 0 else None,
            place=self._place,
            pending=replace(self._pending, run=""),
            in_force=tuple(self._in_force),
            cancelled=self._cancelled,
            busy=self._busy,
            turns=self._turns,
        )
        workflow.continue_as_new(carried)

    async def _leave(self) -> None:
        """Let everybody who waits for an answer have one before this history ends."""
        self._leaving = True
        await self._through(workflow.wait_condition(workflow.all_handlers_finished))

    async def _ended(self, following: Next) -> Standing:
        self._rested, self._status = None, following.status
        self._index()
        await self._leave()
        if self._cancelled == "told" and self._cancelled_here:
            raise asyncio.CancelledError("the saga was cancelled, and its effects were undone")
        return self.state()

    def _index(self) -> None:
        if self._order.indexed:
            workflow.upsert_search_attributes(attributes.status(self._status))


def _type(fault: ActivityError) -> str:
    return (fault.cause.type or "") if isinstance(fault.cause, ApplicationError) else ""
