"""The protocol over an engine of this machine: writes through the group commit, reads in a thread beside it."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from agent_saga.trace.store import leases, ledger
from agent_saga.trace.store.base import LIMIT, Disclosure, Lease, NewLine, SagaRow, Spending, Window
from agent_saga.trace.store.choosing import Choice
from agent_saga.trace.store.committer import Committer
from agent_saga.trace.store.draft import Parsed
from agent_saga.trace.store.engine import Engine, Prompt, Wanted
from agent_saga.trace.store.errors import Closed
from agent_saga.trace.store.spending import check_spends

if TYPE_CHECKING:
    from agent_saga.trace.store.erasing import Erasure

T = TypeVar("T")


class LocalStore:
    """A :class:`~agent_saga.trace.store.base.Store`: see there for what each method does.

    An append of a caller who is alone may keep his event loop for as long as a quick disk syncs, and for a slow disk
    hardly ever: :mod:`~agent_saga.trace.store.pace`.

    notices: what was mended when the store was opened.
    """

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: seconds, by which commits are timed."""
        self._engine = engine
        self._near = isinstance(engine, Prompt)
        """What it holds is told without a way to a server."""
        self._committer = Committer(engine, clock)
        self._closed = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What was mended when the store was opened, one sentence each."""
        return self._engine.notices

    async def append(
        self,
        lines: Sequence[NewLine],
        *,
        disclosures: Sequence[Disclosure] = (),
        lease: Lease | None = None,
        at: int | None = None,
        spends: Sequence[Spending] = (),
        release: bool = False,
    ) -> int:
        """:meth:`Store.append`."""
        ledger.check_disclosures(lines, disclosures)
        check_spends(spends)
        parsed = [ledger.parse(new) for new in lines]
        wanted = _wanted(parsed, lease, spends, at is not None or not lines, bool(disclosures))
        return await self._committer.run(
            lambda draft: ledger.append(draft, parsed, disclosures, lease, at, spends, let_go=release), wanted
        )

    async def read(self, saga: str, since: int = 0) -> list[bytes]:
        """:meth:`Store.read`."""
        return await self._beside(lambda: self._engine.read(saga, since))

    async def spent(self, windows: Sequence[Window]) -> list[int]:
        """:meth:`Store.spent`."""
        return await self._beside(lambda: [self._engine.spent_now(window) for window in windows])

    async def sagas(self, *, open_only: bool = False) -> list[SagaRow]:
        """:meth:`Store.sagas`."""
        return await self._beside(lambda: self._engine.sagas(open_only))

    async def lines(self, since: int = 0, limit: int = LIMIT) -> list[tuple[int, bytes]]:
        """:meth:`Store.lines`."""
        return await self._beside(lambda: self._engine.lines(max(0, since), max(0, limit)))

    async def acquire(self, saga: str, holder: str, ttl: float, now: float) -> Lease | None:
        """:meth:`Store.acquire`."""
        wanted = Wanted(leases=frozenset((saga,)))
        return await self._committer.run(
            lambda draft: leases.acquire(draft, saga, holder, ttl, now, count=self._near), wanted
        )

    async def renew(self, lease: Lease, ttl: float, now: float) -> Lease:
        """:meth:`Store.renew`."""
        wanted = Wanted(leases=frozenset((lease.saga,)))
        return await self._committer.run(lambda draft: leases.renew(draft, lease, ttl, now), wanted)

    async def release(self, lease: Lease) -> None:
        """:meth:`Store.release`."""
        wanted = Wanted(leases=frozenset((lease.saga,)))
        await self._committer.run(lambda draft: leases.release(draft, lease), wanted)

    async def expired(self, now: float) -> list[str]:
        """:meth:`Store.expired`."""
        return await self._beside(lambda: self._engine.expired(now))

    async def disclosures(self, saga: str) -> list[str]:
        """:meth:`Store.disclosures`."""
        return await self._beside(lambda: self._engine.disclosures(saga))

    async def remember(self, key: str, value: bytes) -> None:
        """:meth:`Store.remember`."""
        await self._committer.run(lambda draft: ledger.remember(draft, key, value), Wanted(private=True))

    async def recall(self, key: str) -> bytes | None:
        """:meth:`Store.recall`."""
        return await self._beside(lambda: self._engine.recall(key))

    async def erase(self, saga: str, choice: Choice, now: float) -> "Erasure":
        """Erase concealed values of a saga that has ended: see :mod:`~agent_saga.trace.store.erasing`."""
        from agent_saga.trace.store.erasing import erase_locked

        return await self._committer.run(lambda draft: erase_locked(self._engine, draft, saga, choice, now))

    async def hold(self, saga: str, reason: str, now: float) -> None:
        """Put a saga under legal hold: see :mod:`~agent_saga.trace.store.holding`."""
        from agent_saga.trace.store.holding import hold_locked

        await self._committer.run(lambda draft: hold_locked(self._engine.vault(), draft, saga, reason, now))

    async def release_hold(self, saga: str) -> bool:
        """Lift the hold of a saga; whether there was one."""
        from agent_saga.trace.store.holding import release_locked

        return await self._committer.run(lambda draft: release_locked(self._engine.vault(), draft, saga))

    async def close(self) -> None:
        """:meth:`Store.close`."""
        if not self._closed:
            self._closed = True
            await self._committer.close()
            await asyncio.to_thread(self._engine.close)

    async def _beside(self, call: Callable[[], T]) -> T:
        if self._closed:
            raise Closed(f"{self._engine.place}: the store is closed; open it again")
        return await asyncio.to_thread(call)


_NOTHING: Final[frozenset[Any]] = frozenset()


def _wanted(
    lines: Sequence[Parsed], lease: Lease | None, spends: Sequence[Spending], alone: bool, private: bool
) -> Wanted:
    """What an append is going to look at."""
    leased = frozenset((lease.saga,)) if lease else _NOTHING
    budgets = frozenset([(one.limit, one.key) for one in spends]) if spends else _NOTHING
    return Wanted(frozenset([line.saga for line in lines]), leased, budgets, alone, private)
