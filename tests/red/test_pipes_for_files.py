"""A pipe that nobody writes to, where a command expects a file: told at once, and never waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

POLICY = "fixtures/policies/payments.yaml"


@pytest.mark.parametrize(
    "words",
    [
        ["certify", "fixtures/good", "--policy", "PIPE"],
        ["certify", "fixtures/good", "--registry", "PIPE"],
        ["certify", "fixtures/good", "--policy", POLICY, "--waivers", "PIPE"],
        ["policy", "check", "PIPE"],
        ["policy", "check", POLICY, "--registry", "PIPE"],
        ["policy", "backtest", POLICY, "fixtures/demo", "--waivers", "PIPE"],
        ["policy", "diff", POLICY, "PIPE"],
    ],
    ids=lambda words: " ".join(words),
)
def test_a_pipe_in_place_of_a_file_is_told(words: list[str], tmp_path: Path, run_cli: Callable[..., Any]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = run_cli(*[str(pipe) if word == "PIPE" else word for word in words])
    assert found.returncode == 2
    assert "is no file" in found.stderr
