"""From options to a verdict: gather the settings, call the judge once, deliver the reports.

Order matters: whatever can be wrong with the options is told before anything is judged, and files are written before
standard output, so that a reader that goes away takes no report with it.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_saga.certify import baseline as baselines
from agent_saga.certify.outputs import ANSWERS, FORMATS, job_summary, render
from agent_saga.certify.report import Choices, Exit, Report, Verdict
from agent_saga.certify.rules import all_rules
from agent_saga.certify.run import Options
from agent_saga.certify.settings.chosen import Settings
from agent_saga.certify.settings.documents import parse_json, parse_toml, read_document
from agent_saga.certify.settings.keys import SettingsError
from agent_saga.certify.settings.resolving import Surroundings, resolve
from agent_saga.cli import terminal
from agent_saga.cli.fleet import Ways, certified
from agent_saga.cli.log import LOG
from agent_saga.cli.progress import Progress, wanted
from agent_saga.cli.signing import refuse_double, signing_key, write_certificate
from agent_saga.cli.sinks import STDOUT, Reserved, Target, reserved, spare_evidence, targets
from agent_saga.trace.errors import AgentSagaError

if TYPE_CHECKING:
    from agent_saga.proofs.keys import SigningKey

WHOLE = frozenset({"json", "junit", "tap", "markdown", "html"})
"""Formats that show every judged saga, not only those with findings."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line says. flags: settings by Python name, None for one that was not given."""

    flags: Mapping[str, Any]
    write_baseline: str | None = None
    sign: str | None = None
    certificate: str | None = None
    passphrase_file: str | None = None
    ways: Ways = field(default_factory=Ways)
    config: str | None = None
    no_config: bool = False
    verbose: int = 0
    quiet: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is known before judging."""

    request: Request
    settings: Settings
    targets: tuple[Target, ...]
    options: Options
    progress: Progress
    key: "SigningKey | None" = None

    @property
    def files(self) -> list[str]:
        """Paths that are going to be written."""
        named = [target.path for target in self.targets if target.path != STDOUT]
        return [*named, *filter(None, [self.request.write_baseline, self.request.certificate])]


def judge(request: Request) -> int:
    """Judge what the request names, deliver the reports, give the exit code. Raises AgentSagaError for bad usage."""
    plan = _plan(request)
    with reserved(dict.fromkeys(plan.files)) as files:
        spare_evidence(plan.files, plan.settings.paths)
        report = _certified(plan)
        if report is None:
            return int(Exit.USAGE)
        spare_evidence(plan.files, (item.path for item in report.inputs))
        _deliver(plan, report, files)
    _tell(plan, report)
    return int(report.exit_code)


def _plan(request: Request) -> Plan:
    settings = resolve(request.flags, _surroundings(), request.config or "", request.no_config)
    LOG.configure(request.verbose, request.quiet, settings.log_format)
    if not settings.paths:
        raise SettingsError("no PATH: name files, folders or globs, or - for standard input (or set `paths`)")
    if STDOUT in settings.paths and sys.stdin is None:
        raise SettingsError("-: standard input is closed; name a file or pipe a trace in")
    wished = targets(settings.format, settings.output, [*FORMATS, *ANSWERS])
    _refuse_unanswerable(wished, settings)
    refuse_double(request.certificate, [request.write_baseline, *(target.path for target in wished)])
    progress = Progress()
    options = _options(request, settings, wished, progress)
    return Plan(request, settings, wished, options, progress, signing_key(request))


def _refuse_unanswerable(wished: tuple[Target, ...], settings: Settings) -> None:
    """Tell before judging that a format of answers has no question, or no time to bear. Raises SettingsError."""
    for form in sorted({target.format for target in wished} & set(ANSWERS)):
        if not settings.controls:
            raise SettingsError(f"{form}: it holds answers for controls: give --controls FRAMEWORK as well")
        if not settings.now:
            raise SettingsError(f"{form}: it bears a time: give --now TIME as well, or set SOURCE_DATE_EPOCH")


def _surroundings() -> Surroundings:
    try:
        return Surroundings(os.environ, Path.cwd())
    except OSError as fault:
        raise SettingsError(f"the working folder is gone ({fault.strerror}); change to one that exists") from fault


def _options(request: Request, settings: Settings, wished: tuple[Target, ...], progress: Progress) -> Options:
    known = _baseline(request, settings)
    formats = {target.format for target in wished}
    return Options(
        choices=_choices(settings, known),
        mapping=read_mapping(settings.mapping),
        disclosures=settings.disclosures,
        jobs=settings.jobs or os.cpu_count() or 1,
        keep_sagas=bool(formats & WHOLE) or request.verbose > 0,
        timelines="html" in formats,
        baseline=known,
        stdin_name=settings.stdin_filename,
        progress=progress if wanted(request.quiet, settings.log_format) else None,
    )


def _choices(settings: Settings, known: baselines.Baseline | None) -> Choices:
    rules = {code: rule.name for code, rule in all_rules().items()}
    return settings.choices(rules, known.sha256 if known else "")


def _baseline(request: Request, settings: Settings) -> baselines.Baseline | None:
    path, new = settings.baseline, request.write_baseline
    if not path:
        return None
    if new and not os.path.exists(path) and os.path.realpath(path) == os.path.realpath(new):
        return None  # the first baseline is being written where the configuration wants it
    return baselines.read_baseline(path)


def read_mapping(path: str) -> Mapping[str, object] | None:
    """A mapping file, JSON or TOML; None for "". Raises SettingsError, DocumentError."""
    if not path:
        return None
    data = read_document(path)
    found = parse_json(data, path) if path.endswith(".json") else parse_toml(data, path)
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: a mapping is an object; `agent-saga schema mapping` says what stands in it")
    return found


def _certified(plan: Plan) -> Report | None:
    """The report; None when the judge needs a mapping first, whose skeleton is then printed."""
    LOG.info("config", f"configuration: {plan.settings.config or 'none'}")
    LOG.info("judging", f"judging {', '.join(plan.settings.paths)}")
    try:
        return certified(plan.request.ways, plan.settings, plan.options)
    except AgentSagaError as fault:
        skeleton = getattr(fault, "skeleton", None)
        if not isinstance(skeleton, str):
            raise
        terminal.say(skeleton if skeleton.endswith("\n") else skeleton + "\n")
        LOG.error("mapping", str(fault))
        return None
    finally:
        plan.progress.clear()


def _deliver(plan: Plan, report: Report, files: Mapping[str, Reserved]) -> None:
    for target in plan.targets:
        if target.path != STDOUT:
            files[target.path].write(_encoded(_rendered(plan, report, target)))
    if plan.request.write_baseline:
        _write_baseline(report, files[plan.request.write_baseline])
    if plan.key is not None and plan.request.certificate:
        write_certificate(report, plan.key, plan.settings.now, files[plan.request.certificate])
    if any(target.format == "github" for target in plan.targets):
        _append_job_summary(report)
    _print(plan, report, next(target for target in plan.targets if target.path == STDOUT))


def _rendered(plan: Plan, report: Report, target: Target) -> str:
    printed = target.path == STDOUT
    return render(
        report,
        target.format,
        color=printed and terminal.wants_color(),
        width=terminal.width() if printed else terminal.WIDTH,
        verbose=plan.request.verbose,
        show_suppressed=plan.settings.show_suppressed,
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="backslashreplace")


def _print(plan: Plan, report: Report, target: Target) -> None:
    quiet = plan.request.quiet if target.format == "text" else 0
    if quiet == 0:
        text = _rendered(plan, report, target)
        terminal.say(text if text.endswith("\n") or not text else text + "\n")
    elif quiet == 1:
        terminal.say(report.headline + "\n")


def _write_baseline(report: Report, file: Reserved) -> None:
    """All that was found, what the old baseline held included; nothing when there was nothing to judge."""
    if report.verdict is Verdict.NOTHING:
        LOG.warning("baseline", f"{file.path}: not written, since there was nothing to judge")
        return
    held = [item.finding for item in report.suppressed if item.by == "baseline"]
    file.write(baselines.render_baseline([*report.findings, *held]))


def _append_job_summary(report: Report) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if os.environ.get("GITHUB_ACTIONS") != "true" or not path:
        return
    try:
        with open(path, "ab") as stream:
            stream.write(_encoded(job_summary(report)))
    except OSError as fault:
        LOG.warning("summary", f"the job summary was not written: {fault.strerror}")


def _tell(plan: Plan, report: Report) -> None:
    """What a log should hold besides the report: entries to remove, inputs that were not judged."""
    if plan.request.quiet or Target("text", STDOUT) not in plan.targets:
        for item in (one for one in report.inputs if one.error):
            LOG.error("input", f"{item.path}: {item.error.removeprefix(item.path + ': ')}")
    if report.stale_baseline:
        count = len(report.stale_baseline)
        stale = f"{count} entry matches nothing" if count == 1 else f"{count} entries match nothing"
        LOG.warning("stale", f"{report.choices.baseline}: {stale} any more: write it anew (--write-baseline)")
    for item in report.inputs:
        LOG.info("input", f"{item.path}: {item.format}, {item.lines} lines, sha256 {item.sha256 or '-'}")
    LOG.info("verdict", f"{report.headline}, exit {int(report.exit_code)}")
