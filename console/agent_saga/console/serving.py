"""The page over a store, on a port of this machine: what ``agent-saga approvals serve`` runs.

Source: docs/guide/approval-page.md.
"""

import os
from collections.abc import Callable
from typing import Any, Final

import uvicorn

from agent_saga.approvals.registry import Registry, registry_digest
from agent_saga.console.app import make_app
from agent_saga.console.connections import Impatient
from agent_saga.console.desk import Desk
from agent_saga.console.errors import CannotServe
from agent_saga.runtime import Engine
from agent_saga.runtime.times import utc_now
from agent_saga.trace.store import open_store

_MOST: Final = 64
"""Requests that are answered at once; a page for a handful of people needs fewer."""


async def serve(place: str, registry: Any, host: str, port: int, origin: str, ready: Callable[[], None]) -> None:
    """Serve until the process is told to end. place: of a store that is there. registry: as parsed from its file.

    origin: where browsers see the page; behind a proxy, the proxy's. ready: called when the page answers.
    registry: None where the log was opened with one. Raises RegistryFault, StoreError, CannotServe.
    """
    store = open_store(place, create=False)
    try:
        desk = Desk(store, Engine(store, registry=registry), registry, utc_now, os.urandom)
        in_force = await _in_force(desk, registry)
        server = Server(config(make_app(desk, in_force, origin, utc_now, os.urandom), host, port), ready)
        try:
            await server.serve()
        except SystemExit as end:  # the server's own way to say that it has no port
            raise CannotServe(f"{host} port {port} cannot be used: taken, or not for you; name another --port") from end
    finally:
        await store.close()


async def _in_force(desk: Desk, given: Any) -> Registry:
    """The registry by which passkeys are known. Raises CannotServe for none, or another one than the log's."""
    keys = await desk.keys()
    if keys.digest is None:
        raise CannotServe("the log names no key registry: give it with --registry FILE")
    if given is not None and registry_digest(given) != keys.digest:
        raise CannotServe(f"the registry given is not the one in force in the log, whose digest is {keys.digest}")
    return keys.registry


def config(app: Any, host: str, port: int) -> uvicorn.Config:
    """The server's settings: plain HTTP/1.1, no trust in a proxy's headers, no log of who asked for what."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Impatient,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="critical",
        limit_concurrency=_MOST,
        timeout_graceful_shutdown=5,
    )


class Server(uvicorn.Server):
    """uvicorn, which also says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
