"""The package agent-saga, which has a `certify` of its own for its own logs, in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = "agent-saga"


def install(folder: Path) -> tuple[Path, str] | None:
    """Its command and version, installed from the index; None where that does not work."""
    scripts = folder / "rival" / "bin"
    try:
        _quietly([sys.executable, "-m", "venv", str(folder / "rival")])
        _quietly([str(scripts / "python"), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", PACKAGE])
        shown = _quietly([str(scripts / "python"), "-m", "pip", "show", PACKAGE])
    except (OSError, subprocess.SubprocessError):
        return None
    version = next(line.partition(" ")[2] for line in shown.splitlines() if line.startswith("Version:"))
    return scripts / PACKAGE, version


def _quietly(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return done.stdout
