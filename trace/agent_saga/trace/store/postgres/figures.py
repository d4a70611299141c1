"""Figures of a store in PostgreSQL, for people.

Source: docs/guide/postgres.md.
"""

import contextlib
from typing import Any, Final, NamedTuple

from agent_saga.trace.store.errors import ReadOnly
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, faults_told
from agent_saga.trace.store.postgres.schema import VERSION
from agent_saga.trace.store.postgres.stream import at_one_moment, size_of

_SAGAS: Final = "SELECT count(*), count(*) FILTER (WHERE NOT ended) FROM agent_saga.sagas"
_HELD: Final = "SELECT count(*) FROM agent_saga.leases WHERE holder <> '' AND until > %s"
_EVENTS: Final = "SELECT count(*) FROM agent_saga.events"
_SIZE: Final = (
    "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind = 'r' AND n.nspname IN ('agent_saga', 'agent_saga_vault')"
)
_VALUES: Final = "SELECT count(*) FROM agent_saga.memory"
_TEXTS: Final = "SELECT count(*) FROM agent_saga_vault.disclosures"


class Figures(NamedTuple):
    """As :class:`~agent_saga.trace.store.inspecting.Info` has them. None: this user may not know."""

    lines: int
    sagas: int
    open: int
    size: int
    schema: int
    held: int
    disclosures: int | None
    remembered: int | None
    unlogged: int


def figures(address: str, now: float) -> Figures:
    """Look at a store, at one moment. now: seconds, on the clock of the leases. Raises StoreError."""
    place = masked(address)
    with contextlib.closing(at_one_moment(address)) as connection:
        lines = size_of(connection, place)
        ((sagas, open_ones),) = _rows(connection, place, _SAGAS)
        ((held,),) = _rows(connection, place, _HELD, now)
        ((events,),) = _rows(connection, place, _EVENTS)
        ((size,),) = _rows(connection, place, _SIZE)
        texts, values = _allowed(connection, place, _TEXTS), _allowed(connection, place, _VALUES)
    return Figures(lines, sagas, open_ones, size, VERSION, held, texts, values, events - lines)


def _rows(connection: Connection, place: str, query: Any, *values: Any) -> list[Any]:
    with faults_told(place):
        return connection.execute(query, values).fetchall()


def _allowed(connection: Connection, place: str, query: str) -> int | None:
    """A figure, where this user may know it."""
    with faults_told(place):
        connection.execute("SAVEPOINT asked")
    try:
        return int(_rows(connection, place, query)[0][0])
    except ReadOnly:
        connection.execute("ROLLBACK TO asked")
        return None
