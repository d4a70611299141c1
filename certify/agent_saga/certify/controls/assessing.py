"""From a report to the answer for each control: PASS, FAIL or NOT ASSESSABLE, never by silence.

PASS needs all of it: every rule of the control ran and met a case on this input, no rule found anything (suppressed
findings count here), nothing that a rule needs was withheld, the log is sound, and the evidence was given.

Source: docs/controls.md, "How a control is answered".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
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
MOST: Final = 20
"""Findings that one answer tells of a kind: a log may have a million of them, and they all stand in the report."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A report's findings, gone through once for all controls. all: what was not counted included, in order.

    unsound: what says that the log itself does not hold. withheld: questions left open by concealed values.
    """

    report: Report
    by_code: Mapping[str, tuple[Finding, ...]]
    rank: Mapping[int, int]
    hidden: Mapping[int, str]
    unsound: tuple[Finding, ...]
    withheld: tuple[Finding, ...]

    def of(self, codes: Iterable[str]) -> list[Finding]:
        """The findings of these rules, in the report's order."""
        found = [one for code in codes for one in self.by_code.get(code, ())]
        return sorted(found, key=lambda one: self.rank[id(one)])


def _gone_through(report: Report) -> _Found:
    found = [*report.findings, *(item.finding for item in report.suppressed)]
    found.sort(key=lambda one: one.order)
    by_code: dict[str, tuple[Finding, ...]] = {}
    for code, some in groupby(sorted(found, key=lambda one: one.code), key=lambda one: one.code):
        by_code[code] = tuple(some)
    return _Found(
        report=report,
        by_code=by_code,
        rank={id(one): at for at, one in enumerate(found)},
        hidden={id(item.finding): item.by for item in report.suppressed},
        unsound=tuple(one for one in found if one.code.startswith(INTEGRITY) and one.severity is Severity.ERROR),
        withheld=tuple(one for one in found if one.code == WITHHELD and one.inconclusive),
    )


def assess(report: Report, frameworks: Iterable[str]) -> tuple[ControlResult, ...]:
    """The answer for every control of the frameworks, in their order. Raises ControlsError for an unknown one."""
    found = _gone_through(report)
    return tuple(
        _assessed(control, one.id, found)
        for ident in dict.fromkeys(frameworks)
        for one in (framework(ident),)
        for control in one.controls
    )


def _assessed(control: Control, ident: str, found: _Found) -> ControlResult:
    concerned = control.rules + control.also
    refusing = tuple(one for one in found.of(concerned) if _refuses(one))
    missing = () if refusing else tuple(_missing(control, found))
    if refusing:
        answer, reasons = Answer.FAIL, tuple(_refusals(refusing, found))
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
        findings=refusing,
        shows=control.shows,
        not_covered=control.not_covered,
    )


def _refusals(refusing: tuple[Finding, ...], found: _Found) -> Iterator[str]:
    yield from (_told(one, found) for one in refusing[:MOST])
    if len(refusing) > MOST:
        yield f"and {len(refusing) - MOST:,} more"


def _refuses(finding: Finding) -> bool:
    return not finding.inconclusive and finding.severity is not Severity.NOTE


def _told(finding: Finding, found: _Found) -> str:
    by = found.hidden.get(id(finding), "")
    hidden = f" (not counted: {by})" if by else ""
    return f"{finding.code} {finding.name} at {_place(finding)}{hidden}: {finding.because}"


def _place(finding: Finding) -> str:
    return f"{finding.source}:{finding.line}" if finding.line else finding.source


def _evidenced(control: Control) -> str:
    rules = _listed(control.rules)
    given = "".join(f", with {EVIDENCE[name].what}" for name in control.evidence)
    found = "found nothing" if len(control.rules) == 1 else "all found nothing"
    return f"provides evidence for it: {control.shows} {rules} met cases here and {found}{given}."


def _missing(control: Control, found: _Found) -> Iterator[str]:
    """Why it cannot be answered, each with how to give what is missing."""
    report = found.report
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
    if "policy" in control.evidence:
        yield from _waived(report)
    yield from _unanswered(control, report)
    yield from _unsound(control, found)


def _waived(report: Report) -> Iterator[str]:
    """A policy that was lifted for some calls did not hold for all."""
    for item in report.inputs:
        for waiver, calls in item.waived.items():
            yield f"waiver {waiver} let {calls:,} calls pass that the policy refuses: judge without --waivers"


def _unanswered(control: Control, report: Report) -> Iterator[str]:
    for code in control.rules + control.also:
        if code not in report.rules_run:
            yield f"{code} was left out of this run: judge without --select and --ignore"
        reasons = dict.fromkeys(item.not_assessable[code] for item in report.inputs if code in item.not_assessable)
        yield from (f"{code} cannot be answered by the source: {reason}" for reason in reasons)
    quiet = [code for code in control.rules if code in report.rules_not_exercised]
    if quiet:
        yield f"{_listed(quiet)} met no case here: judge a log that has such cases"


def _unsound(control: Control, found: _Found) -> Iterator[str]:
    concerned = control.rules + control.also
    open_ones = [one for one in found.of(concerned) if one.inconclusive]
    if WITHHELD not in concerned and any(not code.startswith(INTEGRITY) for code in concerned):
        open_ones += found.withheld
    for one in open_ones[:MOST]:
        yield f"{one.code} is undecided at {_place(one)}: {one.fix or one.because}"
    unsound = [one for one in found.unsound if not one.inconclusive or one.code not in concerned]
    for one in unsound[:MOST]:
        yield f"the log is not sound: {one.code} {one.name} at {_place(one)}"
    more = len(open_ones[MOST:]) + len(unsound[MOST:])
    if more:
        yield f"and {more:,} more of the kind"


def _listed(codes: Iterable[str]) -> str:
    *first, last = codes
    return f"{', '.join(first)} and {last}" if first else last
