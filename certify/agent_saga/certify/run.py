"""``certify``: judge all inputs and answer with one report. The command line, a pipeline and a notebook call this.

Source: docs/rules.md.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from agent_saga.certify.baseline import Baseline, Key, key_of
from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.judging.disclosing import Placed, judge_disclosures, read_disclosures
from agent_saga.certify.judging.dividing import judge_all
from agent_saga.certify.judging.histories import judge_histories
from agent_saga.certify.judging.inputs import Task
from agent_saga.certify.judging.outcomes import Outcome, refused, unmatched
from agent_saga.certify.judging.waiving import judge_waivers
from agent_saga.certify.policing.trust import Files, PolicyTrust, read_policy_trust
from agent_saga.certify.report import Choices, Report, Suppressed
from agent_saga.certify.rules import all_rules, rule_set_digest
from agent_saga.certify.source import ImportChoices
from agent_saga.certify.standing.trust import Trust, read_trust
from agent_saga.certify.verdict import decide, judge_sagas
from agent_saga.certify.version import tool_version
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import STDIN, expand


@dataclass(frozen=True)
class Options:
    """What a caller of :func:`certify` may choose.

    disclosures: files with one disclosure a line. jobs: processes. stdin_name: how standard input is called.
    wanted: what the lines must stand under; None reads it from the files that the choices name.
    trust, policy: whose registry and which policy count, likewise.
    keep_sagas: report every judged saga. timelines: with the events of each. progress: told (input, bytes read).
    """

    choices: Choices = field(default_factory=Choices)
    mapping: Mapping[str, object] | None = None
    disclosures: tuple[str, ...] = ()
    jobs: int = 1
    keep_sagas: bool = False
    timelines: bool = False
    baseline: Baseline | None = None
    wanted: Wanted | None = None
    trust: Trust | None = None
    policy: PolicyTrust | None = None
    stdin_name: str = STDIN
    progress: Callable[[str, int], None] | None = None


@dataclass(frozen=True)
class Prepared:
    """Options with everything read that they name: disclosures, checkpoints and pin, registry, policy and waivers."""

    options: Options
    disclosures: tuple[Placed, ...]
    wanted: Wanted
    trust: Trust
    policy: PolicyTrust

    def task(self, path: str, name: str) -> Task:
        """What is asked about one input. name: how reports call it."""
        options, choices = self.options, self.options.choices
        return Task(
            path=path,
            name=name,
            imports=ImportChoices(choices.expected_root, options.mapping, choices.require_chain),
            disclosures=self.disclosures,
            wanted=self.wanted,
            trust=self.trust,
            policy=self.policy,
            keep_sagas=options.keep_sagas or options.timelines,
            timelines=options.timelines,
            open_is_inconclusive=choices.open == "inconclusive",
        )


def certify(paths: Sequence[str], options: Options = Options()) -> Report:
    """Judge every input that the paths name.

    Returns a report whatever the inputs hold. Raises what :func:`prepared` raises, and
    :class:`~agent_saga.certify.importers.temporal.MappingNeeded` when a source needs a mapping that was not given.
    """
    ready = prepared(options)
    tasks = list(_tasks(paths, ready))
    if len(tasks) > 1:
        tasks = [replace(one, among=True) if isinstance(one, Task) else one for one in tasks]
    return reported(list(judge_all(tasks, options.jobs, options.progress)), ready)


def prepared(options: Options) -> Prepared:
    """Read what the options name.

    Raises SourceError when a disclosure file, a checkpoint, the pin or the waivers cannot be read, KeyFault for a pin
    that is none, RegistryFault for a registry that is none, PolicyError for a policy that is none, and PolicyChoice.
    """
    disclosures = tuple(read_disclosures(options.disclosures))
    choices = replace(options.choices, mapping_sha256=_digest(options.mapping))
    wanted = _wanted(choices) if options.wanted is None else options.wanted
    trust = options.trust
    if trust is None:
        trust = read_trust(choices.registry, choices.registry_digest, choices.trust_on_first_use)
    policy = options.policy
    if policy is None:
        policy = read_policy_trust(Files(choices.policies, choices.policy_digest, choices.waivers), trust)
    if policy.waivers is not None:
        choices = replace(choices, waivers_sha256=policy.waivers.digest)
    return Prepared(replace(options, choices=choices), disclosures, wanted, trust, policy)


def reported(outcomes: Sequence[Outcome], ready: Prepared) -> Report:
    """One report over what became of the inputs."""
    options, policy = ready.options, ready.policy
    findings = [finding for one in outcomes for finding in one.findings]
    findings += judge_histories(outcomes)
    findings += judge_disclosures(ready.disclosures, frozenset().union(*(one.digests for one in outcomes)))
    if policy.waivers is not None:
        findings += judge_waivers(policy, frozenset().union(*(one.waivers_met for one in outcomes)))
    kept, suppressed, stale = _suppress(findings, options)
    verdict, code = decide(outcomes, kept, options.choices)
    sagas = judge_sagas((saga for one in outcomes for saga in one.sagas), kept, options.choices)
    run = tuple(c for c in all_rules() if c not in options.choices.ignored and _selected(c, options.choices))
    report = Report(
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
        exceptions=sum(one.exceptions for one in outcomes),
    )
    return _answered(report, policy) if options.choices.controls else report


def _answered(report: Report, policy: PolicyTrust) -> Report:
    """The report with the answers for the controls that were asked for."""
    from agent_saga.certify.controls.assessing import assess  # only who asks for controls pays for what they load
    from agent_saga.certify.controls.traits import traits_of

    report = replace(report, policy_traits=traits_of(policy.policy))
    return replace(report, controls=assess(report, report.choices.controls))


def _tasks(paths: Sequence[str], ready: Prepared) -> Iterator[Task | Outcome]:
    """A task for each input, or the outcome of a path that names none."""
    for path in paths:
        task = ready.task(path, ready.options.stdin_name if path == STDIN else path)
        try:
            names = list(expand([path]))
            if not names:
                yield unmatched(task)
            for found in names:
                yield task if found == STDIN else replace(task, path=found, name=found)
        except SourceError as fault:
            yield refused(task, fault)


def _digest(mapping: Mapping[str, object] | None) -> str:
    """SHA-256 over a mapping, whatever form it was written in; "" for none."""
    if mapping is None:
        return ""
    return sha256(json.dumps(mapping, sort_keys=True, default=str).encode()).hexdigest()


def _wanted(choices: Choices) -> Wanted:
    """What the choices want the lines to stand under."""
    if not choices.pin:
        if choices.checkpoints:
            raise SourceError(f"{choices.checkpoints[0]}: a checkpoint needs a pin, which says whose signature counts")
        return Wanted(None, (), choices.expected_root, choices.expected_size)
    from agent_saga.proofs.pins import MAX_PIN, parse_pins  # only who pins a key pays for what it loads

    try:
        pins = parse_pins(_bounded(choices.pin, MAX_PIN).decode())
    except UnicodeDecodeError as fault:
        raise SourceError(f"{choices.pin}: is no pin file: not UTF-8") from fault
    notes = tuple(_bounded(path, MAX_NOTE) for path in choices.checkpoints)
    return Wanted(pins, notes, choices.expected_root, choices.expected_size)


def _bounded(path: str, most: int) -> bytes:
    """The bytes of a small file, cut to one more than it may have. Raises SourceError."""
    try:
        with open(path, "rb") as stream:
            return stream.read(most + 1)
    except (OSError, ValueError) as fault:
        raise SourceError(f"{path}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def _selected(code: str, choices: Choices) -> bool:
    return not choices.selected or code in choices.selected


def _suppress(findings: list[Finding], options: Options) -> tuple[list[Finding], list[Suppressed], tuple[str, ...]]:
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    known, used = options.baseline.covered(findings) if options.baseline else frozenset[Key](), set[Key]()
    for finding in sorted(findings, key=lambda one: one.order):
        by = _suppressed_by(finding, options, known)
        if by == "baseline":
            used.add(key_of(finding))
        if by:
            suppressed.append(Suppressed(finding, by))
        else:
            kept.append(finding)
    return kept, suppressed, options.baseline.stale(used) if options.baseline else ()


def _suppressed_by(finding: Finding, options: Options, known: frozenset[Key]) -> str:
    if finding.code in options.choices.ignored:
        return f"--ignore {finding.code}"
    if not _selected(finding.code, options.choices):
        return "--select"
    return "baseline" if known and key_of(finding) in known else ""


def _not_exercised(run: tuple[str, ...], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    met = set().union(*(one.met for one in outcomes)) if outcomes else set()
    rules = all_rules()
    cases = {code: set(rules[code].needs or rules[code].on) for code in run}
    return tuple(code for code in run if cases[code] and not cases[code] & met)
