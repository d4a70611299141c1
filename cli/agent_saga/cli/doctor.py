"""``agent-saga doctor``: tries what the runtime claims, before anything is at stake.

What is tried stands in agent_saga.runtime.doctor.
"""

import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.runtime.doctor import Trial

FORMATS: Final = ("text", "json")


def doctor(
    kit: Annotated[
        str | None,
        typer.Argument(
            metavar="MODULE:NAME",
            help="An AgentKit, or a function of the store's path that makes one.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="PATH|ADDRESS",
            help="The store, or where it will stand; or the address of one in PostgreSQL. [saga.db]",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), autocompletion=lambda: list(FORMATS), help="How.")
    ] = "text",
) -> None:
    """Try every claim of a configuration on its live store and kill switch, and look at machine, store and clock.

    Without MODULE:NAME only the machine and the place of the store are looked at. No tool or provider is called, and no
    saga is written: what the runtime does is tried with sagas of its own, in memory. Exit codes: 0 all was tried and
    held, 1 something does not hold, 3 something could not be tried.
    """
    require_known("format", form, FORMATS)
    with contextlib.redirect_stdout(sys.stderr):  # what a module prints must not stand in the report
        trials, unclaimed = _tried(kit, _place(store))
    say(_as_json(trials, unclaimed) if form == "json" else _as_text(trials, unclaimed))
    from agent_saga.runtime.doctor import verdict

    raise typer.Exit(verdict(trials))


def _place(store: str | None) -> Path | str | None:
    """A path as one; an address as it stands, since it is none."""
    from agent_saga.trace.store.postgres.addresses import is_address

    return store if store is None or is_address(store) else Path(store)


def _tried(spec: str | None, store: Path | str | None) -> tuple[list["Trial"], list[str]]:
    """The trials, and what is not claimed. The place is looked at first: a kit that opens its store mends it."""
    from agent_saga.runtime import AgentKit
    from agent_saga.runtime.doctor import examine_machine, try_claims
    from agent_saga.runtime.runnable import DEFAULT_STORE, kit_of, named

    trials = examine_machine()
    found = named(spec, "MODULE:NAME, such as shop.sagas:kit") if spec else None
    if not isinstance(found, AgentKit):
        trials += _examined(store or Path(DEFAULT_STORE))
    if not spec:
        return trials, []
    kit = kit_of(spec, found, store)
    for notice in getattr(kit.store, "notices", ()):
        note(notice)
    unclaimed: list[str] = kit.guarantees()["not_claimed"]
    return [*trials, *try_claims(kit)], unclaimed


def _examined(store: Path | str) -> list["Trial"]:
    if isinstance(store, str):
        from agent_saga.runtime.doctor.database import examine_database

        return examine_database(store, time.time)
    from agent_saga.runtime.doctor import examine_place

    return examine_place(store, time.time)


def _as_json(trials: Sequence["Trial"], unclaimed: Sequence[str]) -> str:
    return json.dumps({"trials": [asdict(trial) for trial in trials], "not_claimed": unclaimed}, indent=2) + "\n"


def _as_text(trials: Sequence["Trial"], unclaimed: Sequence[str]) -> str:
    wide = max(len(trial.id) for trial in trials)
    lines: list[str] = []
    for trial in trials:
        lines.append(f"{trial.outcome:<10}  {trial.id:<{wide}}  {trial.says}")
        lead = " " * (wide + 14)
        lines += [f"{lead}{word} {text}" for word, text in (("found:", trial.found), ("do:", trial.todo)) if text]
    lines += [f"not claimed: {words}" for words in unclaimed]
    return "".join(visible(line) + "\n" for line in lines)
