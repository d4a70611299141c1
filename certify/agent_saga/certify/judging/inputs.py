"""Judging one input: recognise its format, read it, gather what the rules say.

Every fault of an input is told in its :class:`Outcome`; nothing that an input holds raises.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.importers import explain, recognise
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_events, judge_trace
from agent_saga.certify.report import InputReport, SagaReport
from agent_saga.certify.source import Fault, ImportChoices, SourceFormat
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.errors import SourceError
from agent_saga.trace.limits import FORMAT
from agent_saga.trace.reader import Opened, open_input

NATIVE: Final = f"agent-saga trace {FORMAT}"
EMPTY: Final = "the input is empty"
OPERATOR: Final = "tool classes are the operator's own statement: no policy is pinned"
NO_CHECKPOINT: Final = (
    "no checkpoint is pinned: that no line or saga was cut off the end of this trace cannot be seen from it"
)


@dataclass(frozen=True, slots=True)
class Task:
    """One input, or one part of a large one. name: how reports call it (standard input may have a name)."""

    path: str
    name: str
    imports: ImportChoices = field(default_factory=ImportChoices)
    disclosures: tuple[tuple[str, str], ...] = ()
    """Pairs of place and disclosure."""
    keep_sagas: bool = False
    timelines: bool = False
    open_is_inconclusive: bool = False
    part: int = 0
    parts: int = 1


@dataclass(slots=True)
class Outcome:
    """What became of one input. nothing: it holds nothing to judge. unusable: it is no trace, or cannot be read."""

    report: InputReport
    findings: list[Finding] = field(default_factory=list)
    sagas: list[SagaReport] = field(default_factory=list)
    saga_count: int = 0
    digests: frozenset[str] = frozenset()
    """Of the concealed values that the input holds."""
    met: set[str] = field(default_factory=set)
    """Line types and features that the rules met (:attr:`Rule.needs`)."""
    nothing: bool = False
    unusable: bool = False


@dataclass(slots=True)
class Part:
    """What one reader found in its part of one input."""

    bench: Bench
    met: set[str]
    lines: int
    size: int
    digest: str
    format: SourceFormat | None


Progress = Callable[[str, int], None]


def judge_part(task: Task, progress: Progress | None = None) -> Part:
    """Read one input, or a part of it.

    Raises SourceError when it cannot be opened or is no trace, and :class:`~agent_saga.certify.source.Entangled` when
    a part cannot be judged apart from the others.
    """
    opened = open_input(task.path)
    known = explain(opened.head)
    if known:
        opened.close()
        raise SourceError(f"{task.name}: {known}")
    with _without_collector():
        return _judged(task, opened, recognise(opened.head), progress)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Nothing that judging makes is cyclic; the collector would only walk the open sagas again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _judged(task: Task, opened: Opened, source: SourceFormat | None, progress: Progress | None) -> Part:
    bench = Bench(task.name, Disclosures(task.disclosures), task.keep_sagas, task.open_is_inconclusive)
    leave_out = source.not_assessable if source else ()
    judge = Judge(bench, rule_book(leave_out), foreign=source is not None, timelines=task.timelines)
    if source:
        lines = judge_events(source.read(opened, replace(task.imports, part=task.part, parts=task.parts)), judge)
    else:
        lines = judge_trace(opened, judge, task.part, task.parts, _reporter(task, opened, progress))
    judge.finish()
    return Part(bench, judge.met, lines, opened.size, opened.digest, source)


def _reporter(task: Task, opened: Opened, progress: Progress | None) -> Callable[[], None]:
    return (lambda: progress(task.name, opened.size)) if progress else lambda: None


def conclude(task: Task, parts: list[Part]) -> Outcome:
    """Put the parts of one input together and judge what only the whole shows."""
    first, *rest = parts
    for other in rest:
        first.bench.merge(other.bench)
        first.met |= other.met
    if len({part.digest for part in parts}) > 1:
        message = f"{task.name} changed while its parts were read: they did not see the same bytes"
        first.bench.fault(Fault(0, "AS109", message, subject="input", expected="a settled file"))
    first.bench.judge_crossing()
    source = first.format
    withheld = dict(source.not_assessable) if source else {}
    findings = first.bench.findings()
    report = InputReport(
        path=task.name,
        format=source.name if source else NATIVE,
        lines=max(part.lines for part in parts),
        bytes=first.size,
        sha256=first.digest,
        sagas=first.bench.saga_count,
        not_assessable=withheld,
        assumptions=(*(source.assumptions if source else ()), OPERATOR, NO_CHECKPOINT),
        error=EMPTY if first.size == 0 else "",
    )
    if first.size == 0:
        return Outcome(report, nothing=True)
    if first.bench.saga_count == 0 and not findings:
        return Outcome(replace(report, error="the input holds no saga"), nothing=True)
    return Outcome(
        report,
        findings,
        first.bench.reports(),
        first.bench.saga_count,
        frozenset(first.bench.crossing.digests),
        first.met,
    )


def refused(task: Task, fault: SourceError) -> Outcome:
    """The outcome of an input that cannot be judged at all."""
    report = InputReport(path=task.name, format="unknown", lines=0, bytes=0, sha256="", sagas=0, error=str(fault))
    return Outcome(report, unusable=True)
