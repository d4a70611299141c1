"""``certify``: judge all inputs and answer with one report. The command line, a pipeline and a notebook call this.

Source: docs/rules.md.
"""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final

from agent_saga.certify.baseline import Baseline
from agent_saga.certify.disclosing import Placed, judge_disclosures, read_disclosures
from agent_saga.certify.findings import Finding
from agent_saga.certify.inputs import Outcome, Part, Task, conclude, judge_part, refused
from agent_saga.certify.report import Choices, Report, Suppressed
from agent_saga.certify.rules import all_rules, rule_set_digest
from agent_saga.certify.source import ImportChoices
from agent_saga.certify.verdict import decide, judge_sagas
from agent_saga.certify.version import tool_version
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import STDIN, expand

SPLIT: Final = 8 << 20
"""Bytes from which one input is read by several processes: below, starting them costs more than it saves."""


@dataclass(frozen=True)
class Options:
    """What a caller of :func:`certify` may choose.

    disclosures: files with one disclosure a line. jobs: processes. stdin_name: how standard input is called.
    keep_sagas: report every judged saga. timelines: with the events of each. progress: told (input, bytes read).
    """

    choices: Choices = field(default_factory=Choices)
    mapping: Mapping[str, object] | None = None
    disclosures: tuple[str, ...] = ()
    jobs: int = 1
    keep_sagas: bool = False
    timelines: bool = False
    baseline: Baseline | None = None
    stdin_name: str = STDIN
    progress: Callable[[str, int], None] | None = None


def certify(paths: Sequence[str], options: Options = Options()) -> Report:
    """Judge every input that the paths name.

    Returns a report whatever the inputs hold. Raises SourceError when a disclosure file cannot be read, and
    :class:`~agent_saga.certify.importers.temporal.MappingNeeded` when a source needs a mapping that was not given.
    """
    disclosures = tuple(read_disclosures(options.disclosures))
    outcomes = list(_judge(_tasks(paths, options, disclosures), options))
    findings = [finding for one in outcomes for finding in one.findings]
    findings += judge_disclosures(disclosures, frozenset().union(*(one.digests for one in outcomes)))
    kept, suppressed, stale = _suppress(findings, options)
    verdict, code = decide(outcomes, kept, options.choices)
    sagas = judge_sagas((saga for one in outcomes for saga in one.sagas), kept, options.choices)
    run = tuple(c for c in all_rules() if c not in options.choices.ignored and _selected(c, options.choices))
    return Report(
        tool_version=tool_version(),
        rule_set=rule_set_digest(),
        verdict=verdict,
        exit_code=code,
        inputs=tuple(one.report for one in outcomes),
        sagas=tuple(sagas),
        saga_count=sum(one.saga_count for one in outcomes),
        findings=tuple(kept),
        suppressed=tuple(suppressed),
        stale_baseline=stale,
        choices=options.choices,
        rules_run=run,
        rules_not_exercised=_not_exercised(run, outcomes),
    )


def _tasks(paths: Sequence[str], options: Options, disclosures: tuple[Placed, ...]) -> Iterator[Task | Outcome]:
    """A task for each input, or the outcome of a path that names none."""
    choices = options.choices
    for path in paths:
        task = Task(
            path=path,
            name=options.stdin_name if path == STDIN else path,
            imports=ImportChoices(choices.expected_root, options.mapping, choices.require_chain),
            disclosures=disclosures,
            keep_sagas=options.keep_sagas or options.timelines,
            timelines=options.timelines,
            open_is_inconclusive=choices.open == "inconclusive",
        )
        try:
            for found in expand([path]):
                yield task if found == STDIN else replace(task, path=found, name=found)
        except SourceError as fault:
            yield refused(task, fault)


def _judge(tasks: Iterator[Task | Outcome], options: Options) -> Iterator[Outcome]:
    """Judge the tasks, in their order, each input once."""
    listed = _once(tasks)
    if options.jobs > 1:
        yield from _in_parallel(listed, options.jobs)
        return
    for task in listed:
        yield _alone(task, options) if isinstance(task, Task) else task


def _once(tasks: Iterator[Task | Outcome]) -> list[Task | Outcome]:
    seen: set[str] = set()
    kept: list[Task | Outcome] = []
    for task in tasks:
        name = os.path.realpath(task.path) if isinstance(task, Task) and task.path != STDIN else ""
        if not name or name not in seen:
            kept.append(task)
            seen.add(name)
    return kept


def _alone(task: Task, options: Options) -> Outcome:
    try:
        return conclude(task, [judge_part(task, options.progress)])
    except SourceError as fault:
        return refused(task, fault)


def _in_parallel(tasks: list[Task | Outcome], jobs: int) -> Iterator[Outcome]:
    """Large inputs are divided by saga among the processes, small ones are dealt out whole."""
    with ProcessPoolExecutor(jobs, initializer=_die_quietly) as pool:
        running = [
            (task, [pool.submit(judge_part, part) for part in _parts(task, jobs)] if isinstance(task, Task) else [])
            for task in tasks
        ]
        for task, futures in running:
            yield _gathered(task, futures) if isinstance(task, Task) else task


def _die_quietly() -> None:
    """A worker that is interrupted ends without a word; the parent has the word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _parts(task: Task, jobs: int) -> list[Task]:
    large = task.path != STDIN and os.path.isfile(task.path) and os.path.getsize(task.path) >= SPLIT
    if not large or not _is_ours(task.path):
        return [task]
    return [replace(task, part=part, parts=jobs) for part in range(jobs)]


def _is_ours(path: str) -> bool:
    """Only our own traces divide by saga; a foreign log may have one chain through all of them."""
    try:
        with open(path, "rb") as stream:
            return stream.read(5) == b'{"v":'
    except OSError:
        return False


def _gathered(task: Task, futures: list["Future[Part]"]) -> Outcome:
    try:
        return conclude(task, [future.result() for future in futures])
    except SourceError as fault:
        return refused(task, fault)


def _selected(code: str, choices: Choices) -> bool:
    return not choices.selected or code in choices.selected


def _suppress(findings: list[Finding], options: Options) -> tuple[list[Finding], list[Suppressed], tuple[str, ...]]:
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    used: set[str] = set()
    for finding in sorted(findings, key=lambda one: one.order):
        by = _suppressed_by(finding, options)
        if options.baseline and by == "baseline":
            used.add(finding.fingerprint)
        if by:
            suppressed.append(Suppressed(finding, by))
        else:
            kept.append(finding)
    return kept, suppressed, options.baseline.stale(used) if options.baseline else ()


def _suppressed_by(finding: Finding, options: Options) -> str:
    if finding.code in options.choices.ignored:
        return f"--ignore {finding.code}"
    if not _selected(finding.code, options.choices):
        return "--select"
    return "baseline" if options.baseline and options.baseline.matches(finding) else ""


def _not_exercised(run: tuple[str, ...], outcomes: list[Outcome]) -> tuple[str, ...]:
    met = set().union(*(one.met for one in outcomes)) if outcomes else set()
    rules = all_rules()
    cases = {code: set(rules[code].needs or rules[code].on) for code in run}
    return tuple(code for code in run if cases[code] and not cases[code] & met)
