"""The command in a folder with a registry and a wire that waits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import hands
import wires

Run = Callable[..., Any]


@pytest.fixture
def run(run_cli: Run, tmp_path: Path) -> Run:
    """Runs `agent-saga approvals ...` in the folder of the test; no traceback, no bug, whatever it is given."""

    def run(*words: str, **more: Any) -> Any:
        env = hands.ENV | more.pop("env", {})
        done = run_cli("approvals", *words, cwd=tmp_path, env=env, **more)
        assert "Traceback" not in done.output
        assert done.returncode != 70, done.output
        return done

    return run


@pytest.fixture
def registry(run: Run, tmp_path: Path) -> Path:
    """A registry in which Ana has a software key and Ben an ssh key, made by the command itself."""
    wires.registry(tmp_path)
    wires.software(tmp_path)
    hands.keygen(tmp_path, "-q", "-t", "ed25519", "-N", "", "-f", "ben")
    hands.enroll(run, "p-ana", "ana-soft", "--vkey", str(wires.SOFT.vkey), old=1)
    hands.enroll(run, "p-ben", "ben-ssh", "--ssh-public", "ben.pub", old=2)
    return tmp_path / "registry-3.json"


@pytest.fixture
def store(registry: Path, tmp_path: Path) -> Path:
    """A store in which a wire waits for one person."""
    assert wires.run(tmp_path / "pay.db", registry) == "waiting_approval"
    return tmp_path / "pay.db"


@pytest.fixture
def opened(run: Run, run_cli: Run, registry: Path, tmp_path: Path) -> Path:
    """A log that was opened with a registry whose changes take two persons; a wire waits in it."""
    value = json.loads(registry.read_text()) | {"changes": {"roles": ["registrar"], "quorum": 2, "strength": "D"}}
    (tmp_path / "registry-4.json").write_text(json.dumps(value))
    done = run_cli("keys", "new", "log.example", "--purpose", "log", "-o", "log.key", cwd=tmp_path, env=hands.ENV)
    assert done.returncode == 0, done.output
    given = ("--origin", "log.example/shop", "--key", "log.key", "--registry", "registry-4.json")
    done = run_cli("log", "open", "pay.db", *given, cwd=tmp_path, env=hands.ENV)
    assert done.returncode == 0, done.output
    assert wires.run(tmp_path / "pay.db", None) == "waiting_approval"
    return tmp_path / "pay.db"
