"""What became of one input: its parts put together, and what only the whole shows.

Every fault of an input is told in its :class:`Outcome`; nothing that an input holds raises.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import End
from agent_saga.certify.judging.covering import NO_CHECKPOINT, compare, foreign, read_wanted
from agent_saga.certify.judging.inputs import Part, Task, withheld
from agent_saga.certify.judging.own_word import at_own_word, sentences
from agent_saga.certify.judging.told import Told
from agent_saga.certify.policing.telling import opened_by, policed
from agent_saga.certify.report import InputReport, SagaReport
from agent_saga.certify.source import Fault
from agent_saga.trace.errors import SourceError
from agent_saga.trace.limits import FORMAT

NATIVE: Final = f"agent-saga trace {FORMAT}"
EMPTY: Final = "the input is empty"


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
    ends: dict[str, End] = field(default_factory=dict)
    """How each saga ended, where other inputs are judged beside it."""


def conclude(task: Task, parts: list[Part]) -> Outcome:
    """Put the parts of one input together and judge what only the whole shows."""
    whole = _joined(task, parts)
    bench = whole.bench
    bench.judge_crossing()
    told = whole.told or _told(task, whole)
    for fault in told.faults:
        bench.fault(fault)
    findings = sorted([*bench.findings(), *told.findings], key=lambda one: one.order)
    report = _reported(task, whole, told)
    if report.error:
        return Outcome(report, nothing=True)
    if bench.saga_count == 0 and not findings:
        return Outcome(replace(report, error="the input holds no saga"), nothing=True)
    return Outcome(
        report,
        findings,
        bench.reports(),
        bench.saga_count,
        frozenset(bench.crossing.digests),
        whole.met,
        exceptions=bench.crossing.uses.exceptions,
        waivers_met=opened_by(bench.crossing.policing),
        ends=bench.ends or {},
    )


def _joined(task: Task, parts: list[Part]) -> Part:
    """The first part, with what all the others found; parts that did not see the same bytes are a finding."""
    first, *rest = parts
    for other in rest:
        first.bench.merge(other.bench)
        first.met |= other.met
        first.people = first.people or other.people
        first.lines = max(first.lines, other.lines)
    if len({part.digest for part in parts}) > 1:
        message = f"{task.name} changed while its parts were read: they did not see the same bytes"
        first.bench.fault(Fault(0, "AS109", message, subject="input", expected="a settled file"))
    return first


def _reported(task: Task, whole: Part, told: Told) -> InputReport:
    """What is said of the input, its findings aside."""
    source, policing = whole.format, whole.bench.crossing.policing
    own = source.assumptions if source else ()
    told_of_policies = policed(policing, task.policy, foreign=source is not None)
    own_word = tuple(at_own_word(task, whole, told))
    return InputReport(
        path=task.name,
        format=told.format,
        lines=whole.lines,
        bytes=whole.size,
        sha256=whole.digest,
        sagas=whole.bench.saga_count,
        not_assessable=withheld(task, source),
        assumptions=(*own, *told_of_policies, *sentences(own_word), *told.assumptions, *whole.people, *whole.closed),
        error=EMPTY if whole.size == 0 else told.nothing,
        checkpoint=told.pinned,
        registry=task.trust.digest if source is None else "",
        policy=task.policy.digest,
        earlier_policies=task.policy.earlier_digests,
        waived=dict(sorted(policing.waived.items())),
        own_word=own_word,
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


def unmatched(task: Task) -> Outcome:
    """The outcome of a folder or glob in which there is nothing to judge: a path that moved must not turn green."""
    error = f"{task.name}: there is no trace"
    report = InputReport(path=task.name, format="unknown", lines=0, bytes=0, sha256="", sagas=0, error=error)
    return Outcome(report, nothing=True)
