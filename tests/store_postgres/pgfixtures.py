"""Fixtures: one server for a whole run of tests, a database of its own for each test."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from pgserver import Server, place_for_servers, remove

from agent_saga.trace.store.postgres.schema import migrate

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def pg_server() -> Iterator[Server]:
    """A server with a template database that holds an empty store."""
    folder = place_for_servers()
    server = Server(folder)
    try:
        migrate(server.make("empty_store"), dry_run=False)
        yield server
    finally:
        server.stop()
        remove(folder)


@pytest.fixture
def pg_address(pg_server: Server) -> str:
    """The address of an empty store; it goes with the server."""
    return pg_server.make(f"test_{next(_NUMBERS)}", template="empty_store")
