"""Making the tables in a database, and telling whether they are those of this release.

Source: docs/spec/store-v1.md, "The PostgreSQL store".
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from agent_saga.trace.store.errors import Damaged, NotAStore, WrongVersion
from agent_saga.trace.store.postgres.addresses import masked
from agent_saga.trace.store.postgres.connecting import Connection, connect, faults_told

VERSION: Final = 1
"""The schema that this release reads and writes."""
SERVER: Final = 170_000
"""The oldest PostgreSQL that has what the schema uses: the right MAINTAIN came with 17."""
LOCKS: Final = 1_095_984_993
"""The first half of the keys of the store's advisory locks; 1 behind it is the sequencer's (schema_1.sql)."""
_STEPS: Final = (("schema_1.sql", "tables, triggers, the sequencer and its roles"),)

GUARDS: Final = {
    "events": ("events_append_only",),
    "log": ("log_append_only", "log_no_gap"),
    "spends": ("spends_append_only",),
    "sagas": ("sagas_end", "sagas_stay"),
    "leases": ("leases_forward", "leases_stay"),
}
"""The triggers without which a store is refused, by table."""

_VERSION: Final = "SELECT max(version) FROM agent_saga.versions"
_TRIGGERS: Final = (
    "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'agent_saga' AND t.tgenabled IN "
    "('A', CASE current_setting('session_replication_role') WHEN 'replica' THEN 'R' ELSE 'O' END)"
)


def verify(connection: Connection, place: str) -> None:
    """Raise NotAStore, WrongVersion or Damaged unless the database holds a store of this release's schema."""
    found = version_of(connection, place)
    if found is None:
        raise NotAStore(f"{place}: no store in this database: run `agent-saga store migrate {place}`")
    if found > VERSION:
        raise WrongVersion(f"{place}: schema {found}, this release knows {VERSION}: install a newer agent-saga")
    if found < VERSION:
        raise WrongVersion(
            f"{place}: schema {found}, this release needs {VERSION}: run `agent-saga store migrate {place}`, "
            "with --dry-run first"
        )
    _require_guards(connection, place)


def _require_guards(connection: Connection, place: str) -> None:
    with faults_told(place):
        there = set(connection.execute(_TRIGGERS).fetchall())
    missing = sorted(
        f"{table}.{name}" for table, names in GUARDS.items() for name in names if (table, name) not in there
    )
    if missing:
        raise Damaged(
            f"{place}: the triggers that keep lines from being changed are not in force ({', '.join(missing)}): "
            "somebody removed them, or set session_replication_role; find out who, and what was changed since"
        )


def version_of(connection: Connection, place: str) -> int | None:
    """The schema version; None where there is no store."""
    with faults_told(place):
        there = connection.execute("SELECT to_regclass('agent_saga.versions') IS NOT NULL").fetchone()
        if not there or not there[0]:
            return None
        row = connection.execute(_VERSION).fetchone()
    return int(row[0]) if row and row[0] is not None else None


def migrate(address: str, *, dry_run: bool) -> Sequence[str]:
    """Make the store, or bring it to this release's schema; returns each step in words. dry_run: keep nothing.

    One transaction. Raises WrongVersion when the store is newer, ReadOnly when the user may not create schemas and
    roles, Unreachable, StoreError.
    """
    place = masked(address)
    connection = connect(address)
    try:
        found = version_of(connection, place) or 0
        if found > VERSION:
            verify(connection, place)
        _require_server(connection, place)
        with faults_told(place):
            _run(connection, found, dry_run)
    finally:
        connection.close()
    return [f"schema {number}: {words}" for number, (_, words) in enumerate(_STEPS[found:], found + 1)]


def _require_server(connection: Connection, place: str) -> None:
    if connection.info.server_version < SERVER:
        found = connection.info.server_version // 10_000
        raise WrongVersion(f"{place}: PostgreSQL {found}; a store needs {SERVER // 10_000} or newer")


def _run(connection: Any, found: int, dry_run: bool) -> None:
    connection.execute("BEGIN")
    try:
        for name, _ in _STEPS[found:]:
            connection.execute(script(name))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("ROLLBACK" if dry_run else "COMMIT")


def script(name: str = _STEPS[-1][0]) -> bytes:
    """The text of a step: what a database's own administrator may read and run."""
    return files(__package__).joinpath(name).read_bytes()
