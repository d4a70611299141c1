"""The command with a judge of our own behind it, so that a test sees what the judge is asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

STANDIN = Path(__file__).with_name("standin")


@dataclass(frozen=True)
class Asked:
    """What one run printed, its exit code, and what the judge was asked (None when it was not)."""

    returncode: int
    stdout: str
    stderr: str
    asked: dict[str, Any] | None

    @property
    def choices(self) -> dict[str, Any]:
        assert self.asked is not None, f"exit {self.returncode}: {self.stderr}"
        return self.asked["choices"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one input, whose configuration is nobody else's."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.jsonl").write_text("{}\n")
    return tmp_path


@pytest.fixture
def standin() -> dict[str, str]:
    """Environment that puts the stand-in behind the command."""
    return {"PYTHONPATH": str(STANDIN), "STANDIN_MODE": "record"}


@pytest.fixture
def ask(run_cli: Callable[..., Any], folder: Path, standin: dict[str, str]) -> Callable[..., Asked]:
    """Runs `agent-saga certify` on the stand-in in `folder`: `ask("a.jsonl", "--jobs", "2", env={...})`."""

    def run(*args: str, mode: str = "record", exit: int = 0, cwd: Path = folder, **more: Any) -> Asked:
        out = folder / ".asked.json"
        out.unlink(missing_ok=True)
        env = standin | {"STANDIN_MODE": mode, "STANDIN_OUT": str(out), "STANDIN_EXIT": str(exit)}
        done = run_cli("certify", *args, cwd=cwd, env=env | more.pop("env", {}), **more)
        asked = json.loads(out.read_text()) if out.exists() else None
        return Asked(done.returncode, done.stdout, done.stderr, asked)

    return run


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[str]:
    """A folder in which nobody can make a file, not even root."""
    if os.geteuid() == 0:
        yield "/proc"
        return
    place = tmp_path / "sealed"
    place.mkdir()
    place.chmod(0o555)
    yield str(place)
    place.chmod(0o755)
