"""Judging one input, or a part of it: recognise its format, read it, gather what the rules say."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from agent_saga.certify.importers import explain, recognise
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.covering import Seen, Wanted, Watch, read_wanted
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_events, judge_trace
from agent_saga.certify.judging.told import Told, is_bundle
from agent_saga.certify.policing.telling import POLICED
from agent_saga.certify.policing.trust import NO_POLICY, PolicyTrust
from agent_saga.certify.source import ImportChoices, SourceFormat
from agent_saga.certify.standing.trust import NOBODY, Trust
from agent_saga.trace.collector import without_collector
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.errors import AgentSagaError, SourceError
from agent_saga.trace.reader import STDIN, Opened, open_input
from agent_saga.trace.store.postgres.addresses import is_address

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
    among: bool = False
    """Whether other inputs are judged beside it."""
    timelines: bool = False
    open_is_inconclusive: bool = False
    until: int = 0
    """Lines of a store that are judged, from its first; 0 for all."""
    part: int = 0
    parts: int = 1


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
    with without_collector():
        return _judged(task, opened, recognise(opened.head), progress)


def _bench(task: Task) -> Bench:
    bench = Bench(task.name, Disclosures(task.disclosures), task.keep_sagas, task.open_is_inconclusive)
    bench.ends = {} if task.among else None
    return bench


def _judged_bundle(task: Task, opened: Opened) -> Part:
    from agent_saga.certify.judging.bundling import Asked, judge_bundle  # only bundles pay for what it loads

    bench = _bench(task)
    asked = Asked(task.wanted, task.trust, task.timelines, task.policy)
    told, met = judge_bundle(task.name, opened, asked, bench)
    return Part(bench, met, told.lines, opened.size, opened.digest, None, told=told)


def _judged(task: Task, opened: Opened, source: SourceFormat | None, progress: Progress | None) -> Part:
    bench = _bench(task)
    closed = () if source else own_disclosures(task, bench.disclosures)
    judge = Judge(
        bench,
        rule_book(withheld(task, source)),
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


def withheld(task: Task, source: SourceFormat | None) -> dict[str, str]:
    """What the format cannot answer. Of calls, whatever the format, the one policy that the user gave can be asked."""
    found = dict(source.not_assessable) if source else {}
    policed = task.policy.policy is not None and not task.policy.earlier
    return {code: why for code, why in found.items() if code not in POLICED} if policed else found


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
