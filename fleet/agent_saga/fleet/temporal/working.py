"""The worker: judges parts, one at a time, since each takes a core."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.judging import Judging
from agent_saga.fleet.temporal.messages import TASK_QUEUE
from agent_saga.fleet.temporal.workflow import CertifyWorkflow

_PATIENCE = timedelta(seconds=5)
"""Until a dead worker's workflows go to others."""


def certify_worker(client: Client, folder: Path, task_queue: str = TASK_QUEUE) -> Worker:
    """A worker that keeps what it finds in a folder which all workers and the asker share. Raises FleetFault."""
    if not folder.is_dir():
        raise FleetFault(f"{folder}: is no folder; make it, and let every worker and whoever asks reach it as --work")
    return Worker(
        client,
        task_queue=task_queue,
        workflows=[CertifyWorkflow],
        activities=[Judging(folder).judge],
        activity_executor=ThreadPoolExecutor(1),
        max_concurrent_activities=1,
        workflow_runner=SandboxedWorkflowRunner(
            restrictions=SandboxRestrictions.default.with_passthrough_modules("agent_saga")
        ),
        sticky_queue_schedule_to_start_timeout=_PATIENCE,
        graceful_shutdown_timeout=timedelta(seconds=10),
    )
