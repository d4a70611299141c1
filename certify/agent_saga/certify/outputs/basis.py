"""What a verdict stands on, in sections of plain sentences; ``text`` and ``html`` show the same ones."""

from collections.abc import Iterator
from typing import Final

from agent_saga.certify.controls.results import ControlResult
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.outputs.facts import (
    answers,
    assumptions,
    choices_made,
    input_line,
    not_assessable,
    place,
    plural,
    unread,
)
from agent_saga.certify.report import Report

CUT_REASONS: Final = 5
"""Reasons of one control that are printed; a log may have thousands of findings."""
Section = tuple[str, list[str]]
CUT = 100
"""Inputs that are listed when not verbose; those that could not be judged are always listed."""


def basis(report: Report, *, verbose: bool, shown_suppressed: bool) -> Iterator[Section]:
    """Each section with at least one sentence, in order."""
    sections: list[Section] = [
        *_controls(report),
        ("Judged", list(_judged(report, verbose))),
        *_unanswerable(report),
        ("Assumptions", [shown(sentence) for sentence in assumptions(report)]),
        ("Not counted", list(_not_counted(report, shown_suppressed))),
        ("Choices", list(_choices(report))),
        ("Rules that met no case", _quiet(report) if verbose else []),
    ]
    yield from (section for section in sections if section[1])
    yield "Tool", [f"agent-saga {shown(report.tool_version)}, rule set {shown(report.rule_set)}"]


def _judged(report: Report, verbose: bool) -> Iterator[str]:
    if not report.inputs:
        yield "No input was found. This is not a pass."
    read = 0
    for item in report.inputs:
        if item.error:
            yield f"{place(item.path, 0)}: NOT JUDGED: {shown(unread(item))}"
            continue
        read += 1
        if verbose or read <= CUT:
            digest = f", sha256 {shown(item.sha256)}" if item.sha256 else ""
            yield f"{place(item.path, 0)}: {input_line(item)}{digest}"
    if read > CUT and not verbose:
        yield f"and {plural(read - CUT, 'more input')}; -v lists them"


def _controls(report: Report) -> Iterator[Section]:
    """A section a framework, with its counts: who reads only the head must not take many answers for all."""
    for framework, told in answers(report).items():
        items = [item for item in report.controls if item.framework == framework]
        yield f"Controls of {framework}: {told}", [shown(row) for item in items for row in _control(item)]


def _control(item: ControlResult) -> Iterator[str]:
    first, *rest = item.reasons
    yield f"{item.answer} {item.control} {item.title}: {first}"
    yield from (f"- {item.control}: {reason}" for reason in rest[: CUT_REASONS - 1])
    if len(rest) >= CUT_REASONS:
        yield f"- {item.control}: and {len(rest) - CUT_REASONS + 1:,} more; json has them all"


def _unanswerable(report: Report) -> Iterator[Section]:
    found: dict[str, list[str]] = {}
    for reason, name, codes in not_assessable(report):
        found.setdefault(name, []).append(shown(f"{', '.join(codes)}: {reason}"))
    yield from ((f"Not assessable in {shown(name)}", rows) for name, rows in found.items())


def _not_counted(report: Report, shown_suppressed: bool) -> Iterator[str]:
    if report.suppressed:
        hint = "" if shown_suppressed else "; --show-suppressed lists them"
        yield f"{plural(len(report.suppressed), 'finding')} suppressed{hint}"
    stale = report.stale_baseline
    if stale:
        yield f"{plural(len(stale), 'stale entry', 'stale entries')} of the baseline matched nothing:"
        yield from (shown(entry) for entry in stale[:CUT])
    if len(stale) > CUT:
        yield f"and {len(stale) - CUT:,} more"


def _choices(report: Report) -> Iterator[str]:
    made = choices_made(report.choices)
    if made:
        yield f"profile {report.choices.profile}"
    for name, value in made:
        yield f"{name}: {shown(value)}"


def _quiet(report: Report) -> list[str]:
    return [shown(", ".join(report.rules_not_exercised))] if report.rules_not_exercised else []
