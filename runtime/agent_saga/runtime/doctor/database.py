"""The place of a store in PostgreSQL: is it reached, is it this release's, what may this user, is all of it in the log.

Nothing is written, and no message holds a password (:mod:`agent_saga.trace.store.postgres.addresses`).
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from agent_saga.runtime.doctor.place import EARLIEST, SKEW
from agent_saga.runtime.doctor.trial import Outcome, Trial, judged
from agent_saga.runtime.times import instant
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError
from agent_saga.trace.store.errors import StoreError, Unreachable
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, connect, faults_told
from agent_saga.trace.store.postgres.figures import figures
from agent_saga.trace.store.postgres.schema import LOCKS, VERSION, verify
from agent_saga.trace.store.postgres.stream import page, size_of

PATIENCE: Final = 2.0
"""Seconds between two looks at the sequencer: what waits for its place waits a few milliseconds when it is well."""

_SAYS: Final = {
    "reach": "The server answers, and lets this user in.",
    "schema": f"The database holds a store of schema {VERSION}, with the triggers that keep its lines.",
    "store": "The store can be read.",
    "roles": "This user may append lines, and may not change or remove any.",
    "sequencer": "What is durable has its place in the log, and nobody keeps the sequencer.",
    "durable": "What was acknowledged survives a power cut of the server.",
    "clock": "The clock is set, and agrees with the server's and with the newest line.",
}
"""The trials, in their order."""

_ROLES: Final = (
    "SELECT has_table_privilege('agent_saga.events', 'INSERT') "
    "AND has_function_privilege('agent_saga.place(bigint, integer)', 'EXECUTE'), "
    "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user) "
    "OR pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'agent_saga.events'::regclass), 'USAGE'), "
    "has_schema_privilege('agent_saga_vault', 'USAGE'), pg_is_in_recovery(), current_user"
)
_WAITS: Final = "SELECT batch FROM agent_saga.pending"
_HOLDS: Final = (
    "SELECT pid, virtualtransaction FROM pg_locks WHERE locktype = 'advisory' AND granted "
    f"AND classid = {LOCKS} AND objid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_SETTINGS: Final = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') ORDER BY name"


def examine_database(address: str, now: Callable[[], float]) -> list[Trial]:
    """Look at the address of a store. now: seconds since 1970, as :func:`time.time`.

    Raises StoreError for an address that is none, or without psycopg.
    """
    trials: list[Trial] = []
    try:
        with contextlib.closing(connect(address)) as connection:
            trials += _examined(connection, address, now)
    except Unreachable as fault:
        trials.append(
            judged("reach", _SAYS["reach"], False, str(fault), "start the server, or mend address and password")
        )
    return [*trials, *_left_out(trials)]


def _left_out(trials: list[Trial]) -> list[Trial]:
    """The trials that could not be made, since one before them failed."""
    tried = [one.id for one in trials]
    return [
        Trial(id, says, Outcome.UNPROBED, f"{tried[-1]} failed", "mend that first")
        for id, says in _SAYS.items()
        if id not in tried
    ]


def _examined(connection: Connection, address: str, now: Callable[[], float]) -> Iterator[Trial]:
    """Each trial, up to the first that the others stand on."""
    place = masked(address)
    yield _trial("reach", True, f"PostgreSQL {connection.info.server_version // 10_000} at {place}")
    try:
        verify(connection, place)
    except StoreError as fault:
        yield _trial("schema", False, str(fault), "do as it says, or name the database of the store")
        return
    yield _trial("schema", True, f"schema {VERSION}")
    for id, look in (("store", _read), ("roles", _roles), ("sequencer", _sequencer), ("durable", _durable)):
        yield _told(id, place, lambda look=look: look(connection, address))  # type: ignore[misc]
    yield _told("clock", place, lambda: _clock(connection, place, now))


def _told(id: str, place: str, look: Callable[[], Trial]) -> Trial:
    try:
        with faults_told(place):
            return look()
    except StoreError as fault:
        return _trial(id, False, str(fault), "grant this user a role of the store, see docs/guide/postgres.md")


def _trial(id: str, good: bool, found: str, todo: str = "") -> Trial:
    return judged(id, _SAYS[id], good, found, todo)


def _read(_connection: Connection, address: str) -> Trial:
    found = figures(address, time.time())
    return _trial("store", True, f"{found.lines} lines of {found.sagas} sagas, {found.open} of them open")


def _roles(connection: Connection, _address: str) -> Trial:
    appends, owns, conceals, standby, user = _row(connection, _ROLES)
    if standby:
        return _trial("roles", False, "the server is a standby, which takes no lines", "name the primary server")
    if not appends:
        todo = "GRANT agent_saga_append TO it, and agent_saga_vault where it conceals values"
        return _trial("roles", False, f"{user} may not append", todo)
    if owns:
        todo = "let workers be a role of their own, which is neither owner of the tables nor superuser"
        return _trial("roles", False, f"{user} may remove the triggers that keep the lines", todo)
    return _trial("roles", True, f"{user} may append, and {'may' if conceals else 'may not'} conceal values")


def _sequencer(connection: Connection, _address: str) -> Trial:
    """Look twice: a batch that waits, or a transaction that is the sequencer, is to be gone at the second look."""
    waits, holds = _all(connection, _WAITS), _all(connection, _HOLDS)
    if waits or holds:
        time.sleep(PATIENCE)
        waits, holds = waits & _all(connection, _WAITS), holds & _all(connection, _HOLDS)
    if holds:
        pids = ", ".join(str(pid) for pid, _ in sorted(holds))
        todo = "look at that session in pg_stat_activity, and end it with pg_terminate_backend"
        return _trial("sequencer", False, f"process {pids} of the server keeps it for {PATIENCE:.0f} s", todo)
    if waits:
        todo = "open the store by a user who may append, such as with `agent-saga recover`: that gives them their place"
        return _trial("sequencer", False, f"{len(waits)} batches are durable and have no place in the log", todo)
    return _trial("sequencer", True, "nothing waits")


def _durable(connection: Connection, _address: str) -> Trial:
    off = [name for name, setting in connection.execute(_SETTINGS).fetchall() if setting != "on"]
    todo = "switch it on in postgresql.conf"
    return _trial(
        "durable", not off, f"{' and '.join(off)} = off" if off else "fsync and full_page_writes are on", todo
    )


def _clock(connection: Connection, place: str, now: Callable[[], float]) -> Trial:
    """Compare the clock with the oldest it can be, the server's and the newest line's."""
    before = now()
    server = float(_row(connection, "SELECT extract(epoch FROM clock_timestamp())")[0])
    after = now()
    said, size = instant(datetime.fromtimestamp(after, UTC)), size_of(connection, place)
    newest = _at(page(connection, place, size - 1, 1)[0][1]) if size else ""
    if after < EARLIEST:
        return _trial("clock", False, f"the clock says {said}", "set the clock, and keep it set (NTP)")
    if not before - SKEW <= server <= after + SKEW:
        found = f"the clock says {said}, the server's {instant(datetime.fromtimestamp(server, UTC))}"
        return _trial("clock", False, found, "set both clocks by NTP: leases end by the clock")
    if newest and datetime.fromisoformat(newest).timestamp() > after + SKEW:
        todo = "set the clock: certify refuses a saga whose time goes back (AS108)"
        return _trial("clock", False, f"the clock says {said}, the newest line {newest}", todo)
    return _trial("clock", True, f"{said}, {abs(server - (before + after) / 2):.3f} s off the server's")


def _at(line: bytes) -> str:
    try:
        return str(decode(line)[0].at)
    except LineError:
        return ""


def _row(connection: Connection, query: Any) -> Any:
    return connection.execute(query).fetchall()[0]


def _all(connection: Connection, query: Any) -> set[Any]:
    return set(connection.execute(query).fetchall())
