"""One saga at work: asks the kernel what is next, makes durable what was written, and does it."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from agent_saga.runtime.calls import Call
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.errors import DriverBusy
from agent_saga.runtime.gate import Request, counts, waives
from agent_saga.runtime.handing import facts_of, handed
from agent_saga.runtime.journal import Journal
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.actions import (
    Allowed,
    Append,
    Ask,
    CallEffects,
    CallUndo,
    Done,
    Draft,
    Moment,
    Reconcile,
    ReconcileUndo,
    RunCheck,
    View,
    Wait,
)
from agent_saga.runtime.kernel.asking import waiting
from agent_saga.runtime.kernel.consent import NOBODY
from agent_saga.runtime.kernel.decide import at_once, decide, next_check
from agent_saga.runtime.kernel.intents import calls_of, propose
from agent_saga.runtime.kernel.proposals import Finish, GiveUp, proposals_of
from agent_saga.runtime.kernel.soundness import Case
from agent_saga.runtime.kernel.state import Call as Known
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.kernel.waiting import given_up
from agent_saga.runtime.limits import DRIVER_PATIENCE
from agent_saga.runtime.outcomes import checked, effect_found, effect_outcome, undo_found, undo_outcome
from agent_saga.runtime.perform import ask, examine, perform
from agent_saga.runtime.policing.counting import Used, used_by
from agent_saga.runtime.policing.overtaking import take_back
from agent_saga.runtime.proposing import TimeIsUp, asked, time_left
from agent_saga.runtime.side_by_side import side_by_side
from agent_saga.runtime.surroundings import Surroundings
from agent_saga.runtime.times import seconds_between
from agent_saga.runtime.tools import Tool
from agent_saga.trace.store.errors import LimitReached

Drafts = tuple[Draft, ...]
Doable = Ask | CallEffects | CallUndo | Reconcile | ReconcileUndo | RunCheck | Wait
"""What the kernel asks for that is more than lines."""
OVERTAKEN = 1000
"""Times in a row that others may take a budget first: beyond, the gate lets through what no store can keep."""
CHECK_TIMEOUT = 30.0
"""Seconds that a check of the goal may take: as long as a tool, unless told otherwise."""


class Session:
    """Runs one saga until it ends or waits for a person."""

    def __init__(
        self, journal: Journal, definition: SagaDefinition, driver: DecisionDriver, surroundings: Surroundings
    ) -> None:
        self.journal, self.definition, self.driver, self._around = journal, definition, driver, surroundings
        self._counts, self._waives = counts(surroundings.gate), waives(surroundings.gate)
        self._overtaken = 0
        self.busy = 0
        """How often in a row the driver was busy."""

    @property
    def state(self) -> State:
        """The saga as its trace tells it."""
        return self.journal.state

    async def drive(self) -> Done | Wait:
        """Go on until the saga has ended or waits for a person. Raises StoreError, and what the driver raises."""
        while True:
            action = await self.next()
            if not (isinstance(action, Done) or (isinstance(action, Wait) and action.reason != "backoff")):
                await self.do(action)
            elif await self.durable():
                return action

    async def next(self) -> Doable | Done:
        """What is to be done now; the lines that come before it are written, and not durable yet."""
        while True:
            known = at_once(self.state)
            if known is not None:
                return known
            moment = await self._moment()
            action = decide(self.state, self.definition, self._around.gate, moment)
            if not isinstance(action, Append):
                return action
            self.journal.write(action.drafts, moment.at)

    async def do(self, action: Doable) -> None:
        """Do it, and write what came of it. What was written before is durable by then, unless the driver is immediate.

        Nothing is done where another process took the budget meanwhile: :meth:`next` tells what is to be done then.
        Raises StoreError, and what the driver raises.
        """
        if (isinstance(action, Ask) and self.driver.immediate) or await self.durable():
            self.journal.write(await self._do(action))

    async def durable(self) -> bool:
        """Make what is written durable; False where a part of it was taken back, since a limit is reached by now.

        Raises StoreError; then nothing may be acted on.
        """
        try:
            await self.journal.flush()
        except LimitReached as reached:
            self._overtaken += 1
            if self._overtaken > OVERTAKEN:
                raise
            await take_back(self.journal, self._case, self._put, reached.number)
            return False
        self._overtaken = 0
        return True

    async def _case(self, asked: Callable[[Case], list[Request]], shown: Sequence[Allowed] | None = None) -> Case:
        """What calls are judged by now, with what is used of the limits that they would take of. shown: as of Case."""
        moment = await self._moment()
        if self._counts:
            requests = asked(self._judged_by(moment, shown))
            moment = replace(moment, used={**moment.used, **await self._used(requests)})
        return self._judged_by(moment, shown)

    async def _put(self, drafts: Drafts, at: str) -> None:
        """Write what was decided at an instant; requests name the policy and registry that are in force."""
        if "approval.requested" in [draft.type for draft in drafts]:
            authority = await self._around.authority(self.state)
            self.journal.in_force = (authority.policy, authority.keys)
        self.journal.write(drafts, at)

    async def _used(self, requests: list[Request]) -> Used:
        return await used_by(self.journal.store, self.journal.spends, self._around.gate, requests)

    def _judged_by(self, moment: Moment, shown: Sequence[Allowed] | None = None) -> Case:
        return Case(self.state, self.definition, self._around.gate, moment, self.driver.name, shown=shown)

    async def _moment(self) -> Moment:
        """What surrounds a decision: the time, the kill switch, and where the parent stands, if there is one."""
        parent = self.state.started.parent if self.state.started else None
        stands = await self._around.parent(parent) if parent else ""
        asks = self.state.requests or self._waives
        authority = await self._around.authority(self.state) if asks else NOBODY
        stop = self._around.why_to_stop(self.state.saga, self.definition.name)
        moment = Moment(self.journal.now(), stop, stands, authority)
        if self.state.requests and self._counts:
            moment = replace(moment, used=await self._used(waiting(self._judged_by(moment))))
        return moment

    async def _do(self, action: Doable) -> Drafts:
        match action:
            case Ask():
                return await self._ask(action)
            case CallEffects():
                return await self._call(action)
            case CallUndo():
                undo = self.state.undos[action.undo]
                return (undo_outcome(undo, await perform(self._tool(undo), self._handed(undo))),)
            case Reconcile():
                effect = self.state.effects[action.effect]
                found = await ask(self._tool(effect), self._asking(effect))
                return (effect_found(self.definition, effect, found, self._around.gate),)
            case ReconcileUndo():
                undo = self.state.undos[action.undo]
                return (undo_found(undo, await ask(self._tool(undo), self._asking(undo))),)
            case RunCheck():
                return await self._check(action)
            case Wait():
                await self._around.sleep(max(0.0, seconds_between(self.journal.now(), action.until)))
                self.journal.waited = action.until
                return ()

    def _tool(self, call: Known) -> Tool:
        return self.definition.catalogue[call.tool]

    def _handed(self, call: Known) -> Call:
        return handed(self.state, self._tool(call), self._around.providers, call)

    def _asking(self, call: Known) -> Call:
        return handed(self.state, self._tool(call), self._around.providers, call, read_only=True)

    async def _call(self, action: CallEffects) -> Drafts:
        """Make the calls, several side by side."""
        if len(action.effects) == 1:
            return (await self._one(action.effects[0]),)
        return await side_by_side(self.journal, [self._one(name) for name in action.effects])

    async def _one(self, name: str) -> Draft:
        effect = self.state.effects[name]
        outcome = await perform(self._tool(effect), self._handed(effect))
        return effect_outcome(self.definition, effect, outcome, self._around.gate)

    async def _check(self, action: RunCheck) -> Drafts:
        if action.undo:
            undo = self.state.undos[action.undo]
            hook = self._tool(undo).checker
            assert hook is not None
            return (checked(action.id, await examine(hook, self._asking(undo), self._tool(undo).timeout)),)
        hook_of_goal = self.definition.goal_checks[action.check]
        about = facts_of(self.state, self._around.providers)
        return (checked(action.id, await examine(hook_of_goal, about, CHECK_TIMEOUT)),)

    async def _ask(self, action: Ask) -> Drafts:
        """The agent's turn. A busy model is asked again later; that never ends the forward work by itself."""
        try:
            left = time_left(self.state, self.definition.limits, self.journal.now)
            decision = await asked(self.driver, action.view, left)
        except DriverBusy as busy:
            self.busy += 1
            pause = self.definition.limits.backoff * float(2 ** min(self.busy, 20))
            await self._around.sleep(min(max(pause, busy.after or 0.0), DRIVER_PATIENCE))
            return ()
        except TimeIsUp:
            return ()
        except Exception:
            await self.journal.flush()  # what became of the calls before is known, and is not to be asked about again
            raise
        self.busy = 0
        return await self._answer(decision, action.view)

    async def _answer(self, decision: Any, view: View) -> Drafts:
        if isinstance(decision, GiveUp):
            return (given_up("agent_gave_up", decision.why),)
        if isinstance(decision, Finish):
            return await self._finish(decision)
        given = proposals_of(decision)
        case = await self._case(lambda case: calls_of(case, given), view.allowed)
        await self._put(propose(case, given), case.moment.at)
        return ()

    async def _finish(self, decision: Finish) -> Drafts:
        check = next_check(self.state, self.definition)
        if check is None or not plan.complete(self.state, self.definition):
            return (given_up("unfinished", decision.why),)
        await self.journal.flush()
        return await self._check(check)
