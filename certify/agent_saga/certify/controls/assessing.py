"""From a report to the answer for each control: PASS, FAIL or NOT ASSESSABLE, never by silence.

PASS needs all of it: every rule of the control ran and met a case on this input, no rule found anything (suppressed
findings count here), nothing that a rule needs was withheld, the log is sound, and the evidence was given.

Source: docs/controls.md, "How a control is answered".
"""

from collections.abc import Iterable, Iterator
from typing import Final

from agent_saga.certify.controls.evidence import EVIDENCE
from agent_saga.certify.controls.model import Control
from agent_saga.certify.controls.reading import framework
from agent_saga.certify.controls.results import Answer, ControlResult
from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.report import Report, Verdict

WITHHELD: Final = "AS602"
"""A concealed value keeps the rule that needed it open under this code, so that which rule it was is not told."""
INTEGRITY: Final = "AS1"


def assess(report: Report, frameworks: Iterable[str]) -> tuple[ControlResult, ...]:
    """The answer for every control of the frameworks, in their order. Raises ControlsError for an unknown one."""
    return tuple(
        _assessed(control, found.id, report)
        for ident in dict.fromkeys(frameworks)
        for found in (framework(ident),)
        for control in found.controls
    )


def _assessed(control: Control, ident: str, report: Report) -> ControlResult:
    concerned = control.rules + control.also
    found = tuple(one for one in _findings(report) if one.code in concerned and _refuses(one))
    missing = () if found else tuple(_missing(control, report))
    if found:
        answer, reasons = Answer.FAIL, tuple(_told(one, report) for one in found)
    elif missing:
        answer, reasons = Answer.NOT_ASSESSABLE, missing
    else:
        answer, reasons = Answer.PASS, (_evidenced(control), f"not covered: {control.not_covered}")
    return ControlResult(
        framework=ident,
        control=control.id,
        title=control.title,
        answer=answer,
        reasons=reasons,
        rules=concerned,
        findings=found,
        shows=control.shows,
        not_covered=control.not_covered,
    )


def _findings(report: Report) -> Iterator[Finding]:
    """All of them: what the user chose not to count was found all the same."""
    found = [*report.findings, *(item.finding for item in report.suppressed)]
    yield from sorted(found, key=lambda one: one.order)


def _refuses(finding: Finding) -> bool:
    return not finding.inconclusive and finding.severity is not Severity.NOTE


def _told(finding: Finding, report: Report) -> str:
    by = next((item.by for item in report.suppressed if item.finding == finding), "")
    place = f"{finding.source}:{finding.line}" if finding.line else finding.source
    return f"{finding.code} {finding.name} at {place}{f' (not counted: {by})' if by else ''}: {finding.because}"


def _evidenced(control: Control) -> str:
    rules = _listed(control.rules)
    given = "".join(f", with {EVIDENCE[name].what}" for name in control.evidence)
    found = "found nothing" if len(control.rules) == 1 else "all found nothing"
    return f"provides evidence for it: {control.shows} {rules} met cases here and {found}{given}."


def _missing(control: Control, report: Report) -> Iterator[str]:
    """Why it cannot be answered, each with how to give what is missing."""
    if not control.rules:
        yield f"no rule speaks of it: {control.not_covered}"
        return
    if report.verdict is Verdict.NOTHING:
        yield "nothing was judged: name a log that holds a saga"
        return
    yield from (f"{item.path} was not judged: {item.error}" for item in report.inputs if item.error)
    for name in control.evidence:
        if not EVIDENCE[name].given(report):
            yield f"it needs {EVIDENCE[name].what}: {EVIDENCE[name].give}"
    yield from _unanswered(control, report)
    yield from _unsound(control, report)


def _unanswered(control: Control, report: Report) -> Iterator[str]:
    for code in control.rules + control.also:
        if code not in report.rules_run:
            yield f"{code} was left out of this run: judge without --select and --ignore"
        reasons = dict.fromkeys(item.not_assessable[code] for item in report.inputs if code in item.not_assessable)
        yield from (f"{code} cannot be answered by the source: {reason}" for reason in reasons)
    quiet = [code for code in control.rules if code in report.rules_not_exercised]
    if quiet:
        yield f"{_listed(quiet)} met no case here: judge a log that has such cases"


def _unsound(control: Control, report: Report) -> Iterator[str]:
    concerned = control.rules + control.also
    values = any(not code.startswith(INTEGRITY) for code in concerned)
    for finding in _findings(report):
        place = f"{finding.source}:{finding.line}" if finding.line else finding.source
        if finding.inconclusive and (finding.code in concerned or (values and finding.code == WITHHELD)):
            yield f"{finding.code} is undecided at {place}: {finding.fix or finding.because}"
        elif finding.code.startswith(INTEGRITY) and finding.severity is Severity.ERROR:
            yield f"the log is not sound: {finding.code} {finding.name} at {place}"


def _listed(codes: Iterable[str]) -> str:
    *first, last = codes
    return f"{', '.join(first)} and {last}" if first else last
