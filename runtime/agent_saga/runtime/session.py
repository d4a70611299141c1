"""One saga at work: asks the kernel what is next, makes durable what was written, and does it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent_saga.runtime.calls import Call, Facts
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.errors import BadProposal, DriverBusy
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.journal import Journal
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.actions import (
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
    Wait,
)
from agent_saga.runtime.kernel.consent import NOBODY, Authority
from agent_saga.runtime.kernel.decide import decide, next_check
from agent_saga.runtime.kernel.intents import UNNAMED, propose
from agent_saga.runtime.kernel.payload import unsound
from agent_saga.runtime.kernel.proposals import Finish, GiveUp, Proposal
from agent_saga.runtime.kernel.soundness import Case
from agent_saga.runtime.kernel.state import APPLIED, State, plan_of
from agent_saga.runtime.kernel.state import Call as Known
from agent_saga.runtime.limits import DRIVER_PATIENCE
from agent_saga.runtime.outcomes import checked, effect_found, effect_outcome, undo_found, undo_outcome
from agent_saga.runtime.perform import ask, examine, perform
from agent_saga.runtime.times import seconds_between
from agent_saga.runtime.tools import Tool
from agent_saga.trace.events import EffectRef

Drafts = tuple[Draft, ...]
Doable = Ask | CallEffects | CallUndo | Reconcile | ReconcileUndo | RunCheck | Wait
"""What the kernel asks for that is more than lines."""
CHECK_TIMEOUT = 30.0
"""Seconds that a check of the goal may take: as long as a tool, unless told otherwise."""


async def alone(parent: EffectRef) -> str:
    """Where a parent stands that nobody asks about: the child ends when it is done."""
    return ""


async def nobody(state: State) -> Authority:
    """Who may approve where there is no registry."""
    return NOBODY


@dataclass(frozen=True)
class Surroundings:
    """What every session of an engine shares. stop: why a saga (id, name) is to stop, or "".

    parent: where the effect of another saga stands that this one carries out, as in :class:`Moment`. authority: who may
    approve what a saga asks.
    """

    gate: Gate
    providers: Mapping[str, Any]
    stop: Callable[[str, str], str]
    sleep: Callable[[float], Awaitable[None]]
    parent: Callable[[EffectRef], Awaitable[str]] = alone
    authority: Callable[[State], Awaitable[Authority]] = nobody


class Session:
    """Runs one saga until it ends or waits for a person."""

    def __init__(
        self, journal: Journal, definition: SagaDefinition, driver: DecisionDriver, surroundings: Surroundings
    ) -> None:
        self.journal, self.definition, self.driver, self._around = journal, definition, driver, surroundings
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
            if isinstance(action, Done) or (isinstance(action, Wait) and action.reason != "backoff"):
                await self.journal.flush()
                return action
            await self.do(action)

    async def next(self) -> Doable | Done:
        """What is to be done now; the lines that come before it are written, and not durable yet."""
        while True:
            action = decide(self.state, self.definition, self._around.gate, await self._moment())
            if not isinstance(action, Append):
                return action
            self.journal.write(action.drafts)

    async def do(self, action: Doable) -> None:
        """Do it, and write what came of it. What was written before is durable by then, unless the driver is immediate.

        Raises StoreError, and what the driver raises.
        """
        if not (isinstance(action, Ask) and self.driver.immediate):
            await self.journal.flush()
        self.journal.write(await self._do(action))

    async def _moment(self) -> Moment:
        """What surrounds a decision: the time, the kill switch, and where the parent stands, if there is one."""
        parent = self.state.started.parent if self.state.started else None
        stands = await self._around.parent(parent) if parent else ""
        authority = await self._around.authority(self.state) if self.state.requests else NOBODY
        return Moment(self.journal.now(), self._stop(), stands, authority)

    def _stop(self) -> str:
        try:
            return self._around.stop(self.state.saga, self.definition.name)
        except Exception:
            return "kill_switch_unreadable"  # what cannot be read may be on

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
                return (effect_found(self.definition, effect, await ask(self._tool(effect), self._asking(effect))),)
            case ReconcileUndo():
                undo = self.state.undos[action.undo]
                return (undo_found(undo, await ask(self._tool(undo), self._asking(undo))),)
            case RunCheck():
                return await self._check(action)
            case Wait():
                await self._around.sleep(max(0.0, seconds_between(self.journal.now(), action.until)))
                return ()

    def _tool(self, call: Known) -> Tool:
        return self.definition.catalogue[call.tool]

    def _handed(self, call: Known, read_only: bool = False) -> Call:
        """What a tool is handed for a call: a preview, and whoever only asks, gets readers."""
        effect = self.state.effects[getattr(call, "effect", call.id)]
        reads = read_only or self._tool(call).semantics == "preview"
        return Call(
            tool=call.tool,
            args=call.args,
            key=call.key,
            attempt=call.attempt,
            saga=self.state.saga,
            effect=effect.id,
            step=effect.step,
            read_only=reads,
            providers=self._around.providers,
        )

    def _asking(self, call: Known) -> Call:
        return self._handed(call, read_only=True)

    async def _call(self, action: CallEffects) -> Drafts:
        """Make the calls side by side; each outcome but the last becomes durable as it comes."""
        if len(action.effects) == 1:
            return (await self._one(action.effects[0]),)
        tasks = [asyncio.ensure_future(self._one(name)) for name in action.effects]
        try:
            for number, task in enumerate(asyncio.as_completed(tasks), 1):
                draft = await task
                if number == len(tasks):
                    return (draft,)
                self.journal.write((draft,))
                await self.journal.flush()
        finally:
            for one in tasks:
                one.cancel()
        return ()

    async def _one(self, name: str) -> Draft:
        effect = self.state.effects[name]
        return effect_outcome(self.definition, effect, await perform(self._tool(effect), self._handed(effect)))

    async def _check(self, action: RunCheck) -> Drafts:
        if action.undo:
            undo = self.state.undos[action.undo]
            hook = self._tool(undo).checker
            assert hook is not None
            return (checked(action.id, await examine(hook, self._asking(undo), self._tool(undo).timeout)),)
        hook_of_goal = self.definition.goal_checks[action.check]
        return (checked(action.id, await examine(hook_of_goal, self._facts(), CHECK_TIMEOUT)),)

    def _facts(self) -> Facts:
        applied = [one for one in self.state.effects.values() if one.state == APPLIED and not one.undone]
        results = {plan_of(effect.step): effect.result for effect in applied}
        goal = self.state.started.goal if self.state.started else None
        return Facts(self.state.saga, results, goal, self._around.providers)

    async def _ask(self, action: Ask) -> Drafts:
        """The agent's turn. A busy model is asked again later; that never ends the forward work by itself."""
        try:
            decision = await self.driver.propose(action.view)
        except DriverBusy as busy:
            self.busy += 1
            pause = self.definition.limits.backoff * float(2 ** min(self.busy, 20))
            await self._around.sleep(min(max(pause, busy.after or 0.0), DRIVER_PATIENCE))
            return ()
        except BadProposal as bad:
            decision = Proposal(UNNAMED, fault=("no_proposal", str(bad)[:200]))
        self.busy = 0
        return await self._answer(decision)

    async def _answer(self, decision: Any) -> Drafts:
        if isinstance(decision, GiveUp):
            return (_rollback("agent_gave_up", decision.why),)
        if isinstance(decision, Finish):
            return await self._finish(decision)
        proposals = decision if isinstance(decision, list | tuple) else (decision,)
        if not proposals or not all(isinstance(one, Proposal) for one in proposals):
            fault = "no_proposal", f"answered with a {type(decision).__name__}, which is no proposal"
            proposals = (Proposal(UNNAMED, fault=fault),)
        moment = await self._moment()
        case = Case(self.state, self.definition, self._around.gate, moment, self.driver.name)
        drafts = propose(case, tuple(proposals))
        if any(draft.type == "approval.requested" for draft in drafts):
            authority = await self._around.authority(self.state)
            self.journal.in_force = (authority.policy, authority.keys)
        return drafts

    async def _finish(self, decision: Finish) -> Drafts:
        check = next_check(self.state, self.definition)
        if check is None or not plan.complete(self.state, self.definition):
            return (_rollback("unfinished", decision.why),)
        await self.journal.flush()
        return await self._check(check)


def _rollback(code: str, why: Any) -> Draft:
    cause: dict[str, Any] = {"code": code}
    return Draft("rollback.started", {"cause": cause | ({"why": why} if why is not None and not unsound(why) else {})})
