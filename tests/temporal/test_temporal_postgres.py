"""The lines of a saga on Temporal stand in PostgreSQL as they stand in SQLite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from temporal_play import certified, compared
from temporal_sagas import at_work
from temporal_servers import DevServer

from agent_saga.runtime.temporal import connect
from agent_saga.testing.demo import play as play_embedded
from agent_saga.testing.scenarios import SCENARIOS, lost_response
from agent_saga.trace.store import open_store

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
