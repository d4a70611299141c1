"""The Temporal engine as its users see it: begin a saga, wait until it rests, answer for it, cancel it, ask about it.

    sagas = SagaClient(await connect(), store)
    report = await sagas.run(checkout, goal={"order": "o-1"}, saga="o-1")

The report is folded from the store, as the embedded engine's is: the server is believed about nothing.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.service import RPCError, RPCStatusCode

from agent_saga.approvals.errors import NotApproved
from agent_saga.runtime.beginning import check_goal
from agent_saga.runtime.errors import NotEntitled, StaleDecision, UnknownSaga
from agent_saga.runtime.journal import token
from agent_saga.runtime.kernel.actions import Done, Wait
from agent_saga.runtime.kernel.deciding import PersonDecision
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.report import WAITING, Report, report_of
from agent_saga.runtime.temporal import attributes
from agent_saga.runtime.temporal.answering import GOING
from agent_saga.runtime.temporal.errors import WorkflowFault
from agent_saga.runtime.temporal.messages import Answer, Decision, Order, Standing
from agent_saga.runtime.temporal.names import TASK_QUEUE, WORKFLOW, workflow_id
from agent_saga.runtime.temporal.patience import patiently
from agent_saga.runtime.temporal.workflow import SagaWorkflow
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.store import Store

T = TypeVar("T")
Handle = WorkflowHandle[SagaWorkflow, Standing]
_REASONS = {word: reason for reason, word in WAITING.items()}
_REFUSED: dict[str, Callable[[str], Exception]] = {
    "StaleDecision": StaleDecision,
    "NotEntitled": NotEntitled,
    "UnknownSaga": UnknownSaga,
}


@dataclass(frozen=True)
class Share:
    """How a saga's work is ordered among others where work waits.

    priority: 1 (first) to 5 (last), 0: the server's own default. tenant: whose it is; tenants get equal shares, times
    weight. The server sees a digest of the tenant's name, not the name.
    """

    tenant: str = ""
    priority: int = 0
    weight: float = 1.0

    def priorities(self) -> Priority:
        """As the server takes it. The key is a digest, since fairness needs only that equal ones are equal."""
        key = sha256(b"agent-saga/tenant/v1\0" + self.tenant.encode()).hexdigest()[:32] if self.tenant else None
        return Priority(self.priority or None, key, self.weight if key else None)


NO_SHARE = Share()


class SagaClient:
    """Sagas on one task queue of a Temporal server."""

    def __init__(
        self,
        client: Client,
        store: Store,
        *,
        task_queue: str = TASK_QUEUE,
        heartbeat: float = 5.0,
        indexed: bool = False,
        many: int = 0,
        patience: float = 60.0,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """store: the one that the workers write. heartbeat: seconds until a silent worker counts as dead.

        indexed: the namespace has our search attributes. many: activities after which a history is begun anew; 0:
        when the server suggests it. patience: seconds to wait for a server that is away. random: for ids.
        """
        self.client, self.store, self.task_queue = client, store, task_queue
        self._heartbeat, self._indexed, self._many = heartbeat, indexed, many
        self._patience, self._random = patience, random

    async def start(self, name: str, *, goal: Any = None, saga: str | None = None, share: Share = NO_SHARE) -> str:
        """Begin the saga, or find it where it is; returns its id. name: of its definition.

        Raises RuntimeFault for a goal that cannot be written.
        """
        check_goal(goal)
        saga = saga or token(self._random)
        await self.client.start_workflow(
            WORKFLOW,
            Order(saga, name, goal, self._heartbeat, self._indexed, self._many),
            id=workflow_id(saga),
            task_queue=self.task_queue,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            priority=share.priorities(),
            search_attributes=attributes.beginning(name) if self._indexed else None,
        )
        return saga

    async def run(self, name: str, *, goal: Any = None, saga: str | None = None, share: Share = NO_SHARE) -> Report:
        """:meth:`start`, then :meth:`settled`. A saga that is named looks into the store again, if it waits."""
        begun = await self.start(name, goal=goal, saga=saga, share=share)
        if saga is not None:
            await self.look(saga)
        return await self.settled(begun)

    async def settled(self, saga: str) -> Report:
        """The report as soon as the saga has ended or waits for a person. Raises UnknownSaga, WorkflowFault."""
        handle = self._handle(saga)
        while True:
            try:
                standing = await self._patiently(lambda: handle.execute_update(SagaWorkflow.settled))
            except RPCError as fault:
                if fault.status is not RPCStatusCode.NOT_FOUND:
                    raise
                return await self._ended(handle, saga)
            except WorkflowUpdateFailedError:
                return await self._ended(handle, saga)
            if standing.status != GOING:
                return await self._report(saga, standing)

    async def _ended(self, handle: Handle, saga: str) -> Report:
        try:
            return await self._report(saga, await self._patiently(handle.result))
        except WorkflowFailureError as fault:
            if isinstance(fault.cause, CancelledError):
                return await self._report(saga, None)
            cause = getattr(fault.cause, "message", "") or fault.cause or fault
            raise WorkflowFault(f"the workflow of saga {saga} ended without it: {cause}") from fault
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                raise UnknownSaga(f"the server has no workflow of saga {saga}") from fault
            raise

    async def _report(self, saga: str, standing: Standing | None) -> Report:
        state = await self.state(saga)
        if state.ended is not None:
            return report_of(state, Done(state.ended.status, state.ended.held))
        assert standing is not None
        return report_of(state, Wait(_REASONS.get(standing.status, standing.status), about=standing.about))

    async def approve(self, saga: str, proof: Mapping[str, Any]) -> None:
        """Hand in a person's signed answer. Raises NotApproved, StaleDecision, UnknownSaga; nothing is written then."""
        await self._update(saga, SagaWorkflow.approve, Answer(dict(proof)))

    async def decide(self, saga: str, decision: PersonDecision) -> None:
        """Hand in a person's decision. Raises NotApproved, NotEntitled, StaleDecision, UnknownSaga, likewise."""
        one = decision
        given = Decision(one.target, one.verdict, one.person, one.reason, one.pause, dict(one.proof))
        await self._update(saga, SagaWorkflow.decide, given)

    async def _update(self, saga: str, update: Any, argument: Answer | Decision) -> None:
        handle, once = self._handle(saga), token(self._random)
        try:
            await self._patiently(lambda: handle.execute_update(update, argument, id=once))
        except WorkflowUpdateFailedError as fault:
            raise _refusal(fault.cause) from fault
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                raise StaleDecision(f"saga {saga} does not run any more, or never did") from fault
            raise

    async def look(self, saga: str) -> None:
        """Tell the saga that somebody wrote to the store past the workflow, so that it decides anew."""
        try:
            await self._handle(saga).signal(SagaWorkflow.look)
        except RPCError as fault:
            if fault.status is not RPCStatusCode.NOT_FOUND:  # it has ended meanwhile
                raise

    async def cancel(self, saga: str) -> None:
        """No new effect; what is in force is undone. The call that is under way is awaited, and undone too."""
        await self._handle(saga).cancel()

    async def standing(self, saga: str) -> Standing:
        """What the workflow says of itself."""
        return await self._handle(saga).query(SagaWorkflow.state)

    async def state(self, saga: str) -> State:
        """The saga as its trace tells it. Raises UnknownSaga."""
        lines = await self.store.read(saga)
        if not lines:
            raise UnknownSaga(f"the store holds no saga {saga}")
        return fold(lines, Disclosures((saga, text) for text in await self.store.disclosures(saga)))

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        return await patiently(call, self._patience)

    def _handle(self, saga: str) -> Handle:
        return self.client.get_workflow_handle_for(SagaWorkflow.run, workflow_id(saga))


def _refusal(cause: BaseException | None) -> Exception:
    """The error that the embedded engine would have raised."""
    words = getattr(cause, "message", str(cause))
    kind = cause.type if isinstance(cause, ApplicationError) else None
    if isinstance(cause, ApplicationError) and kind == "NotApproved":
        return NotApproved(str(cause.details[0]) if cause.details else "not-approved", words)
    return _REFUSED.get(kind or "", WorkflowFault)(words)
