"""``markdown``: for a comment on a pull or merge request. No value can ping a person, link or break a table.

It stays under 60,000 bytes (GitHub takes 65,536 characters): the heaviest findings stand first, and the page says how
many are left out.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.escape import code, markdown
from agent_saga.certify.outputs.facts import (
    answers,
    assumptions,
    choices_made,
    heaviest_first,
    input_line,
    label,
    not_assessable,
    place,
    plural,
    title,
    tone,
    unread,
    verdict_line,
)
from agent_saga.certify.report import InputReport, Report, Suppressed

COMMENT_BYTES: Final = 60_000
LIST_BYTES: Final = 12_000
"""Bytes of one list (inputs, suppressed findings) before it is cut."""
MAX_PATH: Final = 300
MAX_VALUE: Final = 2_000
"""Characters of one sentence; a longer one is cut."""
_SIGN: Final = {"good": "✅", "bad": "❌", "open": "❔"}
_LABEL: Final = {"ERROR": "🟥 error", "WARNING": "🟨 warning", "NOTE": "⬜ note", "UNDECIDED": "🟪 undecided"}


def render(report: Report, options: Options) -> str:
    """Write the report for a comment; suppressed findings are listed when asked for."""
    return page(report, COMMENT_BYTES, "", options.show_suppressed)


def page(report: Report, budget: int, note: str, show_suppressed: bool = False) -> str:
    """The whole page in at most about ``budget`` bytes; note stands under the verdict."""
    head = [f"## {_SIGN[tone(report)]} {markdown(verdict_line(report))}", ""]
    head += [note, ""] if note else []
    tail = [*_inputs(report), *_suppressed(report, show_suppressed), *_fine_print(report)]
    room = budget - _size(head) - _size(tail)
    return "\n".join([*head, *_findings(report, room), *tail]) + "\n"


def _size(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _findings(report: Report, room: int) -> list[str]:
    lines: list[str] = []
    ordered = heaviest_first(report.findings)
    for number, finding in enumerate(ordered):
        block = list(_finding(finding))
        room -= _size(block)
        if room < 0:
            rest = len(ordered) - number
            return [*lines, f"**{rest:,} more** {'stands' if rest == 1 else 'stand'} in the other formats.", ""]
        lines += block
    return lines


def _finding(finding: Finding) -> Iterator[str]:
    yield f"### {_LABEL[label(finding)]} {markdown(title(finding))}"
    yield ""
    where = code(place(finding.source, finding.line))
    yield f"{where}{f' in saga {code(finding.saga)}' if finding.saga else ''}"
    yield ""
    yield _sentence(finding.because)
    yield ""
    for w in finding.witness:
        yield f"- {code(place(finding.source, w.line))} {markdown(w.what[:MAX_VALUE])}"
    if finding.expected:
        yield f"- **Expected next:** {_sentence(finding.expected)}"
    if finding.fix:
        yield f"- **Fix:** {_sentence(finding.fix)}"
    yield ""


def _sentence(text: str) -> str:
    return markdown(text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}...")


def _inputs(report: Report) -> list[str]:
    if not report.inputs:
        return ["No input was found. This is not a pass.", ""]
    # Those that were not judged first: they must not be the ones that are cut.
    ordered = sorted(report.inputs, key=lambda item: not item.error)
    rows, rest = _fitting(_row(item) for item in ordered)
    more = [f"| {plural(rest, 'more input')} | |"] if rest else []
    return ["| input | judged |", "|---|---|", *rows, *more, ""]


def _fitting(lines: Iterable[str]) -> tuple[list[str], int]:
    """The lines that fit one list, and how many do not."""
    kept, room, rest = list[str](), LIST_BYTES, 0
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            rest += 1
        else:
            kept.append(line)
    return kept, rest


def _row(item: InputReport) -> str:
    told = f"**not judged:** {markdown(unread(item)[:MAX_PATH])}" if item.error else markdown(input_line(item))
    return f"| {code(place(item.path, 0)[:MAX_PATH])} | {told} |"


def _suppressed(report: Report, show: bool) -> list[str]:
    if not report.suppressed:
        return []
    lines = [f"{plural(len(report.suppressed), 'finding')} suppressed and not counted.", ""]
    if show:
        kept, rest = _fitting(_hidden(item) for item in report.suppressed)
        lines += [*kept, *([f"- {rest:,} more"] if rest else []), ""]
    return lines


def _hidden(item: Suppressed) -> str:
    f = item.finding
    return f"- {markdown(title(f))} at {code(place(f.source, f.line))}, by {markdown(item.by)}"


def _fine_print(report: Report) -> list[str]:
    lines = ["<details><summary>What the verdict stands on</summary>", ""]
    lines += [f"- controls of {markdown(name)}: {markdown(told)}" for name, told in answers(report).items()]
    for name, value in choices_made(report.choices):
        lines.append(f"- choice {code(name)}: {_sentence(value)}")
    for reason, name, codes in not_assessable(report):
        lines.append(f"- not assessable in {markdown(name)}: {markdown(', '.join(codes))} ({_sentence(reason)})")
    lines += [f"- {_sentence(sentence)}" for sentence in assumptions(report)]
    if report.stale_baseline:
        stale = plural(len(report.stale_baseline), "stale entry", "stale entries")
        lines.append(f"- {stale} of the baseline matched nothing")
    version, rules = markdown(report.tool_version), code(report.rule_set[:16] or "-")
    lines.append(f"- agent-saga {version}, rule set {rules}, exit code {int(report.exit_code)}")
    return [*lines, "", "</details>"]
