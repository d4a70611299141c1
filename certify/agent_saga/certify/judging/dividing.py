"""Dividing the work among processes: large traces and logs by saga, everything else input by input.

The answer does not depend on how the work is divided. Parts of one input that did not read the same bytes say so, and
a log whose parts turn out to hang together is judged once more, as a whole.
"""

import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_saga.certify.importers import recognise
from agent_saga.certify.judging.inputs import Part, Progress, Task, judge_part
from agent_saga.certify.judging.outcomes import Outcome, conclude, refused
from agent_saga.certify.source import Entangled
from agent_saga.trace.collector import without_collector
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import HEAD, STDIN
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.telling import is_sqlite

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

SPLIT: Final = 8 << 20
"""Bytes from which work is divided: below, starting processes costs more than it saves."""


def judge_all(tasks: Iterable[Task | Outcome], jobs: int, progress: Progress | None) -> Iterator[Outcome]:
    """Judge the tasks in their order, each input once. An outcome among them stands for itself."""
    listed = _once(tasks)
    if jobs > 1 and sum(map(_size, listed)) >= SPLIT:
        yield from _in_parallel(listed, jobs)
        return
    for task in listed:
        yield _alone(task, progress) if isinstance(task, Task) else task


def _once(tasks: Iterable[Task | Outcome]) -> list[Task | Outcome]:
    seen: set[str] = set()
    kept: list[Task | Outcome] = []
    for task in tasks:
        name = os.path.realpath(task.path) if isinstance(task, Task) and task.path != STDIN else ""
        if not name or name not in seen:
            kept.append(task)
            seen.add(name)
    return kept


def _size(task: Task | Outcome) -> int:
    if isinstance(task, Outcome) or task.path == STDIN:
        return 0
    try:
        return os.path.getsize(task.path)
    except OSError:
        return 0


def _alone(task: Task, progress: Progress | None = None) -> Outcome:
    try:
        return conclude(task, [judge_part(task, progress)])
    except SourceError as fault:
        return refused(task, fault)


def _in_parallel(tasks: list[Task | Outcome], jobs: int) -> Iterator[Outcome]:
    from concurrent.futures import ProcessPoolExecutor  # only large inputs pay for what it loads

    # A process that is not forked looks for modules in the working folder first, and that may be the judged party's.
    os.environ["PYTHONSAFEPATH"] = "1"
    with without_collector(), ProcessPoolExecutor(jobs, initializer=_die_quietly) as pool:
        running = [(task, _submitted(pool, task, jobs)) for task in tasks]
        for task, futures in running:
            if isinstance(task, Outcome):
                yield task
            else:
                yield _gathered(pool, task, futures) if futures else _alone(task)


def _die_quietly() -> None:
    """A worker that is interrupted ends without a word; the parent has the word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _submitted(pool: "ProcessPoolExecutor", task: Task | Outcome, jobs: int) -> list["Future[Part]"]:
    """The parts of a task, under way; none for what only this process may read: standard input, a concealed address."""
    if isinstance(task, Outcome) or task.path == STDIN or is_address(task.path):
        return []
    parts = jobs if _size(task) >= SPLIT and _divides(task) else 1
    return [pool.submit(judge_part, replace(task, part=part, parts=parts)) for part in range(parts)]


def _divides(task: Task) -> bool:
    """Whether its sagas can be judged apart: a plain trace of ours, or a log whose format says so."""
    try:
        if is_sqlite(task.path):
            return False  # and opening it beside a writer in this process would drop the writer's locks
        with open(task.path, "rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return False
    if head.startswith(b'{"v":'):
        return True
    source = recognise(head)
    return source is not None and source.divides(head, task.imports)


def _gathered(pool: "ProcessPoolExecutor", task: Task, futures: list["Future[Part]"]) -> Outcome:
    try:
        return conclude(task, [future.result() for future in futures])
    except Entangled:
        return _gathered(pool, task, [pool.submit(judge_part, task)])
    except SourceError as fault:
        return refused(task, fault)
