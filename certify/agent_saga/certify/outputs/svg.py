"""Draws a timeline as one inline SVG: no script, no style colours from the page's style sheet.

State is told by shape and by colour, never by colour alone; each mark has a title for screen readers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agent_saga.certify.outputs.escape import shown, xml
from agent_saga.certify.outputs.timeline import LANES, Row, Timeline, Track

ROW: Final = 24
HEAD: Final = 30
WIDTH: Final = 960
LANES_X: Final = 140
TRACK_GAP: Final = 15
LANE_WIDTH: Final = 58
CHARACTER: Final = 7.4
"""Width of a character of the text beside the lanes; a longer text is cut, the whole stands in the title."""
MAX_LINKS: Final = 3
MAX_REF: Final = 24
STATE_WORDS: Final = {
    "intended": "intended, outcome not yet known",
    "applied": "took effect",
    "failed": "proven not to have happened",
    "unknown": "outcome unknown",
    "undone": "an undo took effect",
    "passed": "check passed",
    "missed": "check failed",
    "decided": "a person answered",
    "bar": "",
    "other": "",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a drawing needs beside the timeline. links: line number to the anchors and codes of findings."""

    key: str
    """Prefix of the anchors, unique in the page."""
    name: str
    description: str
    settled: bool
    """Whether an effect that stands at the end is as it should be, or whether it stands is not known."""
    links: Mapping[int, list[tuple[str, str]]]


def draw(timeline: Timeline, picture: Picture) -> str:
    """The SVG element."""
    height = HEAD + ROW * len(timeline.rows) + 14
    lanes = _lanes(timeline)
    parts = [
        f'<svg class="timeline" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="group" aria-labelledby="{picture.key}-t {picture.key}-d">',
        f'<title id="{picture.key}-t">{xml(picture.name)}</title>',
        f'<desc id="{picture.key}-d">{xml(picture.description)}</desc>',
        *_frame(lanes, height),
        *_bands(timeline, picture),
        *(line for track in timeline.tracks for line in _track(track, lanes, picture.settled or not timeline.linked)),
        *(_arrow(row, track, lanes) for row, track in timeline.arrows),
        *(line for number, row in enumerate(timeline.rows) for line in _row(number, row, timeline, lanes, picture)),
        "</svg>",
    ]
    return "\n".join(parts)


def _lanes(timeline: Timeline) -> dict[str, float]:
    """The x of each lane's middle (of its first track for effects), and of the text."""
    effects = max(LANE_WIDTH, TRACK_GAP * timeline.columns + 18)
    x: float = LANES_X
    found: dict[str, float] = {}
    for lane in LANES:
        width = effects if lane == "effects" else LANE_WIDTH
        found[lane] = x + (16 if lane == "effects" and timeline.columns > 1 else width / 2)
        x += width
        found[f"{lane} end"] = x
    found["text"] = x + 12
    return found


def _y(number: int) -> float:
    return HEAD + ROW * number + ROW / 2


def _frame(lanes: dict[str, float], height: int) -> Iterator[str]:
    left: float = LANES_X
    for number, lane in enumerate(LANES):
        right = lanes[f"{lane} end"]
        style = "lane even" if number % 2 else "lane"
        yield f'<rect class="{style}" x="{left:g}" y="0" width="{right - left:g}" height="{height}"/>'
        yield f'<text class="lane-name" x="{(left + right) / 2:g}" y="19" text-anchor="middle">{lane}</text>'
        left = right
    yield '<text class="lane-name" x="44" y="19" text-anchor="end">line</text>'
    yield '<text class="lane-name" x="58" y="19">time (UTC)</text>'
    yield f'<line class="rule" x1="0" y1="{HEAD}" x2="{WIDTH}" y2="{HEAD}"/>'


def _bands(timeline: Timeline, picture: Picture) -> Iterator[str]:
    for number, row in enumerate(timeline.rows):
        if row.mark and row.mark.line in picture.links:
            y = HEAD + ROW * number
            yield f'<rect class="evidence" x="0" y="{y}" width="{WIDTH}" height="{ROW}"/>'
            yield f'<rect class="evidence-edge" x="0" y="{y}" width="3" height="{ROW}"/>'
        if row.mark and row.mark.type == "rollback.started":
            y = HEAD + ROW * number
            yield f'<line class="rollback" x1="{LANES_X}" y1="{y}" x2="{WIDTH}" y2="{y}"/>'


def _track(track: Track, lanes: dict[str, float], settled: bool) -> Iterator[str]:
    x = lanes["effects"] + TRACK_GAP * track.column
    start, end = _y(track.first), _y(track.last)
    if track.applied is not None:
        middle = _y(track.applied)
        yield f'<line class="track waiting" x1="{x:g}" y1="{start:g}" x2="{x:g}" y2="{middle:g}"/>'
        start = middle
    style = track.ended if track.ended != "applied" else "kept" if settled else "in-force"
    if track.ended in ("applied", "unknown", "intended"):
        end += 9
        yield f'<path class="end {style}" d="M{x - 5:g} {end:g}H{x + 5:g}"/>'
    yield f'<line class="track {style}" x1="{x:g}" y1="{start:g}" x2="{x:g}" y2="{end:g}"/>'


