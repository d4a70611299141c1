"""``agent-saga data``: where the program keeps what outlives a run."""

import os

import typer

from agent_saga.cli.terminal import note, say

app = typer.Typer(help="Where agent-saga keeps its data.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None: ...


@app.command("path")
def path() -> None:
    """Print the folder of data that outlives a run. It need not exist: certify never writes to it.

    It is AGENT_SAGA_DATA, else the folder agent-saga in XDG_STATE_HOME, else in ~/.local/state.
    """
    say(data_folder(os.environ) + "\n")
    note("certify writes nothing there: only the reports and the baseline that you name")


def data_folder(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The folder as an absolute path. Source: XDG Base Directory Specification, XDG_STATE_HOME."""
    if chosen := environ.get("AGENT_SAGA_DATA"):
        return os.path.abspath(os.path.expanduser(chosen))
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):  # the specification: a relative path is to be ignored
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "agent-saga")
