"""The sample reports, and one way to write them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from agent_saga.certify.outputs import render
from agent_saga.certify.report import Report

HERE = Path(__file__).parent


def _load(name: str) -> ModuleType:
    full = f"outputs_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, HERE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[full] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[full]


SAMPLES: dict[str, Report] = _load("samples").SAMPLES


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The module of sample reports."""
    return _load("samples")


@pytest.fixture(params=sorted(SAMPLES))
def report(request: pytest.FixtureRequest) -> Report:
    """Each sample in turn."""
    return SAMPLES[request.param]


@pytest.fixture
def written(samples: ModuleType) -> Callable[..., str]:
    """Write a report (or the sample of that name) with the stand-in rules."""

    def write(report: Report | str, fmt: str, **options: object) -> str:
        chosen = SAMPLES[report] if isinstance(report, str) else report
        return render(chosen, fmt, **{"rules": samples.RULES, **options})  # type: ignore[arg-type]

    return write
