"""``text``: for people, on a terminal or on paper; plain when it is neither.

The verdict first, then the findings by input and saga, then what the verdict stands on. ``file:line`` is never broken,
so that a terminal can open it.
"""

from collections.abc import Iterator
from io import StringIO
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.basis import basis
from agent_saga.certify.outputs.escape import shown
from agent_saga.certify.outputs.facts import (
    Group,
    effects,
    groups,
    label,
    place,
    saga_index,
    title,
    tone,
    verdict_line,
)
from agent_saga.certify.report import Report, SagaReport

MIN_WIDTH: Final = 40
_VERDICT: Final = {"good": "bold green", "bad": "bold red", "open": "bold yellow"}
_LABEL: Final = {
    "ERROR": "bold red",
    "WARNING": "bold yellow",
    "NOTE": "bold blue",
    "UNDECIDED": "bold magenta",
    "SUPPRESSED": "dim",
}
_INDENT: Final = "    "
_MARGIN: Final = len(_INDENT) + len("expected  ")


def render(report: Report, options: Options) -> str:
    """Write the report for people."""
    width = max(options.width, MIN_WIDTH)
    out = StringIO()
    # _environ: nothing around the process may change a byte. Wrapping is done here, so rich must not.
    console = Console(
        file=out,
        width=10_000_000,
        force_terminal=options.color,
        no_color=not options.color,
        color_system="standard" if options.color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for line in _tidy(_page(report, options, width)):
        console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    return out.getvalue()


def _tidy(lines: Iterator[Text]) -> Iterator[Text]:
    """The lines without a second blank line after a first."""
    blank = False
    for line in lines:
        if line.plain or not blank:
            yield line
        blank = not line.plain


def _page(report: Report, options: Options, width: int) -> Iterator[Text]:
    yield from _headline(report, width)
    yield from _grouped(report, groups(report.findings), width)
    if options.show_suppressed and report.suppressed:
        yield Text("")
        yield Text("Suppressed", "bold")
        for item in report.suppressed:
            yield from _finding(item.finding, width, by=item.by)
    for name, rows in basis(report, verbose=bool(options.verbose), shown_suppressed=options.show_suppressed):
        yield Text("")
        yield Text(name, "bold")
        for row in rows:
            yield from wrapped(row, width, "  ", "    ")


def _headline(report: Report, width: int) -> Iterator[Text]:
    verdict, _, rest = verdict_line(report).partition(":")
    lines = list(wrapped(f"{verdict.upper()}:{rest} (exit {int(report.exit_code)})", width))
    lines[0].stylize(_VERDICT[tone(report)], 0, len(verdict) + 1)
    yield from lines


def _grouped(report: Report, found: list[Group], width: int) -> Iterator[Text]:
    sagas = saga_index(report)
    source: str | None = None
    for group in found:
        if group.source != source:
            source = group.source
            yield Text("")
            yield Text(place(source, 0), "bold underline")
        yield Text("")
        if group.saga:
            yield from wrapped(_saga(group, sagas.get((group.source, group.saga))), width, "  ", "    ")
        for finding in group.findings:
            yield from _finding(finding, width)


def _saga(group: Group, saga: SagaReport | None) -> str:
    head = f"saga {shown(group.saga)}"
    if saga is None:
        return head
    name = f" ({shown(saga.name)})" if saga.name and saga.name != saga.saga else ""
    lines = f", lines {saga.first_line} to {saga.last_line}" if saga.last_line else ""
    return f"{head}{name}: {saga.verdict}, {shown(saga.status)}{lines}; {effects(saga)}"


def _finding(finding: Finding, width: int, by: str = "") -> Iterator[Text]:
    word = "SUPPRESSED" if by else label(finding)
    head = Text(f"  {word} {title(finding)}  {place(finding.source, finding.line)}")
    head.stylize(_LABEL[word], 2, 2 + len(word))
    head.stylize("bold", 3 + len(word), 3 + len(word) + len(title(finding)))
    yield head
    yield from wrapped(shown(finding.because), width, _INDENT)
    for w in finding.witness:
        line = Text(f"{_INDENT}  {place(finding.source, w.line)}", "cyan")
        yield line.append(f"  {shown(w.what)}", "default")
    rows = [("expected", finding.expected), ("fix", finding.fix), ("by", by)]
    for name, value in rows:
        if value:
            yield from _row(name, shown(value), width)
    yield Text("")


def _row(name: str, value: str, width: int) -> Iterator[Text]:
    lines = wrapped(value, width, f"{_INDENT}{name:<10}", " " * _MARGIN)
    for number, line in enumerate(lines):
        if not number:
            line.stylize("dim", 0, _MARGIN)
        yield line


def wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> Iterator[Text]:
    """The text in lines of at most ``width`` cells, broken at spaces; a longer word stands alone, unbroken."""
    rest = first if rest is None else rest
    line, bare = first, True
    for word in text.split(" "):
        if not bare and cell_len(line) + 1 + cell_len(word) > width:
            yield Text(line)
            line, bare = rest, True
        line += word if bare else f" {word}"
        bare = False
    yield Text(line)
