"""The stores that every test of the protocol runs against."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "store_postgres"))

from pgfixtures import pg_address, pg_server
from prompt_stores import at_once

from agent_saga.trace.store import open_store
from agent_saga.trace.store.local import LocalStore

KINDS = {"memory": ":memory:", "file": "s.jsonl", "sqlite": "s.db", "at once": "s.db", "postgres": "postgresql:"}
"""Each kind and the name of its place. A new kind of store is added here, and passes all that is there.

at once: SQLite whose disk counts as quick whatever it does, so that a lone append is committed on the event loop.
"""
FILES = [kind for kind in KINDS if kind not in ("memory", "at once", "postgres")]
__all__ = ["pg_address", "pg_server"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Every kind of store."""
    return str(request.param)


@pytest.fixture(params=FILES)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of every kind of store that lies in files."""
    return str(tmp_path / KINDS[request.param])


@pytest.fixture
def make(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], LocalStore]:
    """Opens a store of this kind."""
    place = KINDS[kind]
    if kind == "postgres":
        address = request.getfixturevalue("pg_address")
        return lambda: open_store(address)
    if kind == "at once":
        return lambda: at_once(open_store(tmp_path / place))
    return lambda: open_store(place if place == ":memory:" else tmp_path / place)
