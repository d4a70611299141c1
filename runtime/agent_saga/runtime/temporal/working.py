"""The worker: polls one task queue, runs the workflow, and does what its sagas' tools do.

async with await saga_worker(client, store, [checkout]):
    ...
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from agent_saga.runtime.errors import DefinitionError
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal.activities import LEASE, Activities, Crew
from agent_saga.runtime.temporal.names import TASK_QUEUE
from agent_saga.runtime.temporal.turns import postpone
from agent_saga.runtime.temporal.workflow import SagaWorkflow
from agent_saga.runtime.times import utc_now
from agent_saga.trace.store import Store


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker works.

    build: id of this build of the code, with deployment: the server then keeps a saga on the build that began it.
    lease: seconds that a saga is held without a sign of life. grace: seconds that calls under way may take when the
    worker is stopped. patience: seconds until a dead worker's workflows go to others. calls: activities at once.
    """

    task_queue: str = TASK_QUEUE
    build: str = ""
    deployment: str = "agent-saga"
    lease: float = LEASE
    grace: float = 30.0
    patience: float = 5.0
    calls: int = 100
    log: str | None = None
    interceptors: tuple[Interceptor, ...] = ()
    clock: Callable[[], datetime] = utc_now


DEFAULT = WorkerOptions()


def saga_worker(
    client: Client,
    store: Store,
    sagas: Sequence[Runnable],
    options: WorkerOptions = DEFAULT,
    *,
    given: Mapping[str, Mapping[str, Any]] | None = None,
) -> Worker:
    """A worker for these sagas over one store. given: further settings as Engine takes them, by the saga's name.

    Raises DefinitionError when two sagas have one name.
    """
    by_name = {
        one.definition.name: _crew(one, store, options, (given or {}).get(one.definition.name, {})) for one in sagas
    }
    if len(by_name) != len(sagas):
        raise DefinitionError("two of the worker's sagas have the same name")
    activities = Activities(by_name, lease=options.lease, clock=options.clock)
    return Worker(
        client,
        task_queue=options.task_queue,
        workflows=[SagaWorkflow],
        activities=activities.all(),
        workflow_runner=RUNNER,
        interceptors=options.interceptors,
        max_concurrent_activities=options.calls,
        graceful_shutdown_timeout=timedelta(seconds=options.grace),
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=options.patience),
        deployment_config=_deployment(options),
    )


def _crew(one: Runnable, store: Store, options: WorkerOptions, given: Mapping[str, Any]) -> Crew:
    settings = {"lease": options.lease, "clock": options.clock, "log": options.log} | dict(given)
    return Crew(one, one.engine(store, **settings | {"sleep": postpone}), one.engine(store, **settings))


RUNNER = SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules("agent_saga"))
"""The workflow is in a sandbox; our modules are loaded once, since it takes from them constants and small types."""


def _deployment(options: WorkerOptions) -> WorkerDeploymentConfig | None:
    if not options.build:
        return None
    version = WorkerDeploymentVersion(options.deployment, options.build)
    return WorkerDeploymentConfig(version, True, VersioningBehavior.PINNED)
