"""The two kinds of store that a log is kept beside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from logs import KINDS


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where a store will stand."""
    return tmp_path / KINDS[request.param]
