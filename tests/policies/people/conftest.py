"""Tests of what people read of policies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy

sys.path[:0] = [str(Path(__file__).parent)]
EXAMPLE = Path(__file__).resolve().parents[3] / "fixtures" / "policies" / "payments.yaml"


@pytest.fixture(scope="session")
def example() -> Policy:
    """The policy of the design."""
    return load_policy(str(EXAMPLE))
