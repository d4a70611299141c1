"""Connections to PostgreSQL: how they are set, how their errors are told.

Source: postgresql.org/docs/current/errcodes-appendix.html, runtime-config-client.html; psycopg.org/psycopg3/docs.
"""

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from agent_saga.trace.store.engine import Raced
from agent_saga.trace.store.errors import (
    Busy,
    Damaged,
    DiskFault,
    DiskFull,
    NotAStore,
    ReadOnly,
    StoreError,
    Unreachable,
)
from agent_saga.trace.store.postgres.addresses import masked, revealed

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]
else:
    Connection = Any

PATIENCE: Final = 30.0
"""Seconds to wait for a lock that another process holds, and for a server that does not answer."""
PAUSE: Final = 0.05
"""Seconds between two tries to reach a server that does not answer."""

_IDLE: Final = "10min"
"""After so long in a transaction without a word, the server takes a client for dead and lets its locks go."""

_SETTINGS: Final = {
    "application_name": "agent-saga",
    "options": (
        f"-c search_path=pg_catalog -c lock_timeout={int(PATIENCE * 1000)} "
        f"-c idle_in_transaction_session_timeout={_IDLE} -c default_transaction_isolation=read\\ committed"
    ),
}
"""Read committed, whatever the default of the server, the database or the role is: what is read under a lock is then
what stood there when the lock was given, and not when the transaction began."""
_ENCODING: Final = "utf8"
"""What names are sent and read in; a database of another encoding takes those that it has characters for."""

_CLASSES: Final[dict[str, tuple[type[StoreError], str]]] = {
    "53100": (DiskFull, "nothing was written: make room on the server and append again"),
    "25006": (ReadOnly, "nothing was written: the server is a standby, or set to read only"),
    "42501": (ReadOnly, "the user lacks a right: grant it a role of the store, see docs/guide/postgres.md"),
    "55P03": (Busy, "another process kept it locked: look for one that hangs in a transaction"),
    "57014": (Busy, "the server cancelled it: look at statement_timeout"),
    "25P04": (Busy, "the server cancelled it: look at transaction_timeout"),
    "22P05": (StoreError, "the database's encoding has no such character: use names of ASCII, or a database in UTF8"),
    "58030": (DiskFault, "nothing was acknowledged: look at the server's disk"),
    "3F000": (NotAStore, "no store in this database: run `agent-saga store migrate` on it"),
    "42P01": (NotAStore, "no store in this database: run `agent-saga store migrate` on it"),
    "23000": (Damaged, "the store refuses it: somebody works around its functions"),
}
_AGAIN: Final = ("40001", "40P01", "23505")
"""Another transaction came first: serialisation failure, deadlock, a row that stands there already."""


def driver() -> Any:
    """The module psycopg. Raises StoreError when it is not installed."""
    try:
        import psycopg
    except ImportError as fault:
        raise StoreError(
            f"stores in PostgreSQL need psycopg 3 ({fault}): run `pip install 'agent-saga-toolkit[postgres]'`"
        ) from fault
    return psycopg


@contextlib.contextmanager
def faults_told(place: str) -> Iterator[None]:
    """Turn psycopg's errors into the store's. place: as it may be shown."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as fault:
        raise told(place, fault) from None  # its context may hold the address as it was given


def told(place: str, fault: Any) -> StoreError:
    """The store's error for one of psycopg's."""
    state = getattr(fault, "sqlstate", None)
    said = getattr(getattr(fault, "diag", None), "message_primary", None) or _first_line(fault)
    if state in _AGAIN:
        return Raced(f"{place}: {said}")
    if lost(fault):
        return Unreachable(f"{place}: the server went away ({said}); nothing was acknowledged: append the same again")
    kind, advice = _CLASSES.get(state or "", (StoreError, "unexpected"))
    return kind(f"{place}: {said}; {advice}")


def lost(fault: Any) -> bool:
    """Whether the connection broke, or the server was stopped or is starting: what was asked may come to be or not."""
    psycopg = driver()
    state = getattr(fault, "sqlstate", None) or ""
    broken = isinstance(fault, psycopg.OperationalError | psycopg.InterfaceError) and not state
    return broken or state[:2] == "08" or state in ("57P01", "57P02", "57P03", "57P05", "25P03")


def connect(address: str, *, patience: float = 0.0, **settings: Any) -> Connection:
    """A connection that begins no transaction by itself. patience: seconds to try again while nobody answers.

    Raises Unreachable, and StoreError for an address that is none, or a server that refuses the user.
    """
    psycopg, place = driver(), masked(address)
    end = time.monotonic() + patience
    while True:
        try:
            connection: Connection = psycopg.connect(
                **_parameters(psycopg, address, place), autocommit=True, **settings
            )
            return connection
        except psycopg.Error as fault:
            if time.monotonic() >= end or not _may_pass(fault):
                raise Unreachable(f"{place}: cannot be reached: {_first_line(fault)}") from None
        time.sleep(PAUSE)


def _parameters(psycopg: Any, address: str, place: str) -> dict[str, Any]:
    """Ours behind what the address says; the environment and service files are libpq's to read."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(revealed(address))
    except psycopg.Error:
        raise StoreError(f"{place}: no address of PostgreSQL: expected postgresql://USER@HOST:PORT/DATABASE") from None
    given["options"] = f"{_SETTINGS['options']} {given.get('options', '')}".strip()
    defaults = {"application_name": _SETTINGS["application_name"], "connect_timeout": "10"}
    keeping = {
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": "30000",
    }
    return {**defaults, **keeping, **given, "client_encoding": _ENCODING}


def _may_pass(fault: Any) -> bool:
    """Whether a server that is starting, or not there, may answer soon; a wrong password or name never does."""
    text = str(fault)
    return any(
        word in text for word in ("starting up", "shutting down", "recovery", "refused", "No such file", "closed")
    )


def _first_line(fault: Any) -> str:
    lines = str(fault).strip().splitlines()
    return lines[0] if lines else type(fault).__name__
