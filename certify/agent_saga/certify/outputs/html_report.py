"""``html``: one file for an auditor's folder. No script, nothing from the network, readable on paper.

A policy in the page forbids everything but its own style sheet, named by its hash; so even a value that got past the
escaping could neither run nor load anything. Suppressed findings always stand in it.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options, RuleInfo, rules_of
from agent_saga.certify.outputs.basis import basis
from agent_saga.certify.outputs.escape import xml
from agent_saga.certify.outputs.facts import (
    counts,
    groups,
    heaviest_first,
    label,
    place,
    plural,
    title,
    tone,
    unread,
    verdict_line,
)
from agent_saga.certify.outputs.html_sagas import Anchors, sagas_section
from agent_saga.certify.report import Report

MAX_NAMED: Final = 5
"""Inputs that were not judged and are named beside the verdict."""
_ICON: Final = {
    "good": '<path d="M7 17l6 6 12-14"/>',
    "bad": '<path d="M9 9l14 14M23 9L9 23"/>',
    "open": '<path d="M11 12a5 5 0 1 1 7 4.5c-1.5.8-2 1.600-2 3M16 24v.5"/>',
}


def render(report: Report, options: Options) -> str:
    """Write the report as a page."""
    style = (files("agent_saga.certify.outputs") / "report.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    anchors = Anchors.of(report)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
            f"<title>{xml(verdict_line(report))}</title>",
            f"<style>{style}</style></head><body>",
            '<a class="skip" href="#findings">Skip to the findings</a>',
            *_header(report),
            "<main>",
            *_rules_found(report),
            *_findings(report, anchors),
            *sagas_section(report, anchors),
            *_basis(report),
            *_inputs(report),
            *_suppressed(report),
            *_rules_cited(report, rules_of(report, options.rules)),
            "</main>",
            f"<footer>agent-saga {xml(report.tool_version)}, rule set <code>{xml(report.rule_set)}</code></footer>",
            "</body></html>",
            "",
        ]
    )


def _header(report: Report) -> Iterator[str]:
    mood = tone(report)
    verdict, _, rest = verdict_line(report).partition(":")
    icon = f'<svg class="icon" viewBox="0 0 32 32" aria-hidden="true">{_ICON[mood]}</svg>'
    yield f'<header class="verdict {mood}"><p class="kind">Certification report</p>'
    yield f"<h1>{icon}<span>{xml(verdict[:1].upper() + verdict[1:])}</span></h1>"
    yield f"<p>{xml(rest.strip()[:1].upper() + rest.strip()[1:])}. Exit code {int(report.exit_code)}.</p>"
    if report.choices.profile == "custom":
        link = '<a href="#basis">choices of the user</a>'
        yield f'<p class="custom">This verdict was reached with {link} that may narrow it.</p>'
    yield from _unread(report)
    yield '<dl class="numbers">'
    number = counts(report)
    cells = [
        (len(report.inputs), "input", "inputs"),
        (report.saga_count, "saga judged", "sagas judged"),
        (number["error"], "error", "errors"),
        (number["inconclusive"], "undecided", "undecided"),
        (number["warning"], "warning", "warnings"),
        (number["note"], "note", "notes"),
        (number["suppressed"], "suppressed", "suppressed"),
    ]
    for value, one, many in cells:
        weight = ' class="zero"' if not value else ""
        yield f"<div{weight}><dt>{one if value == 1 else many}</dt><dd>{value:,}</dd></div>"
    yield "</dl></header>"


def _unread(report: Report) -> Iterator[str]:
    failed = [item for item in report.inputs if item.error]
    for item in failed[:MAX_NAMED]:
        yield f"<p><strong>Not judged:</strong> <code>{xml(place(item.path, 0))}</code>: {xml(unread(item))}</p>"
    if len(failed) > MAX_NAMED:
        yield f'<p>{len(failed) - MAX_NAMED:,} more stand under <a href="#inputs">Inputs</a>.</p>'


def _rules_found(report: Report) -> Iterator[str]:
    found = Counter((f.code, f.name, label(f)) for f in heaviest_first(report.findings))
    yield '<section aria-labelledby="findings"><h2 id="findings">Findings</h2>'
    if not found:
        yield f"<p>{'None.' if report.saga_count else 'None, because nothing was judged.'}</p></section>"
        return
    if len(report.findings) > 1:
        yield '<table class="summary"><caption>By rule</caption><thead><tr><th scope="col">Rule</th>'
        yield '<th scope="col">Weight</th><th scope="col" class="n">Findings</th></tr></thead><tbody>'
        for (code, name, word), number in found.items():
            link = f'<a href="#rule-{xml(code)}">{xml(code)}</a> {xml(name)}'
            yield f'<tr><th scope="row">{link}</th><td>{_tag(word)}</td><td class="n">{number:,}</td></tr>'
        yield "</tbody></table>"
    yield "</section>"


def _tag(word: str) -> str:
    return f'<span class="tag {word.lower()}">{word.lower()}</span>'


def _findings(report: Report, anchors: Anchors) -> Iterator[str]:
    if not report.findings:
        return
    yield '<section aria-label="Each finding">'
    for group in groups(report.findings):
        whole = "the input as a whole"
        name = f"saga <code>{xml(group.saga)}</code>" if group.saga else whole
        if link := anchors.saga(group.source, group.saga):
            name = f'<a href="#{link}">{name}</a>'
        yield f'<h3 class="group"><code>{xml(place(group.source, 0))}</code>, {name}</h3>'
        for finding in group.findings:
            yield from _finding(finding, anchors)
    yield "</section>"


def _finding(finding: Finding, anchors: Anchors) -> Iterator[str]:
    word = label(finding)
    number = anchors.finding(finding)
    yield f'<article class="finding {word.lower()}" id="{number}" aria-labelledby="{number}-h">'
    cited = f'<a href="#rule-{xml(finding.code)}">{xml(title(finding))}</a>'
    at = f'<code class="at">{xml(place(finding.source, finding.line))}</code>'
    yield f'<h4 id="{number}-h">{_tag(word)} {cited} {at}</h4>'
    yield f"<p>{xml(finding.because)}</p>"
    yield '<ol class="witness" aria-label="Evidence">'
    for w in finding.witness:
        where = f"<code>{xml(place(finding.source, w.line))}</code>"
        if link := anchors.mark(finding, w.line):
            where = f'<a href="#{link}">{where}</a>'
        yield f"<li>{where} <span>{xml(w.what)}</span></li>"
    yield "</ol><dl>"
    for name, value in (("Expected next", finding.expected), ("Fix", finding.fix)):
        if value:
            yield f"<dt>{name}</dt><dd>{xml(value)}</dd>"
    yield "</dl></article>"


def _basis(report: Report) -> Iterator[str]:
    yield '<section aria-labelledby="basis"><h2 id="basis">What the verdict stands on</h2><dl class="basis">'
    for name, rows in basis(report, verbose=True, shown_suppressed=True):
        if name == "Tool" or (name == "Judged" and report.inputs):
            continue
        body = "".join(f"<p>{xml(row)}</p>" for row in rows)
        yield f"<dt>{xml(name)}</dt><dd>{body}</dd>"
    yield "</dl></section>"


def _inputs(report: Report) -> Iterator[str]:
    if not report.inputs:
        return
    heads = ("Input", "Format", "Lines", "Bytes", "Sagas", "SHA-256 of the bytes as stored")
    columns = "".join(f'<th scope="col">{head}</th>' for head in heads)
    yield '<section aria-labelledby="inputs"><h2 id="inputs">Inputs</h2><div class="scroll" tabindex="0"><table>'
    yield f"<thead><tr>{columns}</tr></thead><tbody>"
    for item in report.inputs:
        name = f'<th scope="row"><code>{xml(place(item.path, 0))}</code></th>'
        if item.error:
            yield f'<tr class="unread">{name}<td colspan="5"><strong>Not judged:</strong> {xml(unread(item))}</td></tr>'
            continue
        numbers = "".join(f'<td class="n">{value:,}</td>' for value in (item.lines, item.bytes, item.sagas))
        yield f'<tr>{name}<td>{xml(item.format)}</td>{numbers}<td><code class="sha">{xml(item.sha256)}</code></td></tr>'
    yield "</tbody></table></div></section>"


def _suppressed(report: Report) -> Iterator[str]:
    if not report.suppressed:
        return
    yield '<section aria-labelledby="suppressed"><h2 id="suppressed">Suppressed, not counted</h2>'
    yield f"<p>{plural(len(report.suppressed), 'finding')} that the user chose not to count.</p><ul>"
    for item in report.suppressed:
        f = item.finding
        where = f"<code>{xml(place(f.source, f.line))}</code>"
        yield f"<li>{_tag(label(f))} {xml(title(f))} {where}, by {xml(item.by)}. {xml(f.because)}</li>"
    yield "</ul></section>"


def _rules_cited(report: Report, rules: dict[str, RuleInfo]) -> Iterator[str]:
    cited = sorted({f.code for f in report.findings})
    if not cited:
        return
    yield '<section aria-labelledby="rules"><h2 id="rules">Rules cited</h2><dl class="basis">'
    for code in cited:
        rule = rules[code]
        text = "".join(f"<p>{xml(part)}</p>" for part in (rule.what, rule.why) if part)
        yield f'<dt id="rule-{xml(code)}">{xml(code)}<br><small>{xml(rule.name)}</small></dt><dd>{text}</dd>'
    yield "</dl></section>"
