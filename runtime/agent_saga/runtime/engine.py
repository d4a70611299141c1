"""The embedded engine: runs sagas in this process over a store, and takes up what a dead process left.

engine = Engine(open_store("orders.db"), gate=StaticGate(), providers={"psp": psp})
report = await engine.run(definition, driver, goal={"order": "o-1"})
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from agent_saga.runtime.approving.counting import count_signature
from agent_saga.runtime.approving.notifying import Notify, tell
from agent_saga.runtime.approving.recording import Verified, check_signed, recorded
from agent_saga.runtime.approving.standing import Standing
from agent_saga.runtime.beginning import Saga, check_goal, check_same, stands, started, with_children
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.drivers import DecisionDriver
from agent_saga.runtime.errors import SagaBusy, UnknownSaga
from agent_saga.runtime.failpoint import Failpoint
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.holding import held, held_or_given_back
from agent_saga.runtime.journal import Journal, Random, token
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.kernel.decide import recovered
from agent_saga.runtime.kernel.deciding import PersonDecision, judge
from agent_saga.runtime.kernel.fold import fold
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.limits import LEASE
from agent_saga.runtime.options import EngineOptions as EngineOptions
from agent_saga.runtime.options import never as never
from agent_saga.runtime.policing.given import Given, GivenWaivers, Policing
from agent_saga.runtime.policing.records import Sink
from agent_saga.runtime.recovering import each_taken_up
from agent_saga.runtime.report import Report, report_of
from agent_saga.runtime.session import Session
from agent_saga.runtime.surroundings import Surroundings
from agent_saga.runtime.times import utc_now
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.events import EffectRef
from agent_saga.trace.store import Lease, Store


class Engine:
    """Runs sagas over one store."""

    def __init__(
        self,
        store: Store,
        *,
        gate: Gate | None = None,
        policy: Given | None = None,
        waivers: GivenWaivers | None = None,
        records: Sink | None = None,
        providers: Mapping[str, Any] | None = None,
        registry: Any = None,
        notify: Notify | None = None,
        log: str | None = None,
        stop: Callable[[str, str], str] = never,
        lease: float = LEASE,
        holder: str = "",
        clock: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Random = os.urandom,
    ) -> None:
        """store: where the trace is kept. gate: asked before every effect. providers: handles for tools, by name.

        policy: in place of a gate, a policy or its file (:mod:`agent_saga.runtime.policing`); the trace names it by its
        digest. waivers: of that policy, or their file. records: told each answer of the policy, as a JSON line.
        registry: the key registry that approvals are judged by, as parsed from its file; for a store whose log holds
        none. notify: told of every new request for approval (:mod:`agent_saga.runtime.approving.notifying`). log:
        origin of the log; None for the store's own. stop: the kill switch, told saga id and name, answers why to stop,
        or "". lease: seconds that a saga is held without a sign of life. holder: this process, unique. clock, sleep,
        random: for tests. Raises RegistryFault, PolicyError, PolicyMismatch.
        """
        self.store, self._log, self._lease = store, log, lease
        self.policing = Policing(policy, waivers, registry, gate, records)
        self._standing = Standing(store, registry, self.policing.digest)
        gate, to_parent = self.policing.gate, partial(stands, store)
        self._around = Surroundings(gate, dict(providers or {}), stop, sleep, to_parent, self._standing.of)
        self._holder = holder or f"{os.uname().nodename}-{os.getpid()}-{token(os.urandom)}"
        self._clock, self._random = clock, random
        self._notify = notify
        self._failpoint = Failpoint.of(os.environ)

    async def run(
        self,
        definition: SagaDefinition,
        driver: DecisionDriver,
        *,
        goal: Any = None,
        saga: str | None = None,
        parent: EffectRef | None = None,
    ) -> Report:
        """Begin a saga, or go on with the one of this id, until it ends or waits for a person.

        parent: the effect of another saga that this one carries out (:mod:`agent_saga.runtime.children`).
        Raises SagaBusy while another process holds it, LeaseLost when this one lost it, RuntimeFault for a goal that
        cannot be written, StoreError when a line cannot be made durable (then the call it announces was not made).
        """
        check_goal(goal)
        journal = await self.take(saga or token(self._random))
        try:
            session = await self.session(journal, definition, driver, goal=goal, parent=parent)
            known = tuple(one.leaf for one in journal.state.requests.values())
            journal.write(recovered(journal.state))
            journal.lets_go = True
            report = report_of(session.state, await self.hold(journal, session.drive()))
        finally:
            await self.release(journal)
        await self.rested(definition, report, known)
        return report

    async def session(
        self,
        journal: Journal,
        definition: SagaDefinition,
        driver: DecisionDriver,
        *,
        goal: Any = None,
        parent: EffectRef | None = None,
    ) -> Session:
        """The work on a saga that was taken; its first line is written where there is none.

        Raises UnknownSaga, PolicyMismatch.
        """
        journal.conceals, journal.records = definition.conceals, self.policing.records
        authority = await self._standing.now()
        self.policing.check(definition, authority, journal.state)
        if journal.state.started is None:
            journal.write((started(self._log, definition, driver.name, goal, parent, authority),))
        else:
            check_same(journal.state, definition)
        return Session(journal, definition, driver, self._around)

    async def hold(self, journal: Journal, work: Any) -> Any:
        """Do the work while the saga's lease is kept alive. Raises LeaseLost, and what the work raises."""
        done = await held(journal, work, self._lease, self._clock)
        self._standing.begun = True
        return done

    async def rested(self, definition: SagaDefinition, report: Report, known: Sequence[str] = ()) -> None:
        """What is due when a saga rests: people are told of new requests, and its children end with it.

        known: leaves of the requests that were told of before.
        """
        if self._notify is not None and report.status == "waiting_approval":
            await tell(self._notify, report.state, known, await self._standing.of(report.state))
        if report.ended:
            await self._end_children(definition, report.state)

    async def _end_children(self, definition: SagaDefinition, state: State) -> None:
        """The sagas that carried out effects of this one end with it. What is left open, :meth:`recover` ends."""
        for effect in state.effects.values():
            child = definition.catalogue[effect.tool].child
            if child is not None and effect.in_force:
                await self.run(*child, saga=effect.key)

    async def recover(self, sagas: Mapping[str, Saga] | Sequence[Saga]) -> list[Report]:
        """Take up every open saga that nobody holds. sagas: definition and driver, by the saga's name.

        Sagas of other names are left alone. An intent without an outcome is reconciled, never run again blindly.
        Raises NotRecovered at the end, with all reports and faults, when some could not be taken up; they do not hold
        up the others.
        """
        by_name = with_children(sagas.values() if isinstance(sagas, Mapping) else sagas)

        async def take_up(saga: str) -> Report | None:
            started = fold((await self.store.read(saga))[:1]).started
            if started is None or started.name not in by_name:
                return None
            definition, driver = by_name[started.name]
            return await self.run(definition, driver, saga=saga)

        return await each_taken_up(await self.store.expired(self._clock().timestamp()), take_up)

    async def approve(self, saga: str, proof: Mapping[str, Any]) -> None:
        """Write a person's signed answer to a request for approval; :meth:`run` or :meth:`recover` goes on from there.

        proof: as on an approval.recorded line. It is verified here, and once more before the call that it allows.
        Raises NotApproved, StaleDecision, SagaBusy, UnknownSaga; then nothing was written.
        """
        await self._answered(saga, lambda journal, authority: recorded(journal.state, proof, authority, journal.now()))

    async def decide(self, saga: str, decision: PersonDecision) -> None:
        """Write a person's decision; :meth:`run` or :meth:`recover` goes on from there.

        Where a key registry is in force, the decision's proof is verified. Raises StaleDecision, NotEntitled,
        NotApproved, SagaBusy, UnknownSaga; then nothing was written.
        """

        def decided(journal: Journal, authority: Authority) -> Verified:
            signed = authority.keys is not None
            draft = judge(journal.state, self._around.gate, decision, signed)
            who = self.policing.deciders(decision.verdict)
            return check_signed(journal.state, draft, authority, journal.now(), who) if signed else (draft, None)

        await self._answered(saga, decided)

    async def _answered(self, saga: str, verify: Callable[[Journal, Authority], Verified]) -> None:
        journal = await self.take(saga)
        try:
            if journal.state.started is None:
                raise UnknownSaga(f"the store holds no saga {saga}")
            draft, signed = verify(journal, await self._standing.of(journal.state))
            if signed is not None and draft.members.get("decision") != "deny":  # whoever says no is heard in any case
                await count_signature(self.store, signed)
            journal.write((draft,))
            await journal.flush()
        finally:
            await self.release(journal)

    async def state(self, saga: str) -> State:
        """The saga as its trace tells it. Raises UnknownSaga."""
        lines = await self.store.read(saga)
        if not lines:
            raise UnknownSaga(f"the store holds no saga {saga}")
        return fold(lines, Disclosures((saga, text) for text in await self.store.disclosures(saga)))

    async def take(self, saga: str) -> Journal:
        """The saga's journal under a new lease of ours, folded up to its last line. Raises SagaBusy."""
        now = self._clock().timestamp()
        lease = await held_or_given_back(self.store, self.store.acquire(saga, self._holder, self._lease, now))
        if lease is None:
            raise SagaBusy(f"saga {saga} is held by another process; it is free again when that one ends or is silent")
        journal = self.journal(lease)
        try:
            if lease.lines != 0:  # a new saga is not read: that takes longer than its first commit
                await journal.load()
        except BaseException:
            await self.release(journal)
            raise
        return journal

    def journal(self, lease: Lease) -> Journal:
        """The journal of a saga that was taken, not loaded yet."""
        journal = Journal(self.store, lease.saga, self._clock, self._random, self._failpoint)
        journal.lease = lease
        return journal

    async def release(self, journal: Journal) -> None:
        """Let go of the saga, so that others need not wait."""
        if journal.lease is not None:
            await self.store.release(journal.lease)
