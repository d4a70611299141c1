"""Judging one input: recognise its format, read it, gather what the rules say.

Every fault of an input is told in its :class:`Outcome`; nothing that an input holds raises.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from agent_saga.certify.approving.trust import NOBODY, Trust
from agent_saga.certify.findings import Finding
from agent_saga.certify.importers import explain, recognise
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.bundling import Asked, Told, is_bundle, judge_bundle
from agent_saga.certify.judging.covering import NO_CHECKPOINT, Seen, Wanted, Watch, compare, foreign, read_wanted
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_events, judge_trace
from agent_saga.certify.policing.telling import POLICED, opened_by, policed
from agent_saga.certify.policing.trust import NO_POLICY, PolicyTrust
from agent_saga.certify.report import InputReport, SagaReport
from agent_saga.certify.source import Fault, ImportChoices, SourceFormat
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.errors import AgentSagaError, SourceError
from agent_saga.trace.limits import FORMAT
from agent_saga.trace.reader import STDIN, Opened, open_input
from agent_saga.trace.store.postgres.addresses import is_address

NATIVE: Final = f"agent-saga trace {FORMAT}"
EMPTY: Final = "the input is empty"
_BESIDE: Final = ".disclosures"
"""Where a store keeps what opens its concealed values (docs/spec/store-v1.md)."""
CLOSED: Final = "the disclosures kept beside this store cannot be read: they open nothing here"


@dataclass(frozen=True, slots=True)
class Task:
    """One input, or one part of a large one. name: how reports call it (standard input may have a name)."""

    path: str
    name: str
    imports: ImportChoices = field(default_factory=ImportChoices)
    disclosures: tuple[tuple[str, str], ...] = ()
    """Pairs of place and disclosure."""
    wanted: Wanted = field(default_factory=Wanted)
    trust: Trust = NOBODY
    policy: PolicyTrust = NO_POLICY
    keep_sagas: bool = False
    timelines: bool = False
    open_is_inconclusive: bool = False
    until: int = 0
    """Lines of a store that are judged, from its first; 0 for all."""
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
    exceptions: int = 0
    """Verified decisions of persons that an effect is undone, or kept."""
    waivers_met: frozenset[str] = frozenset()
    """Waivers that let a call pass, or would have on another day."""


@dataclass(slots=True)
class Part:
    """What one reader found in its part of one input."""

    bench: Bench
    met: set[str]
    lines: int
    size: int
    digest: str
    format: SourceFormat | None
    seen: Seen | None = None
    closed: tuple[str, ...] = ()
    """That the store's own disclosures could not be read."""
    people: tuple[str, ...] = ()
    """What has to be believed about people's signatures, where there are any."""
    told: Told | None = None
    """What a bundle proved, or why it proved nothing."""


Progress = Callable[[str, int], None]


def judge_part(task: Task, progress: Progress | None = None) -> Part:
    """Read one input, or a part of it.

    Raises SourceError when it cannot be opened or is no trace, and :class:`~agent_saga.certify.source.Entangled` when
    a part cannot be judged apart from the others.
    """
    opened = open_input(task.path, task.until)
    if is_bundle(opened.head):
        return _judged_bundle(task, opened)
    known = explain(opened.head)
    if known:
        opened.close()
        raise SourceError(f"{task.name}: {known}")
    with _without_collector():
        return _judged(task, opened, recognise(opened.head), progress)


def _judged_bundle(task: Task, opened: Opened) -> Part:
    bench = Bench(task.name, Disclosures(task.disclosures), task.keep_sagas, task.open_is_inconclusive)
    asked = Asked(task.wanted, task.trust, task.timelines, task.policy)
    told, met = judge_bundle(task.name, opened, asked, bench)
    return Part(bench, met, told.lines, opened.size, opened.digest, None, told=told)


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
    closed = () if source else own_disclosures(task, bench.disclosures)
    judge = Judge(
        bench,
        rule_book(_withheld(task, source)),
        foreign=source is not None,
        timelines=task.timelines,
        trust=task.trust,
        policy=task.policy,
    )
    watch = _watched(task, opened, judge) if task.wanted and source is None else None
    if source:
        lines = judge_events(source.read(opened, replace(task.imports, part=task.part, parts=task.parts)), judge)
    else:
        lines = judge_trace(opened, judge, task.part, task.parts, _reporter(task, opened, progress))
    judge.finish()
    seen, people = watch.seen() if watch else None, judge.authority.assumptions()
    return Part(bench, judge.met, lines, opened.size, opened.digest, source, seen, closed, people)


