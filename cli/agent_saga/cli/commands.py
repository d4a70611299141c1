"""The commands and their names. What each one does stands in its own module."""

from typing import Annotated

import typer

from agent_saga.cli import (
    approvals,
    certifying,
    completion,
    controls,
    data,
    demo,
    doctor,
    erasing,
    keys,
    parting,
    policies,
    proving,
    rules,
    running,
    schemas,
    store,
    trace,
    verifying,
    witnessing,
    working,
)
from agent_saga.cli.terminal import say

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
"""The Typer application, for those who nest or document it; it ends with exceptions where ``main`` ends in words."""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"agent-saga {version('agent-saga-toolkit')}\n")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None: ...


app.command("certify")(certifying.certify)
app.command("run")(running.run)
app.command("recover")(running.recover)
app.command("worker")(working.worker)
app.command("certify-worker")(parting.certify_worker)
app.command("doctor")(doctor.doctor)
app.command("prove")(proving.prove)
app.command("verify")(verifying.verify)
app.command("erase")(erasing.erase)
app.command("hold")(erasing.hold)
app.command("demo")(demo.demo)
app.command("explain")(rules.explain)
app.command("rules")(rules.rules)
app.command("schema")(schemas.schema)
app.command("completion")(completion.completion)
app.add_typer(approvals.app, name="approvals")
app.add_typer(controls.app, name="controls")
app.add_typer(data.app, name="data")
app.add_typer(keys.app, name="keys")
app.add_typer(policies.app, name="policy")
app.add_typer(witnessing.app, name="log")
app.add_typer(store.app, name="store")
app.add_typer(trace.app, name="trace")
