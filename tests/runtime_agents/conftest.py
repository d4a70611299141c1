"""Every test here runs without a network."""

from __future__ import annotations

import pytest
from pydantic_ai import models


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", False)
