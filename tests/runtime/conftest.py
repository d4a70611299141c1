"""What the tests of the runtime share."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_saga.certify.report import Report
from agent_saga.certify.run import certify

_WORLD = Path(__file__).with_name("world.py")


def _load() -> ModuleType:
    if "runtime_world" not in sys.modules:
        spec = importlib.util.spec_from_file_location("runtime_world", _WORLD)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["runtime_world"] = module
        spec.loader.exec_module(module)
    return sys.modules["runtime_world"]


_load()


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine to its end."""
    return asyncio.run


@pytest.fixture
def judge(tmp_path: Path) -> Callable[[list[bytes]], Report]:
    """Certifies lines."""

    def judged(lines: list[bytes]) -> Report:
        path = tmp_path / "trace.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return certify([str(path)])

    return judged