def _arrow(row: int, track: Track, lanes: dict[str, float]) -> str:
    x, y, right = lanes["effects"] + TRACK_GAP * track.column, _y(row), lanes["undos"] - 7
    head = f"M{x + 9:g} {y - 4:g}L{x + 2:g} {y:g}L{x + 9:g} {y + 4:g}"
    return f'<path class="arrow" d="M{right:g} {y:g}H{x + 3:g}{head}"><title>undoes {xml(track.effect)}</title></path>'


def _row(number: int, row: Row, timeline: Timeline, lanes: dict[str, float], picture: Picture) -> Iterator[str]:
    y = _y(number)
    if row.mark is None:
        yield f'<text class="gap" x="{lanes["text"]:g}" y="{y + 4:g}">{row.hidden:,} lines not drawn</text>'
        return
    mark = row.mark
    x = lanes[row.lane]
    if row.lane == "effects":
        x += TRACK_GAP * next((t.column for t in timeline.tracks if t.effect == mark.ref), 0)
    words = [mark.type, mark.ref, mark.result, row.tool, STATE_WORDS[row.state]]
    told = ", ".join(shown(word) for word in words if word)
    anchor = f' id="{picture.key}-l{mark.line}"' if timeline.first_of_line(number) else ""
    yield f"<g{anchor}><title>line {mark.line}: {xml(told)}</title>"
    yield f'<text class="number" x="44" y="{y + 4:g}" text-anchor="end">{mark.line or ""}</text>'
    yield f'<text class="time" x="58" y="{y + 4:g}">{xml(_time(mark.at))}</text>'
    yield _shape(row, x, y)
    yield from _words(row, lanes["text"], y, picture)
    yield "</g>"


def _time(at: str) -> str:
    clock = at.partition("T")[2]
    return clock[:12] if len(clock) >= 12 else shown(at)[:12]


def _words(row: Row, x: float, y: float, picture: Picture) -> Iterator[str]:
    mark = row.mark
    if mark is None:
        return
    links = picture.links.get(mark.line, [])
    badges = sum(9 * len(code) + 4 for _, code in links[:MAX_LINKS]) + 30 * (len(links) > MAX_LINKS)
    room = int((WIDTH - 12 - x - badges) / CHARACTER)
    result = mark.result
    parts = [("type", mark.type), ("ref", _short(mark.ref)), ("result", result), ("tool", row.tool)]
    yield f'<text class="event" x="{x:g}" y="{y + 4:g}">{_spans(parts, room)}</text>'
    right = WIDTH - 8
    for anchor, code in reversed(links[:MAX_LINKS]):
        yield (
            f'<a href="#{xml(anchor)}"><title>finding {xml(code)}</title>'
            f'<text class="badge" x="{right}" y="{y + 4:g}" text-anchor="end">{xml(code)}</text></a>'
        )
        right -= 9 * len(code) + 4
    if len(links) > MAX_LINKS:
        more = f"+{len(links) - MAX_LINKS}"
        yield f'<text class="more" x="{right}" y="{y + 4:g}" text-anchor="end">{more}</text>'


def _short(ref: str) -> str:
    """A long id by its two ends, so that there is room for the tool; the title has it whole."""
    text = shown(ref)
    return text if len(text) <= MAX_REF else f"{text[:10]}…{text[-6:]}"


def _spans(parts: list[tuple[str, str]], room: int) -> str:
    spans: list[str] = []
    for style, value in parts:
        text = shown(value)
        if not text or room <= 1:
            continue
        cut = text if len(text) <= room else f"{text[: room - 1]}…"
        room -= len(cut) + 1
        gap = ' dx="7"' if spans else ""
        spans.append(f'<tspan class="{style}"{gap}>{xml(cut)}</tspan>')
    return "".join(spans)


def _shape(row: Row, x: float, y: float) -> str:
    if row.lane == "undos" and row.state == "applied":
        return f'<path class="mark undo" d="M{x - 7:g} {y:g}L{x + 5:g} {y - 7:g}V{y + 7:g}Z"/>'
    return shape(row.state, x, y)


def shape(state: str, x: float, y: float) -> str:
    """The mark of a state at a place; the legend draws the same ones."""
    drawn = {
        "intended": f'<circle class="mark intended" cx="{x:g}" cy="{y:g}" r="5"/>',
        "applied": f'<circle class="mark applied" cx="{x:g}" cy="{y:g}" r="6"/>',
        "failed": f'<path class="mark failed" d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10"/>',
        "unknown": f'<path class="mark unknown" d="M{x:g} {y - 7:g}l7 7l-7 7l-7 -7Z"/>',
        "passed": f'<path class="mark passed" d="M{x - 6:g} {y - 6:g}h12v12h-12Zm2.5 6l2.5 3l4.5 -6"/>',
        "missed": f'<path class="mark missed" d="M{x - 6:g} {y - 6:g}h12v12h-12Zm3 3l6 6m0 -6l-6 6"/>',
        "decided": f'<path class="mark decided" d="M{x - 7:g} {y:g}l3.5 -6h7l3.5 6l-3.5 6h-7Z"/>',
        "bar": f'<path class="mark bar" d="M{x - 9:g} {y:g}h18"/>',
    }
    return drawn.get(state, f'<circle class="mark other" cx="{x:g}" cy="{y:g}" r="3"/>')