def _withheld(task: Task, source: SourceFormat | None) -> dict[str, str]:
    """What the format cannot answer. Of calls, whatever the format, a policy that the user gave can be asked."""
    found = dict(source.not_assessable) if source else {}
    return {code: why for code, why in found.items() if code not in POLICED} if task.policy.policy else found


def _watched(task: Task, opened: Opened, judge: Judge) -> Watch | None:
    """Tell the judge what the checkpoint covers; the reader of the first part sees that the lines stand under it."""
    read = read_wanted(task.wanted)
    judge.cover(read.largest, task.wanted.pins.log.origin if task.wanted.pins and read.checkpoints else "")
    if task.part:
        return None
    watch = Watch(task.wanted, read)
    opened.watch(watch.through)
    return watch


def own_disclosures(task: Task, found: Disclosures) -> tuple[str, ...]:
    """Add the disclosures that a store keeps beside its lines; where they cannot be read, a sentence says so.

    They need no trust: each opens only what its digest stands for.
    """
    beside = is_address(task.path) or os.path.exists(os.path.realpath(task.path) + _BESIDE)
    if task.path == STDIN or not beside:
        return ()
    from agent_saga.trace.store.moving import disclosures_beside

    try:
        for text in disclosures_beside(task.path):
            found.add(task.name, text)
    except (AgentSagaError, OSError, UnicodeError):
        return (CLOSED,)
    return ()


def _reporter(task: Task, opened: Opened, progress: Progress | None) -> Callable[[], None]:
    return (lambda: progress(task.name, opened.size)) if progress else lambda: None


def conclude(task: Task, parts: list[Part]) -> Outcome:
    """Put the parts of one input together and judge what only the whole shows."""
    first, *rest = parts
    for other in rest:
        first.bench.merge(other.bench)
        first.met |= other.met
        first.people = first.people or other.people
    if len({part.digest for part in parts}) > 1:
        message = f"{task.name} changed while its parts were read: they did not see the same bytes"
        first.bench.fault(Fault(0, "AS109", message, subject="input", expected="a settled file"))
    first.bench.judge_crossing()
    source = first.format
    told = first.told or _told(task, first)
    for fault in told.faults:
        first.bench.fault(fault)
    findings = sorted([*first.bench.findings(), *told.findings], key=lambda one: one.order)
    report = InputReport(
        path=task.name,
        format=told.format,
        lines=max(part.lines for part in parts),
        bytes=first.size,
        sha256=first.digest,
        sagas=first.bench.saga_count,
        not_assessable=_withheld(task, source),
        assumptions=(
            *(source.assumptions if source else ()),
            *policed(first.bench.crossing.policing, task.policy),
            *told.assumptions,
            *first.people,
            *first.closed,
        ),
        error=EMPTY if first.size == 0 else told.nothing,
        checkpoint=told.pinned,
        registry=task.trust.digest if source is None else "",
        policy=task.policy.digest,
        waived=dict(sorted(first.bench.crossing.policing.waived.items())),
    )
    if report.error:
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
        exceptions=first.bench.crossing.uses.exceptions,
        waivers_met=opened_by(first.bench.crossing.policing),
    )


def _told(task: Task, first: Part) -> Told:
    """What a trace, or a log of another format, was found to stand under."""
    if first.format is not None:
        cover = foreign(task.wanted, first.format)
        return Told(first.format.name, cover.assumptions, faults=cover.faults)
    if first.seen is None:
        return Told(NATIVE, (NO_CHECKPOINT,))
    cover = compare(task.wanted, read_wanted(task.wanted), first.seen)
    return Told(NATIVE, cover.assumptions, cover.pinned, faults=cover.faults)


def refused(task: Task, fault: SourceError) -> Outcome:
    """The outcome of an input that cannot be judged at all."""
    report = InputReport(path=task.name, format="unknown", lines=0, bytes=0, sha256="", sagas=0, error=str(fault))
    return Outcome(report, unusable=True)
