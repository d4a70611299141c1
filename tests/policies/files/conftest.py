"""The example of the design, and helpers for what is wrong with a changed one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_saga.policies.loading import PolicyError, load_policy

sys.path.insert(0, str(Path(__file__).parent))

EXAMPLE = Path(__file__).resolve().parents[3] / "fixtures" / "policies" / "payments.yaml"


@pytest.fixture(scope="session")
def example() -> str:
    """The text of the example."""
    return EXAMPLE.read_text("utf-8")


@pytest.fixture(scope="session")
def faults() -> Callable[..., list[str]]:
    """The faults of a policy that stands beside the example's schemas, as ``line:column: words``."""

    def told(text: str | bytes, name: str = "changed.yaml") -> list[str]:
        path = str(EXAMPLE.with_name(name))
        with pytest.raises(PolicyError) as caught:
            load_policy(path, text=text if isinstance(text, bytes) else text.encode())
        lines = [f"{one.line}:{one.column}: {one.message}" for one in caught.value.faults]
        assert str(caught.value).splitlines()[:100] == [f"{path}:{line}" for line in lines[:100]]
        return lines

    return told
