"""Lets the tests of this folder import the modules beside them, the samples and the traces of the benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "trace"), str(HERE.parent / "bench")]
