"""What a store of this machine must be able to do, below the protocol that callers see.

Writes come from one thread at a time, not always the same, reads from any. An engine is opened by ``opening``.
"""

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from agent_saga.trace.store.base import SagaRow, Window
from agent_saga.trace.store.draft import Committed, Draft
from agent_saga.trace.store.errors import StoreError

if TYPE_CHECKING:
    from agent_saga.trace.store.vault import Vault


class Wanted(NamedTuple):
    """What a transaction is going to look at, so that it can be read and locked at once.

    heads, leases: of these sagas. budgets: limits with their keys.

    alone: every other writer waits until it ends, and the global indices are known before it does. An engine may always
    do so. private: disclosures or what is remembered come with it, which become durable before.
    """

    heads: frozenset[str] = frozenset()
    leases: frozenset[str] = frozenset()
    budgets: frozenset[tuple[str, str]] = frozenset()
    alone: bool = False
    private: bool = False


ALONE: Final = Wanted(alone=True)


class Raced(StoreError):
    """Another writer came in between, or the connection broke: nothing is acknowledged. Draft the same again."""


class Engine(Protocol):
    """One store, opened."""

    place: str
    """How messages call it."""
    notices: tuple[str, ...]
    """What was mended when it was opened, such as a torn last line that was cut off."""

    @property
    def guessed(self) -> bool:
        """Whether something was told from memory since :meth:`begin` that another writer may have changed."""
        ...

    def begin(self, wanted: Wanted = ALONE) -> Committed:
        """Lock the store against other writers, as far as it is wanted, and show what it holds."""
        ...

    def commit(self, draft: Draft) -> None:
        """Make a draft durable, all or nothing, its disclosures first, and unlock.

        Where indices are given only now, it is told with :meth:`Draft.place`. Raises Raced, when it is to be drafted
        again.
        """
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

    def spent_now(self, window: Window) -> int:
        """What a window holds: as :meth:`Store.spent`, one of them."""
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


@runtime_checkable
class Prompt(Protocol):
    """An engine whose commits may be short enough for an event loop to wait for them."""

    def at_once(self) -> Committed | None:
        """As :meth:`Engine.begin`, without a wait.

        None where another process has the lock, or the store's own upkeep is due with the next commit; then nothing was
        begun.
        """
        ...
