"""Asking for a certification: start the workflow or join the one under way, and put the parts together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ActivityError, ApplicationError

from agent_saga.certify.judging.covering import read_wanted
from agent_saga.certify.judging.outcomes import conclude
from agent_saga.certify.preparing import Options
from agent_saga.certify.report import Report
from agent_saga.certify.run import reported
from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.judging import job_of, task_of
from agent_saga.fleet.temporal.keeping import take
from agent_saga.fleet.temporal.messages import TASK_QUEUE, WORKFLOW, Found, Job
from agent_saga.trace.store.postgres.addresses import is_address, masked
from agent_saga.trace.store.telling import is_sqlite


def plan(path: str, options: Options, parts: int) -> Job:
    """The job over one input.

    Of a store, the lines under the newest checkpoint are judged, or without one those that it holds now. Raises
    FleetFault, and what :func:`agent_saga.certify.preparing.prepared` raises.
    """
    if masked(path) != path:
        raise FleetFault(f"{masked(path)}: leave the password out; every worker finds it as psql does (~/.pgpass)")
    if options.mapping is not None:
        raise FleetFault("--engine judges traces and stores of agent-saga: they need no mapping")
    job = job_of(path, options, parts)
    return replace(job, until=_size(job)) if _is_store(path) else job


def _is_store(path: str) -> bool:
    try:
        return is_address(path) or is_sqlite(path)
    except OSError:
        return False


def _size(job: Job) -> int:
    """Lines of a store that are to be judged."""
    task, _ = task_of(job)
    largest = read_wanted(task.wanted).largest
    if largest is not None:
        return largest
    from agent_saga.proofs.log.lines import open_lines

    lines = open_lines(job.path)
    try:
        return sum(map(len, lines.batches(0)))
    finally:
        lines.close()


def identity(job: Job, task_queue: str = TASK_QUEUE) -> str:
    """The workflow's id: asking the same again joins what is under way, or takes what is done.

    Another task queue is another workflow: who named one that nobody polls must not join it for ever.
    """
    return f"certify-{job.name}" + (f"-{task_queue}" if task_queue != TASK_QUEUE else "")


async def certify_by_fleet(client: Client, job: Job, folder: Path, task_queue: str = TASK_QUEUE) -> Report:
    """The report, made of what workers found; the same as one process makes. folder: as the workers have it.

    Raises FleetFault when a worker refused or the folder does not hold what the workers wrote.
    """
    found = await _judged(client, job, task_queue)
    return put_together(job, found, folder)


async def _judged(client: Client, job: Job, task_queue: str) -> list[Found]:
    handle = await client.start_workflow(
        WORKFLOW,
        job,
        id=identity(job, task_queue),
        task_queue=task_queue,
        result_type=list[Found],
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    )
    try:
        return list(await handle.result())
    except WorkflowFailureError as fault:
        raise FleetFault(_why(fault)) from fault


def _why(fault: WorkflowFailureError) -> str:
    cause: BaseException | None = fault.cause
    while isinstance(cause, ActivityError):
        cause = cause.cause
    said = cause.message if isinstance(cause, ApplicationError) else str(cause or fault)
    return f"the workers did not judge it: {said}"


def put_together(job: Job, found: Sequence[Found], folder: Path) -> Report:
    """One report over all parts. Raises FleetFault."""
    if sorted(one.part for one in found) != list(range(job.parts)):
        raise FleetFault(f"{len(found)} of {job.parts} parts came back: ask again")
    task, ready = task_of(job)
    parts = [take(folder, job, one) for one in sorted(found, key=lambda one: one.part)]
    try:
        return reported([conclude(task, parts)], ready)
    except (LookupError, ValueError, TypeError, ArithmeticError) as fault:
        # Each value has its type. That numbers point at what is there, and codes name rules, a worker may have broken.
        raise FleetFault(f"{folder}: what the workers found does not fit together ({fault!r}); ask again") from fault
