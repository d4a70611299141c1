"""The store in PostgreSQL, over a real server."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "store"))
sys.path.insert(2, str(Path(__file__).parent.parent / "ports"))

from pgfixtures import pg_address, pg_server

__all__ = ["pg_address", "pg_server"]
