"""``certify`` in other ways than in one go: from a state (``--state``), or by many workers (``--engine temporal``)."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent_saga.certify.report import Report
from agent_saga.certify.run import Options, certify
from agent_saga.certify.settings.chosen import Settings
from agent_saga.certify.settings.keys import SettingsError, spelled
from agent_saga.cli.terminal import note
from agent_saga.trace.reader import STDIN


@dataclass(frozen=True, slots=True)
class Ways:
    """How it is to be done. state: file of the last run. engine: temporal, or "" for this machine's processes.

    task_queue: of the workers, None for the one that they poll unless told otherwise.
    """

    state: str | None = None
    engine: str | None = None
    parts: int | None = None
    work: str | None = None
    task_queue: str | None = None
    payload_keys: str | None = None


def certified(ways: Ways, settings: Settings, options: Options) -> Report:
    """The report, whichever way is wished. Raises SettingsError for options that do not go together."""
    if ways.engine not in (None, "temporal"):
        raise SettingsError(f"--engine {ways.engine}: there is one engine to name: temporal")
    if not ways.engine and (ways.parts or ways.work or ways.task_queue or ways.payload_keys):
        raise SettingsError("--parts, --work, --task-queue and --payload-keys go with --engine temporal")
    if ways.state and ways.engine:
        raise SettingsError("--state and --engine do not go together: what one night adds, one process judges")
    if ways.state:
        return _since(ways.state, settings, options)
    if ways.engine:
        return _by_workers(ways, settings, options)
    return certify(settings.paths, options)


def _only(option: str, settings: Settings) -> str:
    paths = settings.paths
    if len(paths) != 1 or paths[0] == STDIN or os.path.isdir(paths[0]):
        raise SettingsError(f"{option} goes with exactly one PATH: a store, or a plain trace")
    return paths[0]


def _since(file: str, settings: Settings, options: Options) -> Report:
    path = _only("--state", settings)
    if os.path.realpath(file) == os.path.realpath(path):
        raise SettingsError(f"{file} is the input: nothing writes over evidence; name another file for --state")
    from agent_saga.fleet.incremental import certify_since

    return certify_since(path, options, Path(file), settings.now or spelled(datetime.now(UTC)))


def _by_workers(ways: Ways, settings: Settings, options: Options) -> Report:
    if not ways.work or not os.path.isdir(ways.work):
        raise SettingsError("--engine temporal needs --work FOLDER, which all workers and this command share")
    import asyncio  # only those who ask workers pay for what it loads

    return asyncio.run(_asked(_only("--engine", settings), ways, options))


async def _asked(path: str, ways: Ways, options: Options) -> Report:
    from agent_saga.runtime.temporal import connect, read_keys

    client = await connect(keys=read_keys(ways.payload_keys) if ways.payload_keys else None)
    from agent_saga.fleet.temporal.asking import certify_by_fleet, identity, plan
    from agent_saga.fleet.temporal.messages import TASK_QUEUE

    queue = ways.task_queue or TASK_QUEUE
    job = plan(path, options, ways.parts or options.jobs)
    told = f"{job.parts} parts on task queue {queue}"
    note(f"{identity(job, queue)}: {told}; the same command joins it if this one is stopped")
    return await certify_by_fleet(client, job, Path(str(ways.work)), queue)
