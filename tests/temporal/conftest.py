"""What the tests on Temporal share: one server a session, ended by its id."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from temporal_servers import DevServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A real development server in memory, with our search attributes."""
    made = DevServer(tmp_path_factory.mktemp("temporal"), attributes=True).start()
    yield made
    made.stop()


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return asyncio.run
