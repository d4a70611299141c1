"""Writes docs/cli.md from the `--help` of every command; with --check only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
WIDTH = 100
HEAD = """\
<!-- Written by `make docs-generate` from the --help of every command: do not edit. -->
# Command line

Many options can also be set in a file or in the environment: see [Configuration](configuration.md). What
the exit codes mean stands in [Exit codes](exit-codes.md).
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Each command by its full name, in the order of the help, groups before what they hold."""
    yield from _walk("agent-saga", typer.main.get_command(_app()))


def _app() -> typer.Typer:
    from agent_saga.cli.commands import app

    return app


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    command.rich_markup_mode = None  # plain text: the same page whatever the terminal and the version of rich
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _walk(f"{name} {word}", inner)


def help_of(name: str, command: Any) -> str:
    """The command's --help as plain text, a fixed width wide."""
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH, "color": False, "resilient_parsing": True}
    root, *words = name.split(" ")
    context = typer.main.get_command(_app()).make_context(root, [], **settings)
    for depth, word in enumerate(words, 1):  # through its groups, whose settings it inherits
        inner = command if depth == len(words) else context.command.commands[word]
        context = inner.make_context(word, [], parent=context, **settings)
    text = command.get_help(context)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def page() -> str:
    """The whole page."""
    sections = [
        f"{'#' * min(3, 1 + len(name.split()))} {name}\n\n```text\n{help_of(name, command)}\n```\n"
        for name, command in commands()
    ]
    return "\n".join([HEAD, *sections])


def main(arguments: list[str]) -> int:
    """Writes the page, or says with --check whether it is up to date."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text("utf-8") == wanted:
            return 0
        print("docs/cli.md is not what --help says: run `make docs-generate`", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
