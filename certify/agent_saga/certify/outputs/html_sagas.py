"""The part of the page that shows the judged sagas: a table of all, and the picture of each that has a timeline."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.escape import xml
from agent_saga.certify.outputs.facts import effects, place, plural
from agent_saga.certify.outputs.svg import STATE_WORDS, Picture, draw, shape
from agent_saga.certify.outputs.timeline import layout
from agent_saga.certify.report import Report, SagaReport, Verdict

MAX_PICTURES: Final = 200
"""Pictures in one page, those of sagas with findings first: a browser draws these without delay."""
MAX_TABLE: Final = 2_000
_LEGEND: Final = ("intended", "applied", "failed", "unknown", "passed", "missed", "decided")
_MOOD: Final = {Verdict.CERTIFIED: "good", Verdict.NOT_CERTIFIED: "bad"}


@dataclass(frozen=True, slots=True)
class Anchors:
    """Names within the page: ``f1`` for a finding, ``s1`` for a drawn saga, ``s1-l7`` for its line 7."""

    findings: dict[int, str]
    sagas: dict[tuple[str, str], str]
    lines: dict[str, frozenset[int]]

    @classmethod
    def of(cls, report: Report) -> "Anchors":
        """Name everything that is linked."""
        findings = {id(f): f"f{number}" for number, f in enumerate(report.findings, 1)}
        touched = {(f.source, f.saga) for f in report.findings}
        drawn = [saga for saga in report.sagas if saga.timeline]
        drawn.sort(key=lambda saga: (saga.source, saga.saga) not in touched)
        names = {(s.source, s.saga): f"s{number}" for number, s in enumerate(drawn[:MAX_PICTURES], 1)}
        witnesses = cls._witnesses(report)
        lines = {
            names[key]: _drawn_lines(saga, witnesses.get(key, frozenset()))
            for saga in drawn[:MAX_PICTURES]
            if (key := (saga.source, saga.saga)) in names
        }
        return cls(findings, names, lines)

    @staticmethod
    def _witnesses(report: Report) -> dict[tuple[str, str], frozenset[int]]:
        found: dict[tuple[str, str], set[int]] = {}
        for f in report.findings:
            found.setdefault((f.source, f.saga), set()).update(w.line for w in f.witness)
        return {key: frozenset(lines) for key, lines in found.items()}

    def finding(self, finding: Finding) -> str:
        """The anchor of a finding."""
        return self.findings[id(finding)]

    def saga(self, source: str, saga: str) -> str:
        """The anchor of a saga's picture; "" when it has none."""
        return self.sagas.get((source, saga), "")

    def mark(self, finding: Finding, line: int) -> str:
        """The anchor of a line in its saga's picture; "" when it is not drawn."""
        name = self.saga(finding.source, finding.saga)
        return f"{name}-l{line}" if name and line in self.lines[name] else ""


def _drawn_lines(saga: SagaReport, keep: frozenset[int]) -> frozenset[int]:
    return frozenset(row.mark.line for row in layout(saga.timeline, keep).rows if row.mark)


def sagas_section(report: Report, anchors: Anchors) -> Iterator[str]:
    """The table of the sagas and the pictures."""
    if not report.sagas:
        return
    yield '<section aria-labelledby="sagas"><h2 id="sagas">Sagas</h2>'
    left = report.saga_count - len(report.sagas)
    if left > 0:
        yield f"<p>{plural(left, 'saga')} without a finding were judged and are not listed.</p>"
    yield from _table(report, anchors)
    drawn = [saga for saga in report.sagas if anchors.saga(saga.source, saga.saga)]
    if drawn:
        yield _legend()
    links = _links(report, anchors)
    for saga in drawn:
        yield from _figure(saga, anchors, links.get((saga.source, saga.saga), {}))
    yield "</section>"


def _table(report: Report, anchors: Anchors) -> Iterator[str]:
    heads = ("Saga", "Input and lines", "Status in the trace", "Effects", "Verdict")
    yield '<div class="scroll" tabindex="0"><table><thead><tr>'
    yield "".join(f'<th scope="col">{head}</th>' for head in heads) + "</tr></thead><tbody>"
    for saga in report.sagas[:MAX_TABLE]:
        name = f"<code>{xml(saga.saga)}</code>"
        if link := anchors.saga(saga.source, saga.saga):
            name = f'<a href="#{link}">{name}</a>'
        title = f"<br><small>{xml(saga.name)}</small>" if saga.name and saga.name != saga.saga else ""
        where = f"{xml(place(saga.source, 0))}, {saga.first_line} to {saga.last_line}"
        verdict = f'<span class="tag {_MOOD.get(saga.verdict, "open")}">{saga.verdict}</span>'
        yield f'<tr><th scope="row">{name}{title}</th><td>{where}</td><td>{xml(saga.status)}</td>'
        yield f"<td>{effects(saga)}</td><td>{verdict}</td></tr>"
    yield "</tbody></table></div>"
    if len(report.sagas) > MAX_TABLE:
        yield f"<p>{len(report.sagas) - MAX_TABLE:,} more stand in the json format.</p>"


def _links(report: Report, anchors: Anchors) -> dict[tuple[str, str], dict[int, list[tuple[str, str]]]]:
    found: dict[tuple[str, str], dict[int, list[tuple[str, str]]]] = {}
    for f in report.findings:
        lines = found.setdefault((f.source, f.saga), {})
        for line in dict.fromkeys(w.line for w in f.witness):
            lines.setdefault(line, []).append((anchors.finding(f), f.code))
    return found


def _figure(saga: SagaReport, anchors: Anchors, links: dict[int, list[tuple[str, str]]]) -> Iterator[str]:
    key = anchors.saga(saga.source, saga.saga)
    settled = saga.status.startswith("succeeded") or not saga.in_force
    told = f"{saga.verdict}; {saga.status}; {effects(saga)}; {plural(saga.lines, 'line')}."
    name = f"Timeline of saga {saga.saga}"
    picture = Picture(key, name, f"{told} From top to bottom in order of lines.", settled, links)
    mood = _MOOD.get(saga.verdict, "open")
    yield f'<figure id="{key}"><figcaption><h3>Saga <code>{xml(saga.saga)}</code></h3>'
    day = saga.timeline[0].at.partition("T")[0]
    began = f" Began {xml(day)}." if len(day) == 10 else ""
    title = f"{xml(saga.name)}: " if saga.name and saga.name != saga.saga else ""
    tag = f'<span class="tag {mood}">{saga.verdict}</span>'
    yield f"<p>{tag} {title}{xml(saga.status)}; {effects(saga)}; {plural(saga.lines, 'line')}.{began}</p>"
    timeline = layout(saga.timeline, frozenset(links))
    if not timeline.linked:
        yield "<p>The picture does not show which undo is for which effect, and so not where an effect's line ends.</p>"
    drawing = draw(timeline, picture)
    yield f'</figcaption><div class="scroll" tabindex="0">{drawing}</div></figure>'


def _legend() -> str:
    items = [_key(shape(state, 10, 10), STATE_WORDS[state]) for state in _LEGEND]
    undo = '<path class="mark undo" d="M3 10L15 3V17Z"/>'
    items.append(_key(undo, "an undo took effect; its arrow ends the effect's line"))
    stands = '<path class="track in-force" d="M10 1V15"/><path class="end in-force" d="M4 16H16"/>'
    items.append(_key(stands, "in force"))
    items.append(_key('<rect class="evidence" x="0" y="2" width="20" height="16"/>', "evidence of a finding"))
    return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'


def _key(drawn: str, words: str) -> str:
    return f'<li><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">{drawn}</svg> {words}</li>'
