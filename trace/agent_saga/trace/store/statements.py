"""What the SQLite store says to SQLite, statement by statement.

Source: docs/spec/store-v1.md, "The SQLite store".
"""

from typing import Final

from agent_saga.trace.store.base import Window

ROWS: Final = (64, 16, 3, 1)
"""Lines that one statement inserts. Few sizes, so that each is prepared once; a step of a saga adds three."""

INSERTS: Final = {
    size: f"INSERT INTO lines (idx, saga, seq, line) VALUES {', '.join(['(?, ?, ?, ?)'] * size)}" for size in ROWS
}
HEAD = (
    "SELECT seq, line, ended FROM lines JOIN sagas ON sagas.saga = lines.saga "
    "WHERE lines.saga = ? ORDER BY seq DESC LIMIT 1"
)
SAGAS = (
    "SELECT sagas.saga, seq, line, ended FROM sagas JOIN lines ON lines.saga = sagas.saga "
    "AND seq = (SELECT max(seq) FROM lines WHERE saga = sagas.saga) {} ORDER BY first"
)
LEASE = (
    "INSERT INTO leases (saga, holder, token, until) VALUES (?, ?, ?, ?) ON CONFLICT (saga) "
    "DO UPDATE SET holder = excluded.holder, token = excluded.token, until = excluded.until"
)
REMEMBER = "INSERT INTO memory (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
OPEN = (
    "SELECT saga FROM sagas WHERE ended = 0 AND saga <> ? AND saga NOT IN "
    "(SELECT saga FROM leases WHERE holder <> '' AND until > ?) ORDER BY first"
)
SPEND = "INSERT INTO spends (lim, key, at, saga, seq, amount) VALUES (?, ?, ?, ?, ?, ?)"
SPENT = (
    "SELECT coalesce(sum(amount >> 32), 0), coalesce(sum(amount & 4294967295), 0) FROM spends "
    "WHERE lim = ? AND key = ? AND at > ?"
)
"""In halves: a sum of 64-bit integers would be refused by SQLite where it grows beyond them."""


def bound(window: Window) -> tuple[str, str | bytes, int]:
    """What SPENT is asked with."""
    return window.limit, text(window.key), window.since


def text(key: str) -> str | bytes:
    """A key as SQLite takes it: one that is no UTF-8, which no line holds, as bytes."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return key.encode("utf-8", "surrogatepass")
    return key
