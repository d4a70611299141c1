"""Stores: where the lines of a trace are kept, each durable before anything acts on it.

A store is append-only. It takes the exact bytes of lines, keeps the head of every saga's chain, and gives each line a
global index 0, 1, 2 ... without gaps: the leaf index of the log. All stores answer to one protocol,
:class:`~agent_saga.trace.store.base.Store`, and pass one suite of tests::

    store = open_store("orders.db")                       # SQLite; .jsonl is a plain file, ":memory:" keeps nothing
    lease = await store.acquire("k3JxQ0m7y2aTt5v9WcZ1eA", "worker-1", ttl=30, now=time.time())
    index = await store.append([NewLine(saga, 0, line)], lease=lease)      # durable when it returns

- :mod:`~agent_saga.trace.store.base`: the protocol and what passes through it
- :mod:`~agent_saga.trace.store.errors`: what a store can refuse, and why
- :mod:`~agent_saga.trace.store.ledger`, ``leases``, ``draft``: what may be appended and by whom; pure, for all stores
- :mod:`~agent_saga.trace.store.committer`: one writer thread; what waits together becomes durable together
- :mod:`~agent_saga.trace.store.local`: the protocol over an engine of this machine
- :mod:`~agent_saga.trace.store.sqlite`, ``file``, ``memory``: the engines; ``known``: what one remembers
- :mod:`~agent_saga.trace.store.snapshot`: a store's lines as the bytes of a trace, read-only, for those who judge
- :mod:`~agent_saga.trace.store.opening`, ``moving``: open, create; export, import, back up
- :mod:`~agent_saga.trace.store.replay`: what a saga's lines say, moment by moment

Source: docs/spec/store-v1.md.
"""

from typing import TYPE_CHECKING, Any

from agent_saga.trace.store.base import Disclosure, Lease, NewLine, SagaRow, Spending, Store, Window
from agent_saga.trace.store.errors import StoreError

if TYPE_CHECKING:
    from agent_saga.trace.store.opening import open_store

__all__ = ["Disclosure", "Lease", "NewLine", "SagaRow", "Spending", "Store", "StoreError", "Window", "open_store"]


def __getattr__(name: str) -> Any:
    if name == "open_store":  # loads asyncio, which those who only judge do without
        from agent_saga.trace.store.opening import open_store

        return open_store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
