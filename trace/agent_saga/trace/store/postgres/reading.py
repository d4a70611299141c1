"""What is read from a store in PostgreSQL: queries, and the whole as the bytes of a trace.

Source: docs/spec/store-v1.md, "The PostgreSQL store" and "Reading while it is written".
"""

from collections.abc import Collection
from hashlib import sha256
from typing import Final

from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import Window
from agent_saga.trace.store.draft import Head
from agent_saga.trace.store.postgres.connecting import Connection

_LAST: Final = (
    "CROSS JOIN LATERAL (SELECT seq, line FROM agent_saga.events WHERE saga = {} ORDER BY seq DESC LIMIT 1) e"
)
_HEADS: Final = (
    "SELECT w.saga, e.seq, e.line, EXISTS (SELECT 1 FROM agent_saga.sagas s WHERE s.saga = w.saga AND s.ended) "
    "FROM unnest(%s::text[]) w (saga) " + _LAST.format("w.saga")
)
SAGAS: Final = (
    "SELECT s.saga, e.seq, e.line, s.ended FROM agent_saga.sagas s " + _LAST.format("s.saga") + " {} ORDER BY s.first"
)
EXPIRED: Final = (
    f"SELECT s.saga FROM agent_saga.sagas s WHERE NOT s.ended AND s.saga <> '{LOG_SAGA}' AND NOT EXISTS "
    "(SELECT 1 FROM agent_saga.leases l WHERE l.saga = s.saga AND l.holder <> '' AND l.until > %s) ORDER BY s.first"
)
_PLACED: Final = (
    "SELECT l.first + e.pos, e.line FROM agent_saga.events e LEFT JOIN agent_saga.log l ON l.batch = e.batch "
    "WHERE e.saga = %s AND e.seq = %s"
)
LINES: Final = (
    "SELECT l.first + e.pos, e.line FROM agent_saga.log l JOIN agent_saga.events e ON e.batch = l.batch "
    "AND e.pos < l.lines "
    "WHERE l.first >= (SELECT coalesce(max(first), 0) FROM agent_saga.log WHERE first <= %(since)s) "
    "AND l.first < %(since)s + %(limit)s AND l.first + e.pos >= %(since)s ORDER BY l.first, e.pos LIMIT %(limit)s"
)
"""Every batch has a line, so whatever begins ``limit`` lines further on is not among them."""
SPENT: Final = "SELECT coalesce(sum(amount), 0) FROM agent_saga.spends WHERE budget = %s AND at > %s"


def budget(limit: str, key: str) -> bytes:
    """What tells one limit with its key from another: a key may be longer than a row of an index."""
    return sha256(limit.encode() + b"\0" + spelled(key)).digest()


def spelled(key: str) -> bytes:
    """The key of a budget as it is kept: any string at all, also one that no text column takes."""
    return key.encode("utf-8", "surrogatepass")


def heads(connection: Connection, sagas: Collection[str]) -> dict[str, Head]:
    """The heads of those of the sagas that have lines."""
    if not sagas:
        return {}
    rows = connection.execute(_HEADS, (list(sagas),), binary=True).fetchall()
    return {saga: Head(seq + 1, leaf_hash(line), ended) for saga, seq, line, ended in rows}


def placed(connection: Connection, saga: str, seq: int) -> tuple[int | None, bytes] | None:
    """Index and bytes of a line; no index while it is not in the log; None when it is not there."""
    row: tuple[int | None, bytes] | None = connection.execute(_PLACED, (saga, seq), binary=True).fetchone()
    return row


def spent(connection: Connection, window: Window) -> int:
    """What a window holds."""
    row = connection.execute(SPENT, (budget(window.limit, window.key), window.since)).fetchone()
    return int(row[0]) if row else 0
