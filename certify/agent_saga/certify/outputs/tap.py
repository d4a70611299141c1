"""``tap``: Test Anything Protocol, version 14. A test point an input, a saga, and the verdict (see :mod:`.cases`).

What is undecided, unreadable or absent is ``not ok``; only ``--inconclusive pass`` makes it ``ok ... # SKIP``.
"""

import json
from collections.abc import Iterator
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.cases import Case, Outcome, cases
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.outputs.facts import label, place, title
from agent_saga.certify.outputs.junit import properties
from agent_saga.certify.report import Report

_OK: Final = {Outcome.PASSED: "ok", Outcome.SKIPPED: "ok", Outcome.FAILED: "not ok", Outcome.ERROR: "not ok"}


def render(report: Report, options: Options) -> str:
    """Write the report as TAP 14."""
    found = cases(report)
    lines = ["TAP version 14", f"1..{len(found)}"]
    lines += [f"# {shown(name)}: {shown(value)}" for name, value in properties(report)]
    for number, case in enumerate(found, 1):
        lines += _point(number, case)
    return "\n".join([*lines, ""])


def _point(number: int, case: Case) -> Iterator[str]:
    directive = f" # SKIP {_text(case.reason)}" if case.outcome is Outcome.SKIPPED else ""
    yield f"{_OK[case.outcome]} {number} - {_text(case.suite)}: {_text(case.name)}{directive}"
    if case.outcome in (Outcome.FAILED, Outcome.ERROR) or case.findings:
        yield "  ---"
        yield f"  outcome: {case.outcome}"
        if case.reason:
            yield f"  message: {_yaml(case.reason)}"
        yield from _findings(case.findings)
        yield "  ..."


def _findings(findings: tuple[Finding, ...]) -> Iterator[str]:
    if findings:
        yield "  findings:"
    for f in findings:
        yield f"    - code: {_yaml(f.code)}"
        rows = [("title", title(f)), ("severity", label(f).lower()), ("at", place(f.source, f.line))]
        rows += [("because", f.because), ("expected", f.expected), ("fix", f.fix)]
        for name, value in rows:
            yield f"      {name}: {_yaml(value)}"
        if f.witness:
            yield "      witness:"
        for w in f.witness:
            yield f"        - {_yaml(f'{place(f.source, w.line)} {w.what}')}"


def _text(text: str) -> str:
    return shown(text).replace("\\", "\\\\").replace("#", "\\#")


def _yaml(text: str) -> str:
    # After shown() nothing is left that needs an escape of YAML's own but the quote and the backslash.
    return json.dumps(shown(text), ensure_ascii=False)
