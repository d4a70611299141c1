"""Legal holds: a saga under hold keeps its concealed values until the hold is lifted.

Source: docs/spec/store-v1.md, "Disclosures".
"""

from typing import Final, Protocol

from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.draft import Head
from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.errors import Refusal
from agent_saga.trace.store.keyring import transaction
from agent_saga.trace.store.vault import Vault

_HOLD: Final = (
    "INSERT INTO holds (saga, reason, since) VALUES (?, ?, ?) ON CONFLICT (saga) DO UPDATE SET reason = excluded.reason"
)


class Heads(Protocol):
    """Knows the ends of sagas: a draft, or what is committed."""

    def head(self, saga: str) -> Head | None:
        """The saga's head; None, or one without lines, for a saga that is not there."""
        ...


def require_saga(heads: Heads, saga: str) -> Head:
    """The head of a saga. Raises Refusal when it is not there, or is the log's own."""
    head = heads.head(saga)
    if head is None or not head.lines or saga == LOG_SAGA:
        raise Refusal(f"saga {saga!r}: no such saga of an agent in this store; `agent-saga trace ls STORE` names them")
    return head


def hold(engine: Engine, saga: str, reason: str, *, now: float) -> None:
    """Put a saga under legal hold: nothing of it is erased until it is released. now: POSIX seconds. Raises Refusal."""
    try:
        hold_locked(engine.vault(), engine.begin(), saga, reason, now)
    finally:
        engine.rollback()


def release(engine: Engine, saga: str) -> bool:
    """Lift the hold of a saga; whether there was one. Raises Refusal for a saga that is not there."""
    try:
        return release_locked(engine.vault(), engine.begin(), saga)
    finally:
        engine.rollback()


def hold_locked(vault: Vault, heads: Heads, saga: str, reason: str, now: float) -> None:
    """:func:`hold`, by whoever holds the lock of the store's lines. A second reason takes the place of the first."""
    require_saga(heads, saga)
    if not reason.strip() or not reason.isprintable():
        raise Refusal("a hold needs a reason, in printable characters: who ordered it, and where that is written")
    with faults_told(vault.place), transaction(vault.write):
        vault.write.execute(_HOLD, (saga, reason, now))


def release_locked(vault: Vault, heads: Heads, saga: str) -> bool:
    """:func:`release`, by whoever holds the lock of the store's lines."""
    require_saga(heads, saga)
    with faults_told(vault.place), transaction(vault.write):
        return bool(vault.write.execute("DELETE FROM holds WHERE saga = ?", (saga,)).rowcount == 1)
