"""What the tests of fleets share: one Temporal server and one PostgreSQL server a session."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("temporal", "store_postgres", "store")]
sys.path.append(str(TESTS / "bench"))  # behind all others: some names there are those of helpers elsewhere

from pgfixtures import pg_address, pg_server  # noqa: E402
from temporal_servers import DevServer  # noqa: E402

__all__ = ["pg_address", "pg_server"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A real development server in memory."""
    made = DevServer(tmp_path_factory.mktemp("temporal")).start()
    yield made
    made.stop()
