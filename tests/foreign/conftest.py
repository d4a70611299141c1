"""Builds the Go program once; where Go or its package is missing, what asks for it is skipped (in CI: fails)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
GOPATH = Path("/usr/share/gocode")  # where Debian's golang-*-dev packages lie
PACKAGE = GOPATH / "src" / "golang.org" / "x" / "mod" / "sumdb" / "note"
MISSING = "skipped: install golang-go golang-golang-x-mod-dev"

Foreign = Callable[..., tuple[int, Any]]


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    """Runs the Go program: its exit code, and the JSON that it printed."""
    go = shutil.which("go")
    if go is None or not PACKAGE.is_dir():
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("foreign")
    program = folder / "foreign"
    surroundings = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "GO111MODULE": "off",
        "GOPATH": str(GOPATH),
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
        "GOPROXY": "off",
        "CGO_ENABLED": "0",
    }
    done = subprocess.run(
        [go, "build", "-o", str(program), "."], cwd=HERE, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    def run(*arguments: str | os.PathLike[str]) -> tuple[int, Any]:
        ran = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, check=False)
        assert ran.stdout, ran.stderr
        return ran.returncode, json.loads(ran.stdout)

    return run
