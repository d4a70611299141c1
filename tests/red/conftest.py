"""What these tests borrow: the world of the runtime's tests, the scripts of the rules' tests, the oracle's writing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("red", "rules", "oracle")]


def _load(name: str) -> None:
    """A module of tests/runtime, importable as runtime_NAME, as its own tests have it."""
    full = f"runtime_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, TESTS / "runtime" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[full] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


for each in ("approvers", "world", "exploring", "policed_shop"):
    _load(each)
