"""What is shipped works: the wheel and the sdist install into a bare environment and certify a log there."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
# One worker builds for all tests of this file.
pytestmark = pytest.mark.xdist_group("packaging")
PACKS = sorted(ROOT.glob("policies/agent_saga/policies/packs/*/policy.yaml"))
PARTS = sorted(folder.parent.name for folder in ROOT.glob("*/agent_saga"))


def _run(*command: str | Path, cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AGENT_SAGA_", "PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and with the wheel built from the sdist."""
    out = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", out, ROOT, cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def sdist(dist: Path) -> Path:
    return next(dist.glob("*.tar.gz"))


def _try_in_a_bare_environment(package: Path, folder: Path) -> None:
    _run(sys.executable, "-m", "venv", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    lock = ROOT / "requirements.lock"
    _run(python, "-m", "pip", "install", "--quiet", "--constraint", lock, package, cwd=folder)
    command = folder / "env" / "bin" / "agent-saga"
    assert VERSION in _run(command, "--version", cwd=folder)
    _run(command, "certify", "--no-config", ROOT / "fixtures" / "demo" / "good.jsonl", cwd=folder)
    packs = _run(command, "policy", "packs", cwd=folder)
    assert {line.split()[0] for line in packs.splitlines()} == {path.parent.name for path in PACKS}
    assert "AU-10" in _run(command, "controls", "show", "nist-800-53-r5", cwd=folder)
    _run(python, "-m", "pip", "check", cwd=folder)


def test_the_wheel_works_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    _try_in_a_bare_environment(wheel, tmp_path)


def test_the_sdist_works_in_a_bare_environment(sdist: Path, tmp_path: Path) -> None:
    _try_in_a_bare_environment(sdist, tmp_path)


def test_the_wheel_holds_every_file_of_every_part_and_nothing_else(wheel: Path) -> None:
    names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    assert names == _shipped(lambda part, inner: f"agent_saga/{inner}")


def test_the_sdist_holds_every_part_and_what_the_build_reads(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = _shipped(lambda part, inner: f"{part}/agent_saga/{inner}")
    beside = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert wanted <= names
    assert names - wanted <= beside


def _shipped(name: Callable[[str, str], str]) -> set[str]:
    found = set()
    for part in PARTS:
        root = ROOT / part / "agent_saga"
        files = (p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        found |= {name(part, str(path.relative_to(root))) for path in files}
    return found
