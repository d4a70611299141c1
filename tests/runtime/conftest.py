"""What the tests of the runtime share."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify


def _load(name: str) -> ModuleType:
    """A module of this folder, importable as runtime_NAME."""
    full = f"runtime_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[full] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[full]


_load("approvers")
_load("world")
_load("exploring")
_load("victim")
_load("whims")
_load("policed_shop")


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine to its end."""
    return asyncio.run


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Report]:
    """Certifies lines, by a key registry where one is given."""

    def judged(lines: list[bytes], registry: Any = None) -> Report:
        path, known = tmp_path / "trace.jsonl", tmp_path / "registry.json"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        if registry is None:
            return certify([str(path)])
        known.write_text(json.dumps(registry))
        return certify([str(path)], Options(choices=Choices(registry=str(known))))

    return judged
