"""``agent-saga run`` and ``agent-saga recover``: sagas named by MODULE:SAGA, over a store."""

import asyncio
import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.log import LOG
from agent_saga.cli.policing import PolicyOption, RecordsOption, WaiversOption, policed
from agent_saga.cli.terminal import note, say
from agent_saga.cli.working import QUEUE, Keys, Priority, Queue, Reached, Tenant, run_on_temporal

if TYPE_CHECKING:
    from agent_saga.runtime import Report


Policing = tuple[str | None, str | None, str | None]
"""Files: of a policy, of its waivers, and where records of its decisions go."""


class Engine(StrEnum):
    """Where a saga is run."""

    embedded = "embedded"
    temporal = "temporal"


Saga = Annotated[
    str,
    typer.Argument(
        metavar="MODULE:SAGA", help="A Runnable, or a function of the store's path that makes one.", show_default=False
    ),
]
Sagas = Annotated[
    list[str],
    typer.Argument(metavar="MODULE:SAGA...", help="What can run the sagas that are found there.", show_default=False),
]
StorePath = Annotated[str, typer.Argument(metavar="STORE", help="The store that they left.", show_default=False)]


def run(
    saga: Saga,
    store: Annotated[
        str, typer.Option("--store", metavar="PATH", help="The store; made when there is none.")
    ] = "saga.db",
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Begin the saga of this id, or go on with it.")
    ] = None,
    goal: Annotated[str | None, typer.Option("--goal", metavar="JSON", help="The goal, in place of its own.")] = None,
    engine: Annotated[
        Engine, typer.Option("--engine", help="Run it in this process, or by the workers of a Temporal server.")
    ] = Engine.embedded,
    task_queue: Queue = QUEUE,
    payload_keys: Keys = None,
    tenant: Tenant = "",
    priority: Priority = 0,
    policy: PolicyOption = None,
    waivers: WaiversOption = None,
    records: RecordsOption = None,
) -> None:
    """Run a saga until it ends or waits for a person.

    Exit codes: 0 it succeeded, 1 it was undone or closed, 3 it waits. Every line is in the store before what it
    announces is done: `agent-saga certify STORE` judges it, `agent-saga recover` goes on when this process dies.
    """
    wanted = None if goal is None else _parsed(goal)
    if engine is Engine.temporal:
        reached = Reached(task_queue, payload_keys, tenant, priority)
        if policy is not None:
            raise typer.BadParameter("the workers ask the policy: give it to agent-saga worker")
        report = asyncio.run(run_on_temporal(saga, store, id, wanted, reached))
    else:
        report = asyncio.run(_run(saga, store, id, wanted, (policy, waivers, records)))
    _print([report])
    raise typer.Exit(_code([report]))


async def _run(saga: str, store: str, id: str | None, goal: object, policing: Policing) -> "Report":
    from agent_saga.runtime.runnable import load
    from agent_saga.trace.store import open_store
    from agent_saga.trace.store.postgres.addresses import beside

    runnable = load(saga, Path(beside(store)))
    wanted = runnable.goal if goal is None else goal
    opened = open_store(store)
    _tell(opened.notices)
    try:
        engine = runnable.engine(opened, **await policed(opened, runnable, *policing))
        return await engine.run(runnable.definition, runnable.driver, goal=wanted, saga=id)
    finally:
        await opened.close()


def _parsed(goal: str) -> object:
    from agent_saga.certify.settings.documents import parse_json

    return parse_json(goal.encode(), "--goal")


def recover(
    store: StorePath,
    sagas: Sagas,
    policy: PolicyOption = None,
    waivers: WaiversOption = None,
    records: RecordsOption = None,
) -> None:
    """Take up every saga that a dead process left in a store.

    A call whose outcome nobody wrote is asked for at its provider, never made again blindly. A saga that another
    process holds is left alone, and one that cannot be taken up holds up no other. Exit codes: 0 all succeeded, 2 one
    could not be taken up, 1 one was undone or closed, 3 one waits, 4 there was none.
    """
    reports, faults = asyncio.run(_recover(store, sagas, (policy, waivers, records)))
    _print(reports)
    for saga, fault in faults.items():
        LOG.error("usage", f"{store}: saga {saga} could not be taken up: {type(fault).__name__}: {fault}")
    if faults:
        raise typer.Exit(2)
    if not reports:
        note(f"{store}: no saga of these names is open and free; one that a dead process held is free after its lease")
    raise typer.Exit(_code(reports))


async def _recover(store: str, sagas: list[str], policing: Policing) -> "tuple[list[Report], dict[str, Exception]]":
    from agent_saga.runtime import NotRecovered
    from agent_saga.runtime.runnable import load
    from agent_saga.trace.store import open_store
    from agent_saga.trace.store.postgres.addresses import beside, is_address

    # Opening a file store cuts a torn last line off: not before it is known that there is something to run.
    there = is_address(store) or os.path.lexists(store)
    runnables = [load(saga, Path(beside(store))) for saga in sagas] if there else []
    opened = open_store(store, create=False)
    _tell(opened.notices)
    try:
        reports: list[Report] = []
        faults: dict[str, Exception] = {}
        for runnable in runnables:
            try:
                engine = runnable.engine(opened, **await policed(opened, runnable, *policing))
                reports += await engine.recover([(runnable.definition, runnable.driver)])
            except NotRecovered as failed:
                reports += failed.reports
                faults |= failed.faults
        return reports, faults
    finally:
        await opened.close()


def _tell(notices: tuple[str, ...]) -> None:
    """Say what was mended when a store was opened: nothing of a log goes in silence."""
    for notice in notices:
        note(notice)


def _print(reports: "list[Report]") -> None:
    for report in reports:
        about = f"  about {', '.join(report.about)}" if report.about else ""
        say(f"{report.saga}  {report.status}  in force: {', '.join(report.held) or 'nothing'}{about}\n")


def _code(reports: "list[Report]") -> int:
    """The gravest: undone or closed, then waiting."""
    if not reports:
        return 4
    if any(report.ended and report.status != "succeeded_verified" for report in reports):
        return 1
    return 0 if all(report.ended for report in reports) else 3
