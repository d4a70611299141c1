"""The stores that every test of the protocol runs against."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from agent_saga.trace.store import open_store
from agent_saga.trace.store.local import LocalStore

KINDS = {"memory": ":memory:", "file": "s.jsonl", "sqlite": "s.db"}
"""Each kind and the name of its place. A new kind of store is added here, and passes all that is there."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Every kind of store."""
    return str(request.param)


@pytest.fixture(params=[kind for kind in KINDS if kind != "memory"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of every kind of store that outlives its process."""
    return str(tmp_path / KINDS[request.param])


@pytest.fixture
def make(kind: str, tmp_path: Path) -> Callable[[], LocalStore]:
    """Opens a store of this kind."""
    place = KINDS[kind]
    return lambda: open_store(place if place == ":memory:" else tmp_path / place)
