"""What a store of this machine must be able to do, below the protocol that callers see.

Writes come from one thread at a time, reads from any. An engine is opened by ``opening``.
"""

from typing import TYPE_CHECKING, Protocol

from agent_saga.trace.store.base import SagaRow
from agent_saga.trace.store.draft import Committed, Draft

if TYPE_CHECKING:
    from agent_saga.trace.store.vault import Vault


class Engine(Protocol):
    """One store, opened."""

    place: str
    """How messages call it."""
    notices: tuple[str, ...]
    """What was mended when it was opened, such as a torn last line that was cut off."""

    def begin(self) -> Committed:
        """Lock the store against other writers and show what it holds."""
        ...

    def commit(self, draft: Draft) -> None:
        """Make a draft durable, all or nothing, its disclosures first, and unlock."""
        ...

    def rollback(self) -> None:
        """Unlock and leave everything as it was. Harmless when nothing was begun."""
        ...

    def read(self, saga: str, since: int) -> list[bytes]:
        """As :meth:`Store.read`."""
        ...

    def sagas(self, open_only: bool) -> list[SagaRow]:
        """As :meth:`Store.sagas`."""
        ...

    def lines(self, since: int, limit: int) -> list[tuple[int, bytes]]:
        """As :meth:`Store.lines`."""
        ...

    def expired(self, now: float) -> list[str]:
        """As :meth:`Store.expired`."""
        ...

    def disclosures(self, saga: str) -> list[str]:
        """As :meth:`Store.disclosures`."""
        ...

    def recall(self, key: str) -> bytes | None:
        """As :meth:`Store.recall`."""
        ...

    def vault(self) -> "Vault":
        """Where the disclosures are; it may be made now. Only the writing thread changes it."""
        ...

    def remembered(self) -> list[tuple[str, bytes]]:
        """All that is remembered, by key."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
