"""``certify``: judge all inputs and answer with one report. The command line, a pipeline and a notebook call this.

Source: docs/rules.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent_saga.certify.judging.disclosing import judge_disclosures
from agent_saga.certify.judging.dividing import judge_all
from agent_saga.certify.judging.histories import judge_histories
from agent_saga.certify.judging.inputs import Task
from agent_saga.certify.judging.outcomes import Outcome, refused, unmatched
from agent_saga.certify.judging.waiving import judge_waivers
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.certify.preparing import Options, Prepared, prepared
from agent_saga.certify.report import Report
from agent_saga.certify.rules import all_rules, rule_set_digest
from agent_saga.certify.suppressing import selected, suppress
from agent_saga.certify.verdict import decide, judge_sagas
from agent_saga.certify.version import tool_version
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import STDIN, expand

__all__ = ["Options", "certify"]


def certify(paths: Sequence[str], options: Options = Options()) -> Report:
    """Judge every input that the paths name.

    Returns a report whatever the inputs hold. Raises what :func:`~agent_saga.certify.preparing.prepared` raises, and
    :class:`~agent_saga.certify.importers.temporal.MappingNeeded` when a source needs a mapping that was not given.
    """
    ready = prepared(options)
    tasks = list(_tasks(paths, ready))
    if len(tasks) > 1:
        tasks = [replace(one, among=True) if isinstance(one, Task) else one for one in tasks]
    return reported(list(judge_all(tasks, options.jobs, options.progress)), ready)


def reported(outcomes: Sequence[Outcome], ready: Prepared) -> Report:
    """One report over what became of the inputs."""
    options, policy = ready.options, ready.policy
    findings = [finding for one in outcomes for finding in one.findings]
    findings += judge_histories(outcomes)
    findings += judge_disclosures(ready.disclosures, frozenset().union(*(one.digests for one in outcomes)))
    if policy.waivers is not None:
        findings += judge_waivers(policy, frozenset().union(*(one.waivers_met for one in outcomes)))
    kept, suppressed, stale = suppress(findings, options.choices, options.baseline)
    verdict, code = decide(outcomes, kept, options.choices)
    sagas = judge_sagas((saga for one in outcomes for saga in one.sagas), kept, options.choices)
    run = tuple(c for c in all_rules() if c not in options.choices.ignored and selected(c, options.choices))
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


def _not_exercised(run: tuple[str, ...], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    met = set().union(*(one.met for one in outcomes)) if outcomes else set()
    rules = all_rules()
    cases = {code: set(rules[code].needs or rules[code].on) for code in run}
    return tuple(code for code in run if cases[code] and not cases[code] & met)
