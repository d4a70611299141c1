"""The half of the workflow that others speak to: a query, a signal, and the updates by which people answer.

An update is refused by its validator, without a trace in the history, when nothing waits for it; what is accepted is
verified by an activity and becomes a line, one at a time. Whoever answers while the kernel weighs another answer waits
for that.
"""

from collections.abc import Awaitable
from typing import Any, Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.requests import parse_request
    from agent_saga.runtime.temporal.messages import Answer, Decision, Next, Order, Record, Standing
    from agent_saga.runtime.temporal.names import NOT_NOW

GOING: Final = "going"
"""The status of a saga that waits for nobody and has not ended."""
RECORDING: Final = 120.0
"""Seconds to verify and write a person's word."""


class Answering:
    """Where a saga stands, and what people may say to it.

    rests: what it waits for; rested: what it waited for until an answer came that the kernel weighs. news: answers and
    signals since it began to wait. recording: one is being written. leaving: this history ends.
    """

    def __init__(self, order: Order) -> None:
        self._order, self._place = order, order.place
        self._in_force = dict.fromkeys(order.in_force)
        self._cancelled, self._turns = order.cancelled, order.turns
        self._rests: Next | None = None
        self._rested: Next | None = None
        self._status = GOING
        self._news = 0
        self._recording = self._leaving = False

    def _start(self, kind: str, argument: Any, seconds: float) -> Awaitable[Any]:
        """Start an activity of this kind."""
        raise NotImplementedError

    @workflow.query
    def state(self) -> Standing:
        """Where the saga stands."""
        rests = self._rests
        return Standing(
            saga=self._order.saga,
            name=self._order.name,
            status=self._status,
            about=rests.about if rests else (),
            pause=rests.pause if rests else "",
            in_force=tuple(self._in_force),
            seq=self._place.seq,
            head=self._place.head,
            turns=self._turns,
            cancelled=bool(self._cancelled),
        )

    @workflow.signal
    def look(self) -> None:
        """Somebody wrote to the store, or a switch was turned: decide anew."""
        self._news += 1

    @workflow.update
    async def settled(self) -> Standing:
        """Where the saga stands as soon as it rests; ``going`` when the workflow is continued before that."""
        await workflow.wait_condition(
            lambda: self._leaving or (self._status != GOING and not (self._news or self._recording))
        )
        return self.state()

    @workflow.update
    async def approve(self, answer: Answer) -> Standing:
        """A person's signed answer to a request for approval. Verified and written by an activity."""
        return await self._told(Record(self._order.saga, self._order.name, proof=answer.proof), "approval")

    @approve.validator
    def _may_approve(self, answer: Answer) -> None:
        """Refuses, without a trace in the history, what answers no request that waits here."""
        rests = self._waits_for("approval")
        try:
            asked = parse_request(answer.proof.get("request"))
        except NotApproved as fault:
            raise ApplicationError(str(fault), fault.reason, type="NotApproved") from fault
        if asked.content.saga != self._order.saga or asked.content.step not in rests.about:
            raise _not_now(f"saga {self._order.saga} waits for {', '.join(rests.about)}, not for what was answered")

    @workflow.update
    async def decide(self, decision: Decision) -> Standing:
        """A person's decision about what could not be proven. Judged and written by an activity."""
        return await self._told(Record(self._order.saga, self._order.name, decision=decision), "paused", "stopped")

    @decide.validator
    def _may_decide(self, decision: Decision) -> None:
        rests = self._waits_for("paused", "stopped")
        if decision.target not in rests.about:
            raise _not_now(f"{decision.target} does not wait for a person; waiting: {', '.join(rests.about)}")

    def _waits_for(self, *reasons: str) -> Next:
        """What the saga waits for, or waited for until an answer came that is being weighed. Raises StaleDecision."""
        rests = self._rests or self._rested
        if rests is None or rests.reason not in reasons:
            raise _not_now(f"saga {self._order.saga} is {self._status}: it waits for nobody's word")
        return rests

    async def _told(self, record: Record, *reasons: str) -> Standing:
        """Write a person's word while the saga rests; one at a time."""
        while self._weighs() and not self._leaving:
            await workflow.wait_condition(lambda: self._leaving or not self._weighs())
        if self._rests is None:
            self._rested = None
        self._waits_for(*reasons)
        self._recording = True
        try:
            await self._start("record", record, RECORDING)
        except ActivityError as fault:
            raise cause_of(fault) from fault
        finally:
            self._recording = False
        self._news += 1
        return self.state()

    def _weighs(self) -> bool:
        """Whether an earlier answer is being written, or weighed by the kernel."""
        return self._recording or bool(self._news) or (self._rests is None and self._rested is not None)


def _not_now(words: str) -> ApplicationError:
    return ApplicationError(words, type=NOT_NOW)


def cause_of(fault: ActivityError) -> BaseException:
    """What the activity failed with, so that whoever asked hears it and not that an activity failed."""
    return fault.cause if isinstance(fault.cause, ApplicationError) else fault
