"""The commands and their names. What each one does stands in its own module, which is loaded when it is called."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Final

import typer

from agent_saga.cli.terminal import say

COMMANDS: Final = {
    "certify": "certifying:certify",
    "run": "running:run",
    "recover": "running:recover",
    "worker": "working:worker",
    "certify-worker": "parting:certify_worker",
    "doctor": "doctor:doctor",
    "prove": "proving:prove",
    "verify": "verifying:verify",
    "erase": "erasing:erase",
    "hold": "erasing:hold",
    "demo": "demo:demo",
    "explain": "rules:explain",
    "rules": "rules:rules",
    "schema": "schemas:schema",
    "completion": "completion:completion",
}
"""Command to the function that does it, as a module of this package and a name in it."""

GROUPS: Final = {
    "approvals": "approvals",
    "controls": "controls",
    "data": "data",
    "keys": "keys",
    "policy": "policies",
    "log": "witnessing",
    "store": "store",
    "trace": "trace",
}
"""Group of commands to the module that holds its application."""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"agent-saga {version('agent-saga-toolkit')}\n")
        raise typer.Exit()


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None: ...


def assembled(names: Iterable[str] = (*COMMANDS, *GROUPS)) -> typer.Typer:
    """The application with these commands: loading all of them takes longer than to judge ten thousand lines."""
    app = typer.Typer(
        name="agent-saga",
        help="Says from the trace that an AI agent left whether every effect was undone, approved or proven.",
        epilog="Exit codes: 0 yes, 1 no, 2 usage, 3 undecided, 4 nothing to do, 70 a bug of ours, 130 interrupted.",
        no_args_is_help=True,
        add_completion=False,  # `agent-saga completion SHELL` works in any shell, a guess at the shell does not
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        module, _, function = COMMANDS.get(name, "").partition(":")
        if function:
            app.command(name)(getattr(import_module(f"agent_saga.cli.{module}"), function))
        else:
            app.add_typer(import_module(f"agent_saga.cli.{GROUPS[name]}").app, name=name)
    return app


def assembled_for(arguments: Sequence[str]) -> typer.Typer:
    """The application with the command that the arguments begin with; with all commands where they begin otherwise."""
    first = arguments[0] if arguments else ""
    return assembled([first] if first in COMMANDS or first in GROUPS else [*COMMANDS, *GROUPS])
