"""``agent-saga demo``: plays a scenario with simulated providers. What it does stands in agent_saga.testing.demo."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agent_saga.cli.terminal import note, say, wants_color

NAMES = "happy-path|business-failure|lost-response|compensation-failure|crash|irreversible|irreversible-approved|policy"


def demo(
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario", "-s", metavar=NAMES, autocompletion=lambda: NAMES.split("|"), help="What is played."
        ),
    ] = "happy-path",
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="PATH", help="Keep the store here, and the providers' files beside it."),
    ] = None,
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="PATH", help="Write the saga's trace to this new file.")
    ] = None,
) -> None:
    """Play a checkout with simulated providers, kill it or break it, and judge the trace that it leaves.

    Prints what the agent chose, what was undone, the outcome, what the providers' own ledgers say, and what certify
    says of the trace. Without --store and --trace nothing is kept. Exit code 1: it did not come out as it should.
    """
    from agent_saga.testing.demo import play, scenario_of
    from agent_saga.testing.telling import headline, story
    from agent_saga.trace.store.postgres.addresses import is_address

    if store is not None and is_address(store):
        raise typer.BadParameter("the demo keeps its store in a file: name a path, no address", param_hint="--store")
    chosen, color = scenario_of(scenario), wants_color()
    say(headline(chosen.name, chosen.says, color=color))
    with tempfile.TemporaryDirectory(prefix="agent-saga-demo-") as scratch:
        place, written = Path(store or f"{scratch}/demo.db"), Path(trace or f"{scratch}/demo.jsonl")
        played = play(chosen, place, written, note)
        say(story(played, trace or "", color=color))
    raise typer.Exit(0 if played.as_expected else 1)
