"""What the engine writes, statement by statement, and what it locks. Every function may raise psycopg.Error.

Locks are taken in one order by everybody: the store, leases by saga, budgets, then rows by (saga, seq). The sequencer's
lock comes last, is never waited for with another one in hand, and ends with the transaction.

Source: docs/spec/store-v1.md, "The PostgreSQL store".
"""

from collections.abc import Collection
from typing import Any, Final

from agent_saga.trace.store.base import Lease
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.postgres.connecting import Connection
from agent_saga.trace.store.postgres.reading import budget, spelled
from agent_saga.trace.store.postgres.rows import COPY, rows_of
from agent_saga.trace.store.postgres.schema import LOCKS

_STORE: Final = f"{LOCKS}, 2"
"""Key of the advisory lock that writers share, and that who writes alone has to himself."""
_NEXT: Final = "SELECT nextval('agent_saga.batches')"
_LEASES: Final = (
    "SELECT saga, holder, token, until FROM agent_saga.leases WHERE saga = ANY(%s) ORDER BY saga FOR NO KEY UPDATE"
)
_CHANGED: Final = "UPDATE agent_saga.leases SET holder = %s, token = %s, until = %s WHERE saga = %s"
_TAKEN: Final = "INSERT INTO agent_saga.leases (holder, token, until, saga) VALUES (%s, %s, %s, %s)"
_REMEMBER: Final = (
    "INSERT INTO agent_saga.memory (key, value) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"
)
_SPEND: Final = (
    "INSERT INTO agent_saga.spends (budget, lim, key, at, saga, seq, amount) VALUES (%s, %s, %s, %s, %s, %s, %s)"
)


def settle(connection: Connection, place: str) -> tuple[str, ...]:
    """At opening: put into the log what a killed writer left; what people should know about the server."""
    notices = []
    if _one(connection, "SELECT EXISTS (SELECT 1 FROM agent_saga.pending)") and may_append(connection):
        sequence(connection)
    for setting in ("fsync", "full_page_writes"):
        if _one(connection, f"SELECT current_setting('{setting}')") == "off":
            notices.append(f"{place}: the server runs with {setting} = off: a power cut may lose acknowledged lines")
    return tuple(notices)


def may_append(connection: Connection) -> bool:
    """Whether this user may put lines into the log."""
    return bool(_one(connection, "SELECT has_function_privilege('agent_saga.sequence()', 'EXECUTE')"))


def durable(connection: Connection) -> None:
    """Durable when acknowledged, whatever the default of the server, the database or the role is."""
    connection.execute(_DURABLE)


_DURABLE: Final = (
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
    "WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)"
)


def begin(connection: Connection) -> int:
    """Begin a transaction beside those of others; the number that its batch may have, see :func:`next_batch`."""
    cursor = connection.execute(f"BEGIN; SELECT pg_advisory_xact_lock_shared({_STORE}); {_NEXT}")
    while cursor.nextset():
        pass
    return int(cursor.fetchall()[0][0])


def next_batch(connection: Connection) -> int:
    """A number for a batch.

    It is taken after all heads were read: a batch with a higher number never stands before what it follows.
    """
    return int(_one(connection, _NEXT))


def begin_alone(connection: Connection) -> int:
    """Begin a transaction that every other writer waits for, until :func:`end_alone`; the next index.

    What was pending is in the log, and seen by everybody, before it begins: who reads meanwhile reads all lines.
    """
    connection.execute(f"SELECT pg_advisory_lock({_STORE})")
    sequence(connection)
    connection.execute("BEGIN")
    return sequence(connection)


def end_alone(connection: Connection) -> None:
    """Let the other writers go on."""
    connection.execute(f"SELECT pg_advisory_unlock({_STORE})")


def sequence(connection: Connection) -> int:
    """Put what is pending into the log; the next index."""
    return int(_one(connection, "SELECT agent_saga.sequence()"))


def lock_leases(connection: Connection, sagas: Collection[str]) -> dict[str, Lease | None]:
    """The latest leases of these sagas, which nobody else changes until the transaction ends."""
    if not sagas:
        return {}
    rows = connection.execute(_LEASES, (sorted(sagas),)).fetchall()
    return dict.fromkeys(sagas) | {row[0]: Lease(*row) for row in rows}


def lock_budgets(connection: Connection, budgets: Collection[tuple[str, str]]) -> None:
    """Let nobody else take from these limits until the transaction ends."""
    for number in sorted(int.from_bytes(budget(*one)[:8], signed=True) for one in budgets):
        connection.execute("SELECT pg_advisory_xact_lock(%s::bigint)", (number,))


def write_leases(connection: Connection, draft: Draft, known: dict[str, Lease | None]) -> None:
    """Change the leases that are there, and add the others: one that somebody else added meanwhile is a violation."""
    for saga, lease in sorted(draft.leases.items()):
        query = _TAKEN if known.get(saga) is None else _CHANGED
        connection.execute(query, (lease.holder, lease.token, lease.until, saga))


def write_lines(connection: Connection, draft: Draft, batch: int) -> None:
    """Copy the lines in, sorted by saga and seq, as the batch of this number."""
    with connection.cursor().copy(COPY) as copy:
        copy.write(rows_of(draft, batch))
    if draft.spends:
        spent = [(budget(x.limit, x.key), x.limit, spelled(x.key), x.at, x.saga, x.seq, x.amount) for x in draft.spends]
        connection.cursor().executemany(_SPEND, spent)


def write_memory(connection: Connection, draft: Draft) -> None:
    """Keep what is to be remembered."""
    if draft.memory:
        connection.cursor().executemany(_REMEMBER, sorted(draft.memory.items()))


def place_and_commit(connection: Connection, batch: int, lines: int) -> int | None:
    """Commit; the index of the batch's first line, None when another one is the sequencer right now."""
    both = f"SELECT agent_saga.place({batch:d}, {lines:d}); COMMIT"  # one message: after a failure nothing is committed
    row = connection.execute(both.encode(), prepare=False).fetchone()
    return row[0] if row else None


def sequenced(connection: Connection, batch: int) -> int:
    """The index of a batch that is durable and pending: its place is given now, by whoever comes first."""
    sequence(connection)
    return int(_one(connection, "SELECT first FROM agent_saga.log WHERE batch = %s", batch))


def _one(connection: Connection, query: Any, *values: Any) -> Any:
    row = connection.execute(query, values).fetchone()
    assert row is not None
    return row[0]
