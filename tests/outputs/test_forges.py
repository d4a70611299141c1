"""github, gitlab and markdown: the right order, the right limits, and no value that commands, links or pings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

from agent_saga.certify.findings import Witness
from agent_saga.certify.outputs import job_summary
from agent_saga.certify.outputs.escape import code, markdown
from agent_saga.certify.report import Choices, Report

COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:]*,?)+)::([^\n]*)")


def _commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    found = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        assert match, line
        found.append((match[1], dict(part.split("=", 1) for part in match[2].split(",")), match[3]))
    return found


def test_each_annotation_is_one_command(report: Report, written: Callable[..., str]) -> None:
    commands = _commands(written(report, "github"))
    unread = sum(1 for item in report.inputs if item.error and item.path not in {f.source for f in report.findings})
    assert len(commands) == 1 + len(report.findings) + unread


def test_annotations_have_a_place_and_a_title(written: Callable[..., str], samples: ModuleType) -> None:
    _, (kind, parameters, message), *_ = _commands(written("rich", "github"))
    assert kind == "error"
    assert parameters == {"file": samples.BAD, "line": "9", "title": "AS201 uncompensated-effect"}
    assert "%0AFix: Retry" in message


def test_the_heaviest_annotations_come_first(written: Callable[..., str]) -> None:
    kinds = [kind for kind, _, _ in _commands(written("rich", "github"))]
    assert kinds == ["error", "error", "warning", "warning"]


def test_standard_input_has_no_file_to_point_at(written: Callable[..., str]) -> None:
    assert all("file" not in parameters for _, parameters, _ in _commands(written("stdin", "github")))


def test_a_certified_run_is_a_notice(written: Callable[..., str]) -> None:
    assert [kind for kind, _, _ in _commands(written("clean", "github"))] == ["notice"]


def test_the_summary_tells_how_many_annotations_are_left_out(samples: ModuleType) -> None:
    page = job_summary(samples.MANY)
    assert "9,990 more findings have none" in page
    assert len(page.encode()) < 1024 * 1024
    assert "annotations" not in job_summary(samples.RICH)


def test_gitlab_has_what_a_code_quality_report_needs(report: Report, written: Callable[..., str]) -> None:
    entries = json.loads(written(report, "gitlab"))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert entry["location"]["path"]
        assert entry["location"]["lines"]["begin"] >= 1


def test_gitlab_severities_follow_ours(written: Callable[..., str]) -> None:
    found = {entry["check_name"]: entry["severity"] for entry in json.loads(written("rich", "gitlab"))}
    assert found == {
        "choices-of-the-user": "info",
        "AS201 uncompensated-effect": "critical",
        "AS602 value-withheld": "major",
        "AS108 clock-went-back": "minor",
    }
    assert json.loads(written("clean", "gitlab")) == []
    assert json.loads(written("nothing", "gitlab"))[0]["severity"] == "blocker"


def test_markdown_fits_a_comment(report: Report, written: Callable[..., str]) -> None:
    text = written(report, "markdown", show_suppressed=True)
    assert len(text.encode()) <= 65_000


def test_markdown_tells_what_it_leaves_out(written: Callable[..., str]) -> None:
    shown, rest = (
        re.findall(r"### ", written("many", "markdown")),
        re.findall(r"\*\*([\d,]+) more\*\*", written("many", "markdown")),
    )
    assert len(shown) + int(rest[0].replace(",", "")) == 10_000


def test_markdown_fits_with_many_long_and_hostile_names(written: Callable[..., str], samples: ModuleType) -> None:
    finding = replace(samples.CHARGED, because="@" * 9_000, witness=tuple(Witness(n, "<" * 9_000) for n in range(1, 6)))
    inputs = tuple(
        replace(samples.RICH.inputs[0], path="`" * 4_000 + str(n), error="\u202e" * 4_000) for n in range(90)
    )
    text = written(replace(samples.RICH, inputs=inputs, findings=(finding,)), "markdown")
    assert len(text.encode()) <= 65_000
    assert "more input" in text


def _html(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


@pytest.mark.parametrize("page", ["markdown", "summary"])
def test_a_value_stays_text_in_markdown(written: Callable[..., str], samples: ModuleType, page: str) -> None:
    report = samples.HOSTILE_REPORT
    html = _html(job_summary(report) if page == "summary" else written(report, "markdown", show_suppressed=True))
    assert "<b>" not in html
    assert "<a " not in html
    assert html.count("<table>") == 1
    assert {row.count("<td>") for row in re.findall(r"<tr>\n(<td>.*?)</tr>", html, re.S)} == {2}
    outside = re.sub(r"<code>.*?</code>", "", html, flags=re.S)
    for live in (r"@team", r"#12", r"https://", r"www\."):
        assert not re.search(live, outside), live


@pytest.mark.parametrize(
    "text",
    [
        "*a* _b_ ~c~",
        "[x](y)",
        "<!-- c -->",
        "a|b",
        "# h",
        "#12",
        "---",
        "===",
        "1.",
        "1. one",
        "- item",
        "+ plus",
        "`x`",
        "a\\*b",
        "&amp;",
        "![i](s)",
    ],
)
def test_markdown_text_reads_as_written(text: str) -> None:
    html = _html(f"| {markdown(text)} |\n|---|\n| {markdown(text)} |\n\n{markdown(text)}")
    plain = re.sub(r"<[^>]+>", "", html.replace("<!-- -->", ""))
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        plain = plain.replace(entity, char)
    assert plain.split("\n").count(text) == 3, html


@pytest.mark.parametrize("text", ["a`b", "``", "`", " x", "a|b", "", "a```b``c"])
def test_a_code_span_holds_its_content(text: str) -> None:
    html = _html(f"| {code(text)} |\n|---|\n| {code(text)} |")
    assert html.count("<code>") == 2
    assert re.findall("<code>(.*?)</code>", html, re.S)[0].strip() == text.strip()


def test_choices_stand_in_the_comment(written: Callable[..., str], samples: ModuleType) -> None:
    text = written(replace(samples.CLEAN, choices=Choices(fail_on="warning", now="2026-11-30")), "markdown")
    assert "- choice `--fail-on`: warning" in text
    assert "- choice `--now`: 2026-11-30" in text
