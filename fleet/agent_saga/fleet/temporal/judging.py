"""The activity: judge one part, by the same function as every process does."""

import threading
from contextvars import copy_context
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from temporalio import activity
from temporalio.exceptions import ApplicationError

from agent_saga.certify.judging.inputs import Task, judge_part
from agent_saga.certify.preparing import Options, Prepared, prepared
from agent_saga.certify.report import Choices
from agent_saga.certify.source import Entangled
from agent_saga.fleet.incremental import judged_by
from agent_saga.fleet.temporal.keeping import keep
from agent_saga.fleet.temporal.messages import JUDGE, Found, Job, PartOfJob
from agent_saga.trace.errors import AgentSagaError

_EVERY = 5.0
"""Seconds between two signs of life."""


def asked_by(ready: Prepared) -> str:
    """Digest of all that decides what is found: rules, release, registry, policy, what the lines must stand under."""
    wanted = ready.wanted
    notes = [note.decode(errors="replace") for note in wanted.notes]
    pins = repr(wanted.pins) if wanted.pins else ""
    opened = sorted(text for _, text in ready.disclosures)
    about = [judged_by(ready), notes, pins, wanted.root, wanted.size, opened]
    return sha256(msgspec.json.encode(about)).hexdigest()


def job_of(path: str, options: Options, parts: int) -> Job:
    """The job for all of an input. Raises what :func:`agent_saga.certify.preparing.prepared` raises."""
    ready = prepared(options)
    choices: dict[str, Any] = msgspec.to_builtins(ready.options.choices)
    return Job(
        path, choices, parts, 0, asked_by(ready), list(options.disclosures), options.keep_sagas, options.timelines
    )


def task_of(job: Job) -> tuple[Task, Prepared]:
    """What is asked, read anew. Raises what :func:`agent_saga.certify.preparing.prepared` raises."""
    options = Options(
        choices=msgspec.convert(job.choices, Choices),
        disclosures=tuple(job.disclosures),
        keep_sagas=job.keep_sagas,
        timelines=job.timelines,
    )
    ready = prepared(options)
    return replace(ready.task(job.path, job.path), until=job.until), ready


@dataclass(frozen=True)
class Judging:
    """The activity of a worker. folder: that all workers share."""

    folder: Path

    @activity.defn(name=JUDGE)
    def judge(self, asked: PartOfJob) -> Found:
        """Judge a part and keep what it found."""
        ended = threading.Event()
        alive = threading.Thread(target=copy_context().run, args=(_live, ended), daemon=True)
        alive.start()
        try:
            return self._judged(asked.job, asked.part)
        except Entangled as fault:
            apart = "the sagas of this log cannot be judged apart: certify it without --engine"
            raise ApplicationError(apart, type="Entangled", non_retryable=True) from fault
        except AgentSagaError as fault:
            raise ApplicationError(str(fault), type=type(fault).__name__, non_retryable=True) from fault
        finally:
            ended.set()

    def _judged(self, job: Job, part: int) -> Found:
        task, ready = task_of(job)
        if asked_by(ready) != job.asked:
            raise ApplicationError(
                "this worker reads another registry, policy, pin or checkpoint, or is of another release, than whoever "
                "asked: give all of them the same files",
                type="OtherFiles",
                non_retryable=True,
            )
        return keep(self.folder, job, part, judge_part(replace(task, part=part, parts=job.parts)))


def _live(ended: threading.Event) -> None:
    while not ended.wait(_EVERY):
        activity.heartbeat()
