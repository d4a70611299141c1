"""The store that forgets when its process ends: for tests and dry runs. The file store stands on it."""

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import Lease, SagaRow, Window
from agent_saga.trace.store.draft import Draft, Head, Parsed
from agent_saga.trace.store.engine import ALONE, Wanted
from agent_saga.trace.sums import Series

if TYPE_CHECKING:
    from agent_saga.trace.store.keyring import Random
    from agent_saga.trace.store.vault import Vault


class MemoryEngine:
    """Everything in dictionaries. Reads and the commit exclude each other for a moment.

    Not multi-process; durable only as long as the process lives.
    """

    def __init__(self, place: str = ":memory:", random: "Random" = os.urandom) -> None:
        """random: for keys and nonces of what is kept encrypted."""
        self.place = place
        self._random = random
        self._vault: Vault | None = None
        self.notices: tuple[str, ...] = ()
        self._lock = threading.Lock()
        self._heads: dict[str, Head] = {}
        self._indices: dict[str, list[int]] = {}
        self._bodies: list[bytes] = []
        self._leases: dict[str, Lease] = {}
        self._memory: dict[str, bytes] = {}
        self._sums: dict[tuple[str, str], Series] = {}

    # What a draft sees (Committed); only who commits changes it, so it reads without the lock.

    def count(self) -> int:
        """Lines that there are."""
        return len(self._bodies)

    def head(self, saga: str) -> Head | None:
        """The saga's head."""
        return self._heads.get(saga)

    def at(self, saga: str, seq: int) -> tuple[int, bytes]:
        """Index and bytes of a line."""
        index = self._indices[saga][seq]
        return index, self._body(index)

    def lease(self, saga: str) -> Lease | None:
        """The saga's latest lease."""
        return self._leases.get(saga)

    def spent(self, window: Window) -> int:
        """What a window holds."""
        series = self._sums.get((window.limit, window.key))
        return series.since(window.since) if series is not None else 0

    guessed = False

    def begin(self, wanted: Wanted = ALONE) -> "MemoryEngine":
        """There is one writer at a time, and nobody else to lock out."""
        return self

    def at_once(self) -> "MemoryEngine":
        """There is nothing to wait for."""
        return self

    def commit(self, draft: Draft) -> None:
        """Show the draft to readers."""
        if draft.disclosures:
            self.vault().add(draft.disclosures)
        self._show(draft)

    def _show(self, draft: Draft) -> None:
        with self._lock:
            self._keep([line.line for line in draft.lines])
            self._apply(draft)

    def rollback(self) -> None:
        """Nothing was changed."""

    def _keep(self, lines: Sequence[bytes]) -> None:
        self._bodies += lines

    def _body(self, index: int) -> bytes:
        return self._bodies[index]

    def _apply(self, draft: Draft) -> None:
        self._index(draft.lines)
        self._heads |= draft.heads
        self._leases |= draft.leases
        self._memory |= draft.memory
        for one in draft.spends:
            self._spend(one.limit, one.key, one.at, one.amount)

    def _spend(self, limit: str, key: str, at: int, amount: int) -> None:
        self._sums.setdefault((limit, key), Series()).add(at, amount)

    def _index(self, lines: Sequence[Parsed]) -> None:
        first = self.count() - len(lines)
        for index, line in enumerate(lines, first):
            self._indices.setdefault(line.saga, []).append(index)

    # Reads (Engine).

    def read(self, saga: str, since: int) -> list[bytes]:
        """The saga's lines."""
        with self._lock:
            return [self._body(index) for index in self._indices.get(saga, [])[max(0, since) :]]

    def sagas(self, open_only: bool) -> list[SagaRow]:
        """Every saga."""
        with self._lock:
            rows = [SagaRow(saga, head.lines, head.leaf, head.ended) for saga, head in self._heads.items()]
        return [row for row in rows if not (open_only and row.ended)]

    def lines(self, since: int, limit: int) -> list[tuple[int, bytes]]:
        """Lines by index."""
        with self._lock:
            return [(index, self._body(index)) for index in range(since, min(self.count(), since + limit))]

    def expired(self, now: float) -> list[str]:
        """Open sagas that nobody holds."""
        with self._lock:
            held = {saga for saga, lease in self._leases.items() if lease.holder and lease.until > now}
            return [s for s, head in self._heads.items() if not head.ended and s not in held and s != LOG_SAGA]

    def disclosures(self, saga: str) -> list[str]:
        """The saga's Ds."""
        return self._vault.texts(saga) if self._vault is not None else []

    def vault(self) -> "Vault":
        """Where the disclosures are; made when it is first asked for."""
        if self._vault is None:
            from agent_saga.trace.store.vault import open_vault

            self._vault = open_vault("", self._random)
        return self._vault

    def remembered(self) -> list[tuple[str, bytes]]:
        """All that is remembered."""
        with self._lock:
            return sorted(self._memory.items())

    def spent_now(self, window: Window) -> int:
        """What a window holds."""
        with self._lock:
            return self.spent(window)

    def recall(self, key: str) -> bytes | None:
        """A remembered value."""
        with self._lock:
            return self._memory.get(key)

    def close(self) -> None:
        """Let go of the disclosures."""
        if self._vault is not None:
            self._vault.close()
