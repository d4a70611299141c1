"""The text report reads well at 80 columns and is plain when it is not a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest
from rich.cells import cell_len


def test_the_verdict_stands_first(written: Callable[..., str]) -> None:
    assert written("rich", "text").startswith("NOT CERTIFIED: 3 sagas judged, 1 error, 1 warning, 1 undecided")
    assert written("suppressed", "text").startswith("CERTIFIED WITH EXCEPTIONS: 1 saga judged, 2 suppressed (exit 0)")
    assert written("nothing", "text").startswith("NOTHING TO CHECK: 0 sagas judged (exit 4)")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_keep_to_the_width_but_for_places(written: Callable[..., str], width: int) -> None:
    for line in written("rich", "text", width=width, verbose=1, show_suppressed=True).splitlines():
        assert cell_len(line) <= width or ".json" in line or len(line.split()) == 1, line


def test_a_place_is_never_broken(written: Callable[..., str], samples: ModuleType) -> None:
    long = "a/" * 80 + "trace.jsonl"
    finding = replace(samples.CHARGED, source=long)
    assert f"  {long}:9  effect.succeeded" in written(replace(samples.RICH, findings=(finding,)), "text", width=60)


def test_it_is_plain_unless_colour_is_asked_for(written: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in written("rich", "text")
    assert "\x1b[1;31mNOT CERTIFIED:" in written("rich", "text", color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in written("rich", "text", color=True)


def test_colour_changes_no_word(written: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = written("rich", "text", color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == written("rich", "text")


def test_the_surroundings_change_no_byte(written: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = written("rich", "text")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "dumb")
    assert written("rich", "text") == first


def test_what_is_verbose_or_suppressed_is_shown_on_request(written: Callable[..., str]) -> None:
    short, long = written("rich", "text"), written("rich", "text", verbose=1, show_suppressed=True)
    assert "Rules that met no case" not in short
    assert "Rules that met no case\n  AS209" in long
    assert "1 finding suppressed; --show-suppressed lists them" in short
    assert "SUPPRESSED AS209" not in short
    assert "SUPPRESSED AS209" in long


def test_inputs_that_were_not_judged_are_always_listed(written: Callable[..., str], samples: ModuleType) -> None:
    good, bad = samples.UNREADABLE.inputs
    text = written(replace(samples.UNREADABLE, inputs=(*(good for _ in range(300)), bad)), "text")
    assert "gone.jsonl: NOT JUDGED: no such file" in text
    assert "and 200 more inputs; -v lists them" in text


def test_standard_input_has_a_name(written: Callable[..., str]) -> None:
    assert "standard input:9" in written("stdin", "text")
