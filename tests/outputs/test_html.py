"""The page is self-contained, locked down and whole, and its pictures say what the marks say."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from types import ModuleType

from agent_saga.certify.outputs.timeline import MAX_ROWS, layout
from agent_saga.certify.report import Mark, Report

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """Reads a page and refuses tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_page_is_whole_and_its_links_lead_somewhere(report: Report, written: Callable[..., str]) -> None:
    page = Page(written(report, "html"))
    assert not [name for name, number in Counter(page.ids).items() if number > 1]
    links = {value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")}
    assert links <= set(page.ids)
    assert all(re.fullmatch(r"[\w-]+", name) for name in page.ids if not name.startswith("rule-"))


def test_nothing_runs_and_nothing_is_loaded(report: Report, written: Callable[..., str]) -> None:
    page = Page(written(report, "html"))
    assert not set(page.tags) & {"script", "iframe", "object", "embed", "form", "img", "link", "base", "foreignobject"}
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "style", "srcset", "action", "xlink:href"}
        assert name != "href" or value.startswith("#")


def test_the_policy_allows_only_the_page_s_own_style(written: Callable[..., str]) -> None:
    text = written("rich", "html")
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[0]
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


def test_a_value_stays_text(written: Callable[..., str]) -> None:
    assert Page(written("hostile", "html")).tags["b"] == 0


def test_evidence_links_to_the_picture_and_back(written: Callable[..., str]) -> None:
    text = written("rich", "html")
    assert '<a href="#s1-l9"><code>fixtures/demo/bad.jsonl:9</code></a>' in text
    assert re.search(r'<a href="#f1"><title>finding AS201</title>', text)
    assert text.count('class="evidence-edge"') == 5


def test_a_picture_has_a_title_and_a_description(written: Callable[..., str]) -> None:
    text = written("rich", "html")
    assert '<title id="s1-t">Timeline of saga k3JxQ0m7y2aTt5v9WcZ1eA</title>' in text
    assert "<title>line 11: effect.unknown, e3, hotels.book, outcome unknown</title>" in text


def test_an_effect_in_force_runs_to_the_bottom_in_red_only_when_that_is_known(
    written: Callable[..., str], samples: ModuleType
) -> None:
    assert 'class="end in-force" d="M' in _pictures(written("rich", "html"))
    bare = tuple(Mark(m.line, m.at, m.type, m.ref, m.tool) for m in samples.TRIP)
    unlinked = replace(samples.RICH, sagas=(replace(samples.RICH.sagas[0], timeline=bare),))
    assert "in-force" not in _pictures(written(unlinked, "html"))
    assert "in-force" not in _pictures(written("clean", "html"))


def _pictures(text: str) -> str:
    return "".join(re.findall(r'<svg class="timeline".*?</svg>', text, re.S))


def test_tracks_end_where_the_undo_took_effect(samples: ModuleType) -> None:
    found = layout(samples.TRIP)
    assert [(t.effect, t.ended, t.first, t.applied, t.last) for t in found.tracks] == [
        ("e1", "undone", 2, 3, 15),
        ("e2", "applied", 7, 8, 18),
        ("e3", "failed", 9, None, 11),
    ]
    assert [(row, track.effect) for row, track in found.arrows] == [(15, "e1")]
    assert len({track.column for track in found.tracks}) == 3


def test_a_long_saga_is_shortened_but_keeps_its_evidence_and_its_undos(samples: ModuleType) -> None:
    mark = samples._mark
    middle = [replace(mark(1, "step.proposed", f"s{n}"), line=n) for n in range(5, 995)]
    undone = [replace(mark(1, "undo.succeeded", "u1", target="e1"), line=500)]
    marks = [mark(1, "effect.intended", "e1"), mark(2, "effect.succeeded", "e1"), *middle[:500], *undone, *middle[500:]]
    found = layout(marks, {300})
    assert len(found.rows) < MAX_ROWS
    assert 300 in {row.mark.line for row in found.rows if row.mark}
    assert sum(row.hidden for row in found.rows) + sum(row.mark is not None for row in found.rows) == len(marks)
    (track,) = found.tracks
    assert track.ended == "undone"
    assert track.last < len(found.rows) - 1


def test_many_effects_at_once_share_the_last_track(samples: ModuleType) -> None:
    marks = [samples._mark(n % 60, "effect.succeeded", f"e{n}") for n in range(40)]
    assert layout(marks).columns == 8


def test_an_unknown_event_is_drawn_and_breaks_nothing(samples: ModuleType) -> None:
    rows = layout(
        [samples._mark(1, "saga.renamed"), samples._mark(2, ""), samples._mark(3, "effect.vanished", "e1")]
    ).rows
    assert [row.state for row in rows] == ["other", "other", "other"]
