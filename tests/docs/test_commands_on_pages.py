"""Every command that a page tells a person to type is one that the program takes: its name, options and arguments.

Pages whose commands run in the tests are held to more than that; this holds the others, and the words in their text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from agent_saga.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    if page.name not in ("cli.md", "CHANGELOG.md", "bench.md")
)
MEANT_TO_FAIL = {"agent-saga certify --no-such-option "}
FENCED = re.compile(r"^ *```(\w*).*?\n(.*?)^ *```", re.M | re.S)
SHELLS = ("sh", "bash", "console", "yaml", "")
TYPED = re.compile(r"(?:^|[$&|;(] ?|- (?:run|script): |^\s*- )(agent-saga [a-z-].*)$", re.M)
QUOTED = re.compile(r"(?<!`)`(agent-saga [^`]+)`")
END = re.compile(r" (?:\||[0-9]?>|&&|\|\||;|<|#)| ?\)\"?")
"""Where the shell takes over from the command."""
SUBSTITUTED = re.compile(r"\$\([^)]*\)")
ROOT_COMMAND = typer.main.get_command(app)


def typed(text: str) -> Iterator[str]:
    """The commands in the blocks of a page."""
    for language, block in FENCED.findall(text):
        if language in SHELLS:
            yield from TYPED.findall(re.sub(r"\\\n\s*", " ", block))


def alone(line: str) -> str:
    """The command of a line, without what the shell does with it."""
    return END.split(SUBSTITUTED.sub("X", line))[0]


def taken(line: str) -> tuple[Any, list[str], Any]:
    """The command of a line, what it is given, and its context. Raises ValueError for one that is not there."""
    words = shlex.split(alone(line))[1:]
    command, context = ROOT_COMMAND, ROOT_COMMAND.make_context("agent-saga", [], resilient_parsing=True)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name not in command.commands:
            raise ValueError(f"agent-saga has no command {name!r}")
        command = command.commands[name]
        if hasattr(command, "commands"):
            context = command.make_context(name, [], parent=context, resilient_parsing=True)
    return command, words, context


def wrong(line: str) -> str:
    """Why the program does not take this line; "" if it does."""
    try:
        command, words, context = taken(line)
        if not hasattr(command, "commands"):
            command.make_context(command.name, words, parent=context)
    except typer.Exit:
        return ""
    except Exception as fault:
        return f"{line}: {getattr(fault, 'message', '') or fault}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_says_to_type_is_taken(page: Path) -> None:
    faults = [wrong(line) for line in typed(page.read_text("utf-8")) if alone(line) not in MEANT_TO_FAIL]
    assert not [fault for fault in faults if fault]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_the_text_of_a_page_names_is_there(page: Path) -> None:
    text = FENCED.sub("", page.read_text("utf-8"))
    faults = [wrong(re.sub(r"\s+", " ", line)) for line in QUOTED.findall(text)]
    assert not [fault for fault in faults if "has no command" in fault or "No such option" in fault]


def test_the_pages_are_read_at_all() -> None:
    assert sum(len(list(typed(page.read_text("utf-8")))) for page in PAGES) > 150


@pytest.mark.parametrize(
    "line",
    [
        "agent-saga prove postgresql://db/acme SAGA -o proof.json",
        "agent-saga certify --polcy p.yaml log.jsonl",
        "agent-saga proof SAGA",
        "agent-saga log checkpoint orders.db one two | cat",
    ],
)
def test_a_line_that_the_program_would_refuse_is_found(line: str) -> None:
    assert wrong(line)
