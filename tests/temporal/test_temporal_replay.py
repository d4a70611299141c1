"""Histories of earlier releases replay; a workflow that was changed without a patch does not."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from make_histories import STORIES, cleaned
from temporal_servers import DevServer
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import NondeterminismError

from agent_saga.runtime.temporal import connect
from agent_saga.runtime.temporal.messages import Order, Standing
from agent_saga.runtime.temporal.names import WORKFLOW, workflow_id
from agent_saga.runtime.temporal.payloads import converter
from agent_saga.runtime.temporal.workflow import SagaWorkflow
from agent_saga.runtime.temporal.working import RUNNER

HISTORIES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "temporal" / "histories").glob("*.json"))
FREE = SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_all_modules())


async def replayed(path: Path, changed: type[Any] = SagaWorkflow) -> None:
    runner = RUNNER if changed is SagaWorkflow else FREE
    replayer = Replayer(workflows=[changed], data_converter=converter(), workflow_runner=runner)
    history = WorkflowHistory.from_json(path.stem, path.read_text(encoding="utf-8"))
    await replayer.replay_workflow(history)


@workflow.defn(name=WORKFLOW)
class Hasty(SagaWorkflow):
    """A later release that waits a moment first, and forgot to say so with a patch."""

    @workflow.init
    def __init__(self, order: Order) -> None:
        super().__init__(order)

    @workflow.run
    async def run(self, order: Order) -> Standing:
        await workflow.sleep(timedelta(seconds=1))
        return await super().run(order)


@workflow.defn(name=WORKFLOW)
class Renamed(SagaWorkflow):
    """A later release whose activities have other names."""

    @workflow.init
    def __init__(self, order: Order) -> None:
        super().__init__(order)

    @workflow.run
    async def run(self, order: Order) -> Standing:
        return await super().run(order)

    async def _start(self, kind: str, argument: Any, seconds: float) -> Any:
        return await super()._start(f"{kind}-anew", argument, seconds)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_a_saved_history_replays(path: Path, run: Any) -> None:
    run(replayed(path))


def test_there_is_a_history_of_every_story() -> None:
    assert {path.stem for path in HISTORIES} == set(STORIES)


@pytest.mark.parametrize("changed", [Hasty, Renamed])
@pytest.mark.parametrize("path", HISTORIES[:2], ids=lambda path: path.stem)
def test_a_workflow_that_was_changed_without_a_patch_fails_the_replay(path: Path, changed: Any, run: Any) -> None:
    with pytest.raises(NondeterminismError):
        run(replayed(path, changed))


def test_what_ran_today_replays(server: DevServer, tmp_path: Path, run: Any) -> None:
    """So that a history could be saved of it."""

    async def today() -> None:
        client = await connect(target_host=server.address)
        saga = await STORIES["happy-path"](client, tmp_path)
        history = await client.get_workflow_handle(workflow_id(saga)).fetch_history()
        saved = tmp_path / "today.json"
        saved.write_text(json.dumps(cleaned(history.to_json())), encoding="utf-8")
        await replayed(saved)

    run(today())
