"""The policy that a saga is run under, as the commands are given it."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_saga.cli.terminal import note

if TYPE_CHECKING:
    from agent_saga.runtime.runnable import Runnable
    from agent_saga.trace.store import Store

PolicyOption = Annotated[
    str | None, typer.Option("--policy", metavar="FILE", help="Ask this policy before every effect.")
]
WaiversOption = Annotated[
    str | None,
    typer.Option("--waivers", metavar="FILE", help="The policy's waivers, each signed; the registry verifies them."),
]
RecordsOption = Annotated[
    str | None, typer.Option("--records", metavar="FILE", help="Append a JSON line for each decision of the policy.")
]


async def policed(
    store: "Store", runnable: "Runnable", policy: str | None, waivers: str | None, records: str | None
) -> dict[str, Any]:
    """What an engine over this store is given besides. Raises PolicyError, BadParameter.

    Waivers are verified by the key registry in force: the log's own, else the runnable's.
    """
    if policy is None:
        if waivers is not None or records is not None:
            raise typer.BadParameter("--waivers and --records are of a policy: give --policy as well")
        return {}
    from agent_saga.cli.policies.given import loaded
    from agent_saga.policies.waiving import read_waivers
    from agent_saga.runtime.approving.standing import Standing
    from agent_saga.runtime.policing.records import file_sink
    from agent_saga.runtime.times import instant, utc_now

    read = await asyncio.to_thread(loaded, policy)
    given: dict[str, Any] = {"policy": read, "records": file_sink(records) if records is not None else None}
    if waivers is not None:
        authority = await Standing(store, runnable.registry).now()
        found = read_waivers(waivers, read, authority.registry(authority.keys), instant(utc_now())[:10])
        for problem in found.problems:
            note(problem)
        given["waivers"] = found
    return given
