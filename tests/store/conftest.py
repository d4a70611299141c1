"""The stores that every test of the protocol runs against."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "store_postgres"))

from pgfixtures import pg_address, pg_server

from agent_saga.trace.store import open_store
from agent_saga.trace.store.local import LocalStore

KINDS = {"memory": ":memory:", "file": "s.jsonl", "sqlite": "s.db", "postgres": "postgresql:"}
"""Each kind and the name of its place. A new kind of store is added here, and passes all that is there."""
FILES = [kind for kind in KINDS if kind not in ("memory", "postgres")]
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
    return lambda: open_store(place if place == ":memory:" else tmp_path / place)
