"""Lets the tests of this folder import the modules beside them, and those that make logs."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "log"), str(HERE.parent / "bundles")]
