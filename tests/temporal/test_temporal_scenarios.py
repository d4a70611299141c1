"""Every scenario on Temporal leaves the lines that the embedded engine leaves, and certifies the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from temporal_play import compared, play
from temporal_servers import DevServer

from agent_saga.runtime.temporal import connect
from agent_saga.testing.demo import play as play_embedded
from agent_saga.testing.scenarios import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_gives_the_same_lines_on_both_engines_and_certifies_the_same(
    name: str, server: DevServer, tmp_path: Path, run
) -> None:
    scenario = SCENARIOS[name]
    (tmp_path / "embedded").mkdir()
    trace = tmp_path / "embedded" / "saga.jsonl"
    embedded = play_embedded(scenario, tmp_path / "embedded" / "saga.db", trace, lambda _: None)

    async def played():
        client = await connect(target_host=server.address)
        return await play(client, server.address, scenario, tmp_path / "temporal")

    temporal = run(played())
    assert compared(temporal.lines) == compared(trace.read_bytes().splitlines())
    assert temporal.report.status == embedded.report.status == scenario.status
    assert temporal.counts == dict(scenario.ledger)
    assert temporal.findings == frozenset(one.code for one in embedded.certificate.findings) == scenario.findings
    assert temporal.certificate.verdict == embedded.certificate.verdict
    assert temporal.deaths == (1 if name == "crash" else 0)
