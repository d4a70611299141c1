"""What is kept beside a store, read without writing anything: for exports, proofs and figures.

Source: docs/spec/store-v1.md, "Disclosures".
"""

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.schema import KEYS, PRIVATE
from agent_saga.trace.store.sealed import Kept
from agent_saga.trace.store.snapshot import connected
from agent_saga.trace.store.telling import has_log, is_sqlite
from agent_saga.trace.store.vault import DISCLOSURES, KEYS_END, opened_rows


def read_kept(store: str, saga: str = "") -> Kept:
    """What is kept of a store's disclosures, of one saga or all, read without writing. Raises StoreError."""
    if is_address(store):
        from agent_saga.trace.store.postgres.vault import read_kept as of_postgres

        return of_postgres(store, saga)
    path = os.path.realpath(store) + DISCLOSURES
    if not os.path.exists(path):
        return Kept([], [], [])
    if not is_sqlite(path):
        with open(path, encoding="ascii") as stream:
            return Kept(stream.read().split(), [], [])
    which, values = ("WHERE saga = ?", (saga,)) if saga else ("", ())
    found = Kept([], [], [])
    for _ in range(2):  # an erasure between the two looks gives what is left another key
        found = _read_once(path, os.path.realpath(store) + KEYS_END, which, values)
        if not found.lost:
            break
    return found


def _read_once(path: str, keys: str, which: str, values: Sequence[Any]) -> Kept:
    with contextlib.ExitStack() as stack:
        stack.enter_context(faults_told(path))
        rows = stack.enter_context(contextlib.closing(connected(path, PRIVATE, immutable=not has_log(path))))
        if not os.path.exists(keys):
            return opened_rows(rows, _no_keys, path, which, values)
        ring = stack.enter_context(contextlib.closing(connected(keys, KEYS, immutable=not has_log(keys))))
        return opened_rows(rows, lambda: ring, path, which, values)


def _no_keys() -> None:
    return None
