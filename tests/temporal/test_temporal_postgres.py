"""The lines of a saga on Temporal stand in PostgreSQL as they stand in SQLite."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from temporal_play import certified, compared
from temporal_sagas import World, at_work, two_steps
from temporal_servers import DevServer

from agent_saga.runtime.temporal import connect
from agent_saga.testing.demo import play as play_embedded
from agent_saga.testing.scenarios import SCENARIOS, lost_response
from agent_saga.trace.store import StoreError, open_store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "store_postgres"))

from pgfixtures import pg_address, pg_server

__all__ = ["pg_address", "pg_server"]


@pytest.mark.parametrize("scenario", [lost_response, SCENARIOS["business-failure"]], ids=lambda one: one.name)
def test_a_scenario_over_postgresql_gives_the_same_lines(
    scenario: Any, server: DevServer, pg_address: str, tmp_path: Path, run: Any
) -> None:
    async def played() -> Any:
        scenario.prepare(tmp_path / "shop")
        runnable = scenario(tmp_path / "shop")
        client, store = await connect(target_host=server.address), open_store(pg_address)
        try:
            async with at_work(client, store, runnable, queue=str(tmp_path)) as sagas:
                report = await sagas.run(runnable.definition.name, goal=runnable.goal)
                return report, await store.read(report.saga)
        finally:
            await store.close()

    report, lines = run(played())
    trace = tmp_path / "embedded.jsonl"
    play_embedded(scenario, tmp_path / "embedded.db", trace, lambda _: None)
    assert report.status == scenario.status
    assert compared(lines) == compared(trace.read_bytes().splitlines())
    assert certified(scenario, tmp_path, lines).findings == ()


def test_a_saga_goes_on_after_postgresql_was_killed_between_a_call_and_its_outcome(
    server: DevServer, pg_server: Any, pg_address: str, tmp_path: Path, run: Any
) -> None:
    async def played() -> Any:
        client, store = await connect(target_host=server.address), open_store(pg_address)
        world = World(gate=asyncio.Event())
        async with at_work(client, store, two_steps(world), queue=str(tmp_path)) as sagas:
            saga = await sagas.start("two")
            await world.begun.wait()
            await asyncio.to_thread(pg_server.kill)
            assert world.gate is not None
            world.gate.set()
            while not world.made:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)
            await asyncio.to_thread(pg_server.start)
            for _ in range(100):
                try:
                    report = await sagas.settled(saga)
                    break
                except StoreError:
                    await asyncio.sleep(0.1)
            lines = await store.read(saga)
            await store.close()
            return report, lines, world

    report, lines, world = run(played())
    assert report.status == "succeeded_verified"
    assert sorted(world.made.values()) == ["first", "second"]
    outcome = b'"type":"effect.reconciled"', b'"type":"effect.succeeded"'  # unknown where the store gave up waiting
    assert sum(b"".join(lines).count(word) for word in outcome) == 2
    assert certified(lost_response, tmp_path, lines).findings == ()
