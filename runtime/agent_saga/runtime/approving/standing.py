"""The key registry in force: by the log's own lines where the log has them, else by the file that was given.

Source: docs/spec/approval-v1.md, "The registry" and "Changes".
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from agent_saga.approvals.registry import parse_registry, registry_digest
from agent_saga.approvals.registry.history import History, InForce
from agent_saga.runtime.kernel.consent import NOBODY, Authority, Digests
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import LogOpened
from agent_saga.trace.limits import LOG_SAGA


class Standings:
    """What was in force after each of the log's own lines, oldest first; takes them in as they come.

    They are numbered by themselves: what changes what is decided by their order, which is that of the whole log.
    found: one for each line taken in; empty when they do not begin with log.opened.
    """

    def __init__(self) -> None:
        self.found: list[InForce] = []
        self._history: History | None = None

    def take(self, lines: Iterable[bytes]) -> None:
        """Take in the lines that follow. Raises LineError when one is none; those before it stay taken in."""
        for line in lines:
            event, _ = decode(line)
            if self._history is not None:
                self._history.add(len(self.found), leaf_hash(line), event)
            elif isinstance(event, LogOpened):
                self._history = History(event, leaf_hash(line))
            else:
                return
            self.found.append(self._history.last)


def standings(lines: Iterable[bytes]) -> list[InForce]:
    """What was in force after each of the log's own lines (:class:`Standings`). lines: all of them, in order.

    Raises LineError when one is none.
    """
    followed = Standings()
    followed.take(lines)
    return followed.found


def digests_of(found: Sequence[InForce]) -> list[Digests]:
    """The digests of policy and keys that were in force at some time, newest first."""
    return list(dict.fromkeys((one.policy, one.digest) for one in reversed(found)))


class Readable(Protocol):
    """What of a store is needed to know who may approve."""

    async def read(self, saga: str, since: int = 0) -> list[bytes]:
        """The saga's lines from seq ``since`` on."""
        ...


class Standing:
    """Finds who may approve: by the log's own lines where the log has them, else by the registry that was given."""

    def __init__(self, store: Readable, registry: Any = None, policy: str | None = None) -> None:
        """registry: a key registry as parsed from its file, for a log that holds none; policy: a digest, likewise.

        Raises RegistryFault.
        """
        self._store = store
        self._given = Authority(policy)
        if registry is not None:
            digest = registry_digest(registry)
            self._given = Authority(policy, digest, {digest: parse_registry(registry)})
        self.begun = False
        """Whether the store has a line: log.opened stands on the first of a log or nowhere."""
        self._without_log = False
        self._followed = Standings()

    async def now(self) -> Authority:
        """Who may approve now. What cannot be read gives nobody the right. Raises StoreError."""
        if self._without_log:
            return self._given
        found = self._followed.found
        begun = len(found)
        new = await self._store.read(LOG_SAGA, begun)
        try:
            self._followed.take(new[len(found) - begun :])  # without what another task took in meanwhile
        except LineError:
            return NOBODY
        if not found:
            self._without_log = self.begun
            return self._given
        known = {one.digest: one.registry for one in found}
        last = found[-1]
        before = tuple(digests_of(found))
        return Authority(last.policy, last.digest, known, frozenset(last.revoked), before, last.log)

    async def of(self, state: State) -> Authority:
        """Who may approve what this saga asks: nobody, when it began under a registry that is not in force here."""
        authority = await self.now()
        policy, keys = (state.started.policy, state.started.keys) if state.started else (None, None)
        if keys == authority.keys or keys in (known for _, known in authority.before):
            return authority
        return Authority(policy, keys)
